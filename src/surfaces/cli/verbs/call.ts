import type { Runtime } from '../../../app/index.ts';
import type { CallReport } from '../../../gate/index.ts';
import { type Failure, fail, messageOf, type Result, succeed } from '../../../kernel/errors/index.ts';
import {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../kernel/json/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import { EXIT } from '../exit-code.ts';
import { openRuntime } from '../runtime/open-runtime.ts';
import { readJsonInput } from '../runtime/read-json-input.ts';
import type { Verb, VerbContext } from '../verb.ts';

const EXPECTED = '{"tool": "read_file", "args": {"path": "a.txt"}}';

export const verb: Verb = {
  name: 'call',
  summary: 'take one tool call from standard input through the gate and run it',
  details: `Reads {"tool", "args", "session_id"?, "turn_id"?, "call_id"?, "cwd"?} as JSON ("session" and "turn" are understood too) and prints
{"status": "ok" | "error" | "blocked", "executed", "blocked", "message", "args", "result", "warnings", "call_id"}, with the arguments as they finally were.
Nobody can be asked: a call that waits for a person is blocked, unless it was approved for longer before. What it starts in the background ends with this command.
Exit code 1 when the call was blocked or failed, 2 when there was no call to make.`,
  example: `echo '{"tool":"read_file","args":{"path":"a.txt"}}' | herma call`,
  run: async (context) => {
    const input = await readJsonInput(context, EXPECTED);
    const given = input.ok ? parseCall(input.value) : input;
    if (!given.ok) return context.fail(given);
    const folder = await folderOf(given.value.cwd, context);
    if (!folder.ok) return context.fail(folder);
    const warnings = given.value.unknown.map((name) => `"${name}" is not understood and was ignored.`);
    const onWarning = (line: string): void => void warnings.push(line);
    const opened = await openRuntime(context, { surface: 'call', cwd: folder.value, onWarning });
    if (!opened.ok) return context.fail(opened);
    const report = await callAndClose(opened.value, {
      call: { ...given.value, cwd: folder.value },
      context,
      onWarning,
    });
    if (isStartedInBackground(report)) onWarning(ENDED);
    context.printJson(documentOf(report, warnings));
    return report.status === 'ok' ? EXIT.done : EXIT.no;
  },
};

const ENDED =
  'What was started in the background was ended with this command; `herma chat` keeps it running.';

/** Said instead of a tool that is not there: its server may have been about to answer. */
const CANCELLED = 'The call was cancelled before it ran.';

/** A call as it was given. */
interface GivenCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly callId?: string;
  readonly cwd?: string;
  /** Names of fields that mean nothing. */
  readonly unknown: readonly string[];
}

/** Every field that is a text, under the names it goes by. */
const TEXTS = {
  sessionId: ['session_id', 'session'],
  turnId: ['turn_id', 'turn'],
  callId: ['call_id'],
  cwd: ['cwd'],
} as const;
const KNOWN = new Set(['tool', 'args', ...Object.values(TEXTS).flat()]);

function parseCall(input: JsonValue): Result<GivenCall, 'bad_call'> {
  if (!isJsonObject(input)) return bad(`The call must be a JSON object, not ${shown(input)}.`);
  const tool = getOwn(input, 'tool');
  if (tool === undefined) return bad('The call lacks "tool", the name of a tool.');
  if (typeof tool !== 'string' || tool === '')
    return bad(`"tool" must be the name of a tool, not ${shown(tool)}.`);
  const args = getOwn(input, 'args');
  if (args === undefined) return bad('The call lacks "args", an object.');
  if (!isJsonObject(args)) return bad(`"args" must be an object, not ${shown(args)}.`);
  const texts = new Map<string, string>();
  for (const [key, names] of Object.entries(TEXTS)) {
    const text = readText(input, names);
    if (!text.ok) return text;
    if (text.value !== undefined) texts.set(key, text.value);
  }
  const unknown = Object.keys(input).filter((name) => !KNOWN.has(name));
  return succeed({ tool, args, unknown, ...Object.fromEntries(texts) });
}

/** The text under one of several names; null counts as left out. */
function readText(input: JsonObject, names: readonly string[]): Result<string | undefined, 'bad_call'> {
  const given = names.filter((name) => (getOwn(input, name) ?? null) !== null);
  for (const name of given) {
    const value = getOwn(input, name) ?? null;
    if (typeof value !== 'string' || value === '')
      return bad(`"${name}" must be a text that is not empty, not ${shown(value)}.`);
  }
  const [first, second] = given.map((name) => getString(input, name));
  if (second === undefined || first === second) return succeed(first);
  return bad(
    `${names.map((name) => `"${name}"`).join(' and ')} say different things: ${shown(first ?? null)} and ${shown(second)}.`,
  );
}

/** The absolute path of the folder a call runs in; it has to be there. */
async function folderOf(cwd: string | undefined, context: VerbContext): Promise<Result<string>> {
  if (cwd === undefined) return succeed(context.workingDirectory());
  const folder = cwd.startsWith('/') ? cwd : resolvePath(context.workingDirectory(), cwd);
  const stat = await statPath(folder);
  if (!stat.ok) return stat;
  if (stat.value?.kind === 'directory') return succeed(folder);
  const what = stat.value === undefined ? 'does not exist' : 'is no folder';
  return fail('bad_cwd', `"cwd" ${shown(cwd)} ${what}.`, 'Name a folder that exists, or leave "cwd" out.');
}

interface CallToMake {
  readonly call: GivenCall & { readonly cwd: string };
  readonly context: VerbContext;
  readonly onWarning: (line: string) => void;
}

/** What the call did is told even when something that it started cannot be ended. */
async function callAndClose(runtime: Runtime, { call, context, onWarning }: CallToMake): Promise<CallReport> {
  try {
    const report = await perform(runtime, call, context);
    const isTooLate = context.signal.aborted && report.status === 'error' && !report.executed;
    return isTooLate ? { ...report, status: 'cancelled', message: CANCELLED } : report;
  } finally {
    await runtime.close().catch((error: unknown) => {
      onWarning(`Not everything could be closed: ${messageOf(error)}`);
    });
  }
}

async function perform(
  runtime: Runtime,
  { tool, args, cwd, sessionId, turnId, callId }: CallToMake['call'],
  { stderr, clock, signal }: VerbContext,
): Promise<CallReport> {
  const session = sessionId ?? runtime.newId('ses');
  // Loaded for a terminal only: the measures of its characters take longer to load than a small call takes to run.
  const progress = stderr.isTty
    ? (await import('../output/progress.ts')).startProgress(stderr, clock, tool)
    : undefined;
  try {
    return await runtime.call(
      {
        tool,
        args,
        cwd,
        sessionId: session,
        rootSessionId: session,
        turnId: turnId ?? runtime.newId('turn'),
        callId: callId ?? runtime.newId('call'),
        ordinal: 0,
      },
      signal,
    );
  } finally {
    progress?.stop();
  }
}

function isStartedInBackground({ executed, status, tool, args }: CallReport): boolean {
  return (
    executed &&
    status === 'ok' &&
    tool === 'terminal' &&
    isJsonObject(args) &&
    getOwn(args, 'background') === true
  );
}

function documentOf(report: CallReport, warnings: readonly string[]): Readonly<Record<string, JsonValue>> {
  const { status, executed, message, by, args, text, callId } = report;
  return {
    status: status === 'cancelled' ? 'error' : status,
    executed,
    blocked: status === 'blocked',
    message: by === undefined ? message : `${by}: ${message}`,
    args,
    result: executed ? text : '',
    warnings: [...report.warnings, ...warnings],
    call_id: callId,
  };
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function bad(message: string): Failure<'bad_call'> {
  return fail('bad_call', message, `Expected on standard input: ${EXPECTED}`);
}
