import {
  type ForeignDecision,
  type ForeignGate,
  parseForeignCall,
  parseForeignOutcome,
  parseForeignSession,
} from '../../../gate/index.ts';
import { type Failure, fail, messageOf, type Result } from '../../../kernel/errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { errorDocument } from '../create-context.ts';
import { toFailure } from '../describe-failure.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { textOption } from '../inputs.ts';
import { openRuntime } from '../runtime/open-runtime.ts';
import { readJsonInput } from '../runtime/read-json-input.ts';
import type { Verb, VerbContext } from '../verb.ts';

const agent = textOption('--agent <name>', 'the agent that calls (by default "foreign")');
const options = [agent];

/** Fails closed: whatever keeps it from deciding, the answer is a block. */
const before: Verb = {
  name: 'before',
  summary: 'decide about a tool call that another program is about to make',
  details: `Reads {"tool_name", "tool_input", "session_id"?, "turn_id"?, "tool_call_id"?, "cwd"?, "owner_pid"?, "approved"?} as JSON and prints
{"decision": "allow" | "block" | "ask", "reason", "tool_input", "ticket", "warnings"?}. The call is to run with the "tool_input" of the answer.
On "ask" a person decides: after a yes run the call, or come back for the same call with the ticket as "approved".
Give the ticket to \`herma gate after\` when the call has ended.
Exit code 0: allowed. 1: blocked, or a person is to be asked. 2: nothing could be decided, which is a block; the answer says so too.`,
  example: `echo '{"tool_name":"Bash","tool_input":{"command":"ls"},"session_id":"s1"}' | herma gate before`,
  options,
  run: async (context) => {
    let payload: JsonValue = null;
    try {
      const input = await readJsonInput(context, '{"tool_name": "Bash", "tool_input": {"command": "ls"}}');
      if (input.ok) payload = input.value;
      const decided = input.ok ? await decide(context, payload) : input;
      if (decided.ok) return answer(context, decided.value);
      printUndecided(context, payload, decided);
      return context.fail(decided);
    } catch (error) {
      const interrupted = fail('interrupted', messageOf(error), 'Ask again.');
      printUndecided(context, payload, context.signal.aborted ? interrupted : toFailure(error));
      throw error;
    }
  },
};

const after: Verb = {
  name: 'after',
  summary: 'tell how a tool call of another program has ended',
  details: `Reads {"ticket", or "tool_call_id" or "tool_name" (and "tool_input"?) with "session_id", "status": "ok" | "error" | "blocked" | "cancelled", "result"?, "error_type"?} as JSON
and prints {"ok": true, "warnings"?}.
Exit code 2 for a call that is not open (any more).`,
  example: `echo '{"ticket":"tkt_…","status":"ok","result":"done"}' | herma gate after`,
  options,
  run: async (context) => {
    const input = await readJsonInput(context, '{"ticket": "tkt_…", "status": "ok"}');
    const outcome = input.ok ? parseForeignOutcome(input.value) : input;
    if (!outcome.ok) return failWithDocument(context, outcome);
    const settled = await withGate(context, context.paths.home, (gate) =>
      gate.after(outcome.value, context.signal),
    );
    if (!settled.ok) return failWithDocument(context, settled);
    context.printJson({ ok: true, ...warned(settled.value.warnings) });
    return EXIT.done;
  },
};

const contextVerb: Verb = {
  name: 'context',
  summary: 'print what the model of another program is to read before its next turn',
  details:
    'Reads {"session_id"} as JSON and prints {"context", "warnings"?}; the context is empty when there is nothing to say.',
  example: `echo '{"session_id":"s1"}' | herma gate context`,
  options,
  run: async (context) => {
    const input = await readJsonInput(context, '{"session_id": "s1"}');
    const session = input.ok ? parseForeignSession(input.value) : input;
    if (!session.ok) return failWithDocument(context, session);
    const told = await withGate(context, context.paths.home, async (gate) => ({
      ok: true,
      value: await gate.context(session.value, context.signal),
    }));
    if (!told.ok) return failWithDocument(context, told);
    context.printJson({ context: told.value.context, ...warned(told.value.warnings) });
    return EXIT.done;
  },
};

export const verb: Verb = {
  name: 'gate',
  summary: 'put the tool calls of any other program through the gate',
  details:
    'The program calls "before" ahead of each tool call and "after" behind it; both speak JSON on standard input and output.',
  example: `echo '{"tool_name":"Bash","tool_input":{"command":"ls"}}' | herma gate before`,
  subcommands: [before, after, contextVerb],
};

async function decide(context: VerbContext, payload: JsonValue): Promise<Result<ForeignDecision>> {
  const call = parseForeignCall(payload, { cwd: () => context.workingDirectory(), newId: randomId });
  if (!call.ok) return call;
  return withGate(context, call.value.cwd, (gate) => gate.before(call.value, context.signal));
}

/**
 * A home that cannot be written keeps nobody from reading: what has an effect is blocked because it cannot be recorded.
 *
 * @param cwd absolute; not the folder the person is in, which the call that has ended may have removed.
 */
async function withGate<Value>(
  context: VerbContext,
  cwd: string,
  use: (gate: ForeignGate) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const runtime = await openRuntime(context, { surface: 'gate', cwd, mayNotWrite: true });
  if (!runtime.ok) return runtime;
  try {
    return await use(await runtime.value.foreignGate(context.get(agent) ?? 'foreign'));
  } finally {
    await runtime.value.close();
  }
}

function answer(context: VerbContext, decided: ForeignDecision): ExitCode {
  const { decision, reason, toolInput, ticket, warnings } = decided;
  context.printJson({ decision, reason, tool_input: toolInput, ticket, ...warned(warnings) });
  return decision === 'allow' ? EXIT.done : EXIT.no;
}

/** For callers that look at the answer and not at the exit code. */
function printUndecided(context: VerbContext, payload: JsonValue, failure: Omit<Failure, 'ok'>): void {
  context.printJson({
    decision: 'block',
    reason: `Nothing could be decided: ${failure.message}`,
    tool_input: isJsonObject(payload) ? (getOwn(payload, 'tool_input') ?? null) : null,
    ticket: '',
    ...errorDocument(failure),
  });
}

function failWithDocument(context: VerbContext, failure: Omit<Failure, 'ok'>): ExitCode {
  context.printJson({ ok: false, ...errorDocument(failure) });
  return context.fail(failure);
}

function warned(warnings: readonly string[]): JsonObject {
  return warnings.length === 0 ? {} : { warnings };
}
