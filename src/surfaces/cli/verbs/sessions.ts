import {
  encodeMessageArray,
  type Message,
  openSessionStore,
  parseMessageArray,
  repairMessageArray,
  type SessionStore,
  type SessionSummary,
  type StoredMessage,
} from '../../../agent/sessions/index.ts';
import { type Failure, fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { describeCall } from '../../../kernel/tool-call/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import { EXIT } from '../exit-code.ts';
import { flagOption, integerOption, textArgument } from '../inputs.ts';
import { type Column, formatTable } from '../output/format-table.ts';
import { printable, printableLine } from '../output/printable.ts';
import { relativeTime } from '../output/relative-time.ts';
import { readJsonInput } from '../runtime/read-json-input.ts';
import { readOnlyTools } from '../runtime/read-only-tools.ts';
import type { Verb, VerbContext } from '../verb.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100_000;
/** Lines of a tool's result that are shown without `--verbose`. */
const RESULT_LINES = 20;

const limit = integerOption('-n, --limit <n>', `how many (${String(DEFAULT_LIMIT)} by default)`, {
  min: 1,
  max: MAX_LIMIT,
});
const here = flagOption('--here', 'only sessions of this folder');
const all = flagOption(
  '--all',
  'also delegated sessions, and those that were condensed and continued in another',
);
const id = textArgument('id', 'the session', { completion: 'session-ids' });
const title = textArgument('title', 'the new title; an empty one takes it away');

const list: Verb = {
  name: 'list',
  summary: 'list the sessions, the last used first',
  example: 'herma sessions list --here',
  options: [limit, here, all],
  run: async (context) => {
    const sessions = await withStore<readonly SessionSummary[]>(context, succeed([]), (store) =>
      store.list({
        limit: context.get(limit) ?? DEFAULT_LIMIT,
        everything: context.get(all),
        ...(context.get(here) ? { cwd: context.workingDirectory() } : {}),
      }),
    );
    if (!sessions.ok) return context.fail(sessions);
    if (context.json) context.printJson(sessions.value.map(documentOf));
    else if (sessions.value.length === 0) context.note('there are no sessions yet');
    else for (const line of tableOf(sessions.value, context)) context.print(line);
    return EXIT.done;
  },
};

const show: Verb = {
  name: 'show',
  summary: 'print the messages of a session',
  details: `Long results of tools are shortened; --verbose shows them in full. With --json all messages, as \`herma sessions repair\` takes them.`,
  example: 'herma sessions show ses_0mik1x2y3z',
  arguments: [id],
  run: async (context) => {
    const messages = await withStore(context, noSession(context), (store) => store.load(context.get(id)));
    if (!messages.ok) return context.fail(messages);
    if (context.json) context.printJson(messages.value.map(messageDocument));
    else for (const { message } of messages.value) printMessage(message, context);
    return EXIT.done;
  },
};

const rename: Verb = {
  name: 'rename',
  summary: 'give a session a title',
  example: 'herma sessions rename ses_0mik1x2y3z "the login bug"',
  arguments: [id, title],
  run: async (context) => {
    const session = await withStore(context, noSession(context), (store) => {
      const renamed = store.rename(context.get(id), context.get(title));
      return renamed.ok ? store.get(context.get(id)) : renamed;
    });
    if (!session.ok) return context.fail(session);
    const { id: sessionId, title: given } = session.value;
    if (context.json) context.printJson({ id: sessionId, title: given ?? null });
    else
      context.print(
        given === undefined ? `${sessionId} has no title` : `${sessionId}: ${printableLine(given)}`,
      );
    return EXIT.done;
  },
};

const repair: Verb = {
  name: 'repair',
  summary: 'print a list of messages as it would be sent to a model',
  details: `Reads a JSON array of messages in the form of Anthropic, of OpenAI or of \`herma sessions show --json\`, and prints it in the same form: every tool call is answered exactly once, right behind it.
A call without a result gets one that tells the truth, results without a call are left out, and what needs no repair stays as it is.`,
  example: 'herma sessions repair <messages.json >repaired.json',
  run: async (context) => {
    const input = await readJsonInput(context, '[{"role": "user", "content": "…"}, …]');
    const messages = input.ok ? parseMessageArray(input.value) : input;
    if (!messages.ok) return context.fail(messages);
    const repaired = repairMessageArray(messages.value, { readOnlyTools: readOnlyTools(context.clock) });
    context.printJson(encodeMessageArray(repaired));
    return EXIT.done;
  },
};

export const verb: Verb = {
  name: 'sessions',
  summary: 'list, read and rename sessions, and repair lists of messages',
  example: 'herma sessions list',
  subcommands: [list, show, rename, repair],
};

/** @param absent the outcome where no session was ever stored. */
async function withStore<Value>(
  { paths, clock }: VerbContext,
  absent: Result<Value>,
  use: (store: SessionStore) => Result<Value>,
): Promise<Result<Value>> {
  const stat = await statPath(paths.stateDatabase);
  if (!stat.ok) return stat;
  if (stat.value === undefined) return absent;
  const store = openSessionStore({ path: paths.stateDatabase, clock });
  if (!store.ok) return store;
  try {
    return use(store.value);
  } finally {
    store.value.close();
  }
}

function noSession(context: VerbContext): Failure {
  const message = `There is no session ${JSON.stringify(context.get(id))}; none was stored yet.`;
  return fail('no_such_session', message, '`herma chat` begins one.');
}

function tableOf(
  sessions: readonly SessionSummary[],
  { clock, colours, stdout }: VerbContext,
): readonly string[] {
  const columns: readonly Column<SessionSummary>[] = [
    { title: 'ID', text: (session) => session.id },
    { title: 'LAST USED', text: ({ lastActiveAtMs }) => relativeTime(lastActiveAtMs, clock.now()) },
    { title: 'MESSAGES', text: ({ messageCount }) => String(messageCount), align: 'right' },
    { title: 'TITLE', text: (session) => session.title ?? session.firstWords, shrinks: true },
    { title: 'FOLDER', text: ({ cwd }) => displayPath(cwd), shrinks: true },
  ];
  return formatTable(sessions, columns, { columns: stdout.columns, paintTitle: colours.strong });
}

function documentOf(session: SessionSummary): JsonObject {
  return {
    id: session.id,
    root_session_id: session.rootSessionId,
    parent_session_id: session.parentSessionId ?? null,
    source: session.source,
    model: session.model ?? null,
    title: session.title ?? null,
    first_words: session.firstWords,
    cwd: session.cwd,
    started_at: isoTime(session.startedAtMs),
    last_active_at: isoTime(session.lastActiveAtMs),
    ended_at: session.endedAtMs === undefined ? null : isoTime(session.endedAtMs),
    end_reason: session.endReason ?? null,
    message_count: session.messageCount,
    tool_call_count: session.toolCallCount,
  };
}

/** The message itself, so that `repair` takes it, and what is stored with it. */
function messageDocument({ message, turnId, timestampMs }: StoredMessage): object {
  return { ...message, turnId, timestamp: isoTime(timestampMs) };
}

/** Null for what is no time, as in a damaged row. */
function isoTime(ms: number): string | null {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null;
}

function printMessage(message: Message, context: VerbContext): void {
  const { strong, accent } = context.colours;
  const print = (text: string): void => {
    for (const line of printable(text).split('\n')) context.print(line === '' ? '' : `  ${line}`);
  };
  switch (message.role) {
    case 'user':
      context.print(strong(message.synthetic === undefined ? 'user' : `user (${message.synthetic})`));
      print(message.text);
      break;
    case 'assistant':
      context.print(strong(message.pushedBack === true ? 'assistant (pushed back)' : 'assistant'));
      if (message.text !== '') print(message.text);
      for (const { tool, args, rawArgs } of message.calls)
        context.print(
          `  ${accent(`→ ${printableLine(describeCall({ tool, args: args ?? {} }))}`)}${rawArgs === undefined ? '' : ' (arguments that are no JSON)'}`,
        );
      break;
    case 'tool':
      context.print(strong(printableLine(`${message.tool} (${message.status})`)));
      print(context.verbose ? message.text : firstLines(message.text, RESULT_LINES));
      break;
  }
  context.print();
}

function firstLines(text: string, count: number): string {
  const lines = text.split('\n');
  if (lines.length <= count) return text;
  return [
    ...lines.slice(0, count),
    `[${String(lines.length - count)} more lines; --verbose shows them]`,
  ].join('\n');
}
