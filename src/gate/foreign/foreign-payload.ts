import { type Failure, fail, succeed } from '../../kernel/errors/index.ts';
import { getOwn, getString, isJsonObject, type JsonValue } from '../../kernel/json/index.ts';

/** What another program says of a call it is about to make. */
export interface ForeignCall {
  readonly tool: string;
  readonly args: JsonValue;
  readonly sessionId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly cwd: string;
  /** The program that can still settle the call. */
  readonly ownerPid?: number;
  /** The ticket of an earlier `ask` for the same call, which a person has since approved. */
  readonly approved?: string;
}

/** What another program says of a call that has ended. */
export interface ForeignOutcome {
  readonly call: { readonly ticket: string } | { readonly callId: string; readonly sessionId: string };
  readonly status: 'ok' | 'error' | 'blocked' | 'cancelled';
  readonly result: string;
  readonly errorType?: string;
}

type Parsed<Value> = { readonly ok: true; readonly value: Value } | Failure<'bad_payload'>;

/**
 * Reads the payload of `gate before`. Arguments may stand under `tool_input` (the wire's name) or `args`.
 *
 * @param defaults what an absent `cwd`, `session_id` and `tool_call_id` read as.
 */
export function parseForeignCall(
  payload: JsonValue,
  defaults: { readonly cwd: string; readonly newId: (prefix: string) => string },
): Parsed<ForeignCall> {
  if (!isJsonObject(payload)) return bad('The payload must be a JSON object.');
  const tool = getString(payload, 'tool_name') ?? getString(payload, 'tool');
  if (tool === undefined || tool === '') return bad('The payload lacks "tool_name".');
  const args = getOwn(payload, 'tool_input') ?? getOwn(payload, 'args');
  if (!isJsonObject(args)) return bad('The payload lacks "tool_input", an object.');
  for (const name of ['session_id', 'turn_id', 'tool_call_id', 'cwd', 'approved']) {
    const value = getOwn(payload, name);
    if (value !== undefined && value !== null && typeof value !== 'string')
      return bad(`"${name}" must be a string, not ${JSON.stringify(value)}.`);
  }
  const ownerPid = getOwn(payload, 'owner_pid') ?? undefined;
  if (ownerPid !== undefined && !isPid(ownerPid))
    return bad(`"owner_pid" must be a process id, not ${JSON.stringify(ownerPid)}.`);
  const cwd = getString(payload, 'cwd') ?? defaults.cwd;
  if (!cwd.startsWith('/')) return bad(`"cwd" must be an absolute path, not ${JSON.stringify(cwd)}.`);
  const approved = getString(payload, 'approved');
  return succeed({
    tool,
    args,
    sessionId: getString(payload, 'session_id') ?? 'unknown',
    turnId: getString(payload, 'turn_id') ?? 'unknown',
    callId: getString(payload, 'tool_call_id') ?? defaults.newId('call'),
    cwd,
    ...(ownerPid === undefined ? {} : { ownerPid }),
    ...(approved === undefined ? {} : { approved }),
  });
}

/** Reads the payload of `gate after`. */
export function parseForeignOutcome(payload: JsonValue): Parsed<ForeignOutcome> {
  if (!isJsonObject(payload)) return bad('The payload must be a JSON object.');
  const ticket = getString(payload, 'ticket');
  const [callId, sessionId] = [getString(payload, 'tool_call_id'), getString(payload, 'session_id')];
  const call =
    ticket !== undefined
      ? { ticket }
      : callId !== undefined && sessionId !== undefined
        ? { callId, sessionId }
        : undefined;
  if (call === undefined) return bad('The payload lacks "ticket", or "tool_call_id" with "session_id".');
  const status = getOwn(payload, 'status');
  if (status !== 'ok' && status !== 'error' && status !== 'blocked' && status !== 'cancelled') {
    return bad(`"status" must be ok, error, blocked or cancelled, not ${JSON.stringify(status ?? null)}.`);
  }
  const result = getOwn(payload, 'result') ?? '';
  const errorType = getString(payload, 'error_type');
  return succeed({
    call,
    status,
    result: typeof result === 'string' ? result : JSON.stringify(result),
    ...(errorType === undefined ? {} : { errorType }),
  });
}

function isPid(value: JsonValue): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function bad(message: string): Failure<'bad_payload'> {
  return fail('bad_payload', message, 'See `herma gate --help` for the fields.');
}
