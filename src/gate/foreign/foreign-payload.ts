import { type Failure, fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { getOwn, getString, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';

/** What another program says of a call it is about to make. */
export interface ForeignCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  /** Absolute. */
  readonly cwd: string;
  /** The program that can still settle the call. */
  readonly ownerPid?: number;
  /** The ticket of an earlier `ask` for the same call, which a person has since approved. */
  readonly approved?: string;
}

/** How a call that has ended is named: by its ticket, by its own id, or by its tool alone, where an agent gives no ids. */
export type SettledCall =
  | { readonly ticket: string }
  | { readonly callId: string; readonly sessionId: string }
  | { readonly tool: string; readonly sessionId: string; readonly args?: JsonObject };

/** What another program says of a call that has ended. */
export interface ForeignOutcome {
  readonly call: SettledCall;
  readonly status: 'ok' | 'error' | 'blocked' | 'cancelled';
  /** What is no text is given as JSON. */
  readonly result: string;
  readonly errorType?: string;
}

/** What is taken for what a payload leaves out. */
export interface ForeignDefaults {
  readonly cwd: () => string;
  readonly newId: (prefix: string) => string;
}

type Parsed<Value> = Result<Value, 'bad_payload'>;

const CALL_TEXTS = ['tool_name', 'tool', 'session_id', 'turn_id', 'tool_call_id', 'cwd', 'approved'];
const OUTCOME_TEXTS = ['ticket', 'tool_call_id', 'session_id', 'error_type', 'tool_name', 'tool'];
const STATUSES = ['ok', 'error', 'blocked', 'cancelled'] as const;
/** What a call without a session or a turn belongs to. */
const UNKNOWN = 'unknown';

/**
 * Reads the payload of `gate before`: `tool_name, tool_input, session_id?, turn_id?, tool_call_id?, cwd?, owner_pid?,
 * approved?`. Null and an empty text count as left out; `tool` and `args` are understood for the first two. Fields that
 * are not known are ignored: agents send their whole hook payload. Fails with `bad_payload`, naming field and value.
 */
export function parseForeignCall(payload: JsonValue, defaults: ForeignDefaults): Parsed<ForeignCall> {
  if (!isJsonObject(payload)) return notAnObject(payload);
  const wrong = wrongText(payload, CALL_TEXTS);
  if (wrong !== undefined) return wrong;
  const tool = textOf(payload, 'tool_name') ?? textOf(payload, 'tool');
  if (tool === undefined) return bad('The payload lacks "tool_name".');
  const args = getOwn(payload, 'tool_input') ?? getOwn(payload, 'args');
  if (args === undefined) return bad('The payload lacks "tool_input".');
  if (!isJsonObject(args)) return bad(`"tool_input" must be an object, not ${shown(args)}.`);
  const ownerPid = getOwn(payload, 'owner_pid') ?? undefined;
  if (ownerPid !== undefined && !isPid(ownerPid))
    return bad(`"owner_pid" must be a process id, not ${shown(ownerPid)}.`);
  const cwd = textOf(payload, 'cwd') ?? defaults.cwd();
  if (!cwd.startsWith('/')) return bad(`"cwd" must be an absolute path, not ${shown(cwd)}.`);
  const approved = textOf(payload, 'approved');
  return succeed({
    tool,
    args,
    sessionId: textOf(payload, 'session_id') ?? UNKNOWN,
    turnId: textOf(payload, 'turn_id') ?? UNKNOWN,
    callId: textOf(payload, 'tool_call_id') ?? defaults.newId('call'),
    cwd,
    ...(ownerPid === undefined ? {} : { ownerPid }),
    ...(approved === undefined ? {} : { approved }),
  });
}

/**
 * Reads the payload of `gate after`: `ticket`, or `tool_call_id` with `session_id`, or `tool_name` with `session_id` and
 * `tool_input?` (the first of them wins); `status`, `result?`, `error_type?`. Fails with `bad_payload`, naming field and value.
 */
export function parseForeignOutcome(payload: JsonValue): Parsed<ForeignOutcome> {
  if (!isJsonObject(payload)) return notAnObject(payload);
  const wrong = wrongText(payload, OUTCOME_TEXTS);
  if (wrong !== undefined) return wrong;
  const call = settledCall(payload);
  if (call === undefined)
    return bad('The payload lacks "ticket", or "tool_call_id" or "tool_name" with "session_id".');
  const given = getOwn(payload, 'status');
  if (given === undefined) return bad(`The payload lacks "status", one of ${STATUSES.join(', ')}.`);
  const status = STATUSES.find((known) => known === given);
  if (status === undefined)
    return bad(`"status" must be one of ${STATUSES.join(', ')}, not ${shown(given)}.`);
  const result = getOwn(payload, 'result') ?? '';
  const errorType = textOf(payload, 'error_type');
  return succeed({
    call,
    status,
    result: typeof result === 'string' ? result : JSON.stringify(result),
    ...(errorType === undefined ? {} : { errorType }),
  });
}

/** Reads the payload of `gate context`: `session_id`. */
export function parseForeignSession(payload: JsonValue): Parsed<string> {
  if (!isJsonObject(payload)) return notAnObject(payload);
  const wrong = wrongText(payload, ['session_id']);
  if (wrong !== undefined) return wrong;
  const sessionId = textOf(payload, 'session_id');
  return sessionId === undefined ? bad('The payload lacks "session_id".') : succeed(sessionId);
}

function settledCall(payload: JsonObject): SettledCall | undefined {
  const ticket = textOf(payload, 'ticket');
  if (ticket !== undefined) return { ticket };
  const [callId, sessionId] = [textOf(payload, 'tool_call_id'), textOf(payload, 'session_id')];
  const tool = textOf(payload, 'tool_name') ?? textOf(payload, 'tool');
  if (sessionId === undefined) return undefined;
  if (callId !== undefined) return { callId, sessionId };
  if (tool === undefined) return undefined;
  const args = getOwn(payload, 'tool_input') ?? getOwn(payload, 'args');
  return { tool, sessionId, ...(isJsonObject(args) ? { args } : {}) };
}

/** The text under `name`; undefined when it is left out or empty. */
function textOf(payload: JsonObject, name: string): string | undefined {
  const text = getString(payload, name);
  return text === '' ? undefined : text;
}

/** The first of the fields that is there and is no text. */
function wrongText(payload: JsonObject, names: readonly string[]): Failure<'bad_payload'> | undefined {
  for (const name of names) {
    const value = getOwn(payload, name) ?? '';
    if (typeof value !== 'string') return bad(`"${name}" must be a string, not ${shown(value)}.`);
  }
  return undefined;
}

function isPid(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function notAnObject(payload: JsonValue): Failure<'bad_payload'> {
  return bad(`The payload must be a JSON object, not ${shown(payload)}.`);
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function bad(message: string): Failure<'bad_payload'> {
  return fail('bad_payload', message, 'See `herma gate --help` for the fields.');
}
