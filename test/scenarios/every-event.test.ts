import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVENT_NAMES, type EventName, isEventName, wireSchema } from '../../src/kernel/events/index.ts';
import { type JsonObject, validateJson } from '../../src/kernel/json/index.ts';
import { type FakeReplies, type ReceivedRequest, textOf } from '../support/fake-openai.ts';
import { eventually } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';
import { Terminal } from '../support/terminal.ts';

/** Events that nothing fires yet, and why. */
const CANNOT_FIRE = new Map<EventName, string>([
  ['pre_gateway_dispatch', 'there is no gateway that could receive a message'],
]);

/** Optional fields that nothing fills yet, and why. */
const NEVER_FILLED = new Map<string, string>([
  ['task_id', 'there are no tasks besides the sessions'],
  ['pre_tool_call.api_request_id', 'the gate does not know which request asked for a call'],
  ['post_tool_call.api_request_id', 'the gate does not know which request asked for a call'],
  ['transform_tool_result.api_request_id', 'the gate does not know which request asked for a call'],
]);

/** Keeps each document it reads as a file of its own, whole from the moment it has its name. */
const RECORDER = `#!/bin/sh
part=$(mktemp "$1/XXXXXXXXXX") && cat >"$part" && mv "$part" "$part.json"
`;

/** Rewrites what is written, so that every guard is asked a second time. */
const REWRITER = `#!/bin/sh
printf '{"action": "modify", "args": {"content": "rewritten"}}'
`;

interface HookDocument {
  readonly hook_event_name: string;
  readonly tool_name: string | null;
  readonly tool_input: JsonObject | null;
  readonly session_id: string;
  readonly cwd: string;
  readonly profile: string;
  readonly extra: JsonObject;
}

interface Fired {
  readonly event: EventName;
  /** The payload as the event table names it. */
  readonly fields: JsonObject;
}

interface Recording extends AsyncDisposable {
  readonly scene: Scene;
  readonly fired: () => readonly Fired[];
}

async function record(replies: FakeReplies = []): Promise<Recording> {
  await using stack = new AsyncDisposableStack();
  const scene = stack.use(await Scene.create({ replies }));
  const folder = join(scene.project, 'events');
  mkdirSync(folder);
  const script = (name: string, text: string): string => {
    const path = join(scene.home, name);
    writeFileSync(path, text);
    chmodSync(path, 0o755);
    return path;
  };
  const recorder = { command: `${script('record.sh', RECORDER)} ${folder}` };
  const rewriter = { command: script('rewrite.sh', REWRITER), matcher: 'write_file', recheck: false };
  const hooks = Object.fromEntries(EVENT_NAMES.map((event) => [event, [recorder]]));
  writeFileSync(
    join(scene.home, 'config.yaml'),
    JSON.stringify({
      approvals: { ask: ['terminal'] },
      hooks_auto_accept: true,
      hooks: { ...hooks, pre_tool_call: [recorder, rewriter] },
    }),
  );
  const all = stack.move();
  const fired = (): readonly Fired[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => firedIn(readFileSync(join(folder, name), 'utf8')));
  return { scene, fired, [Symbol.asyncDispose]: async () => all.disposeAsync() };
}

function firedIn(text: string): Fired {
  const document: HookDocument = JSON.parse(text);
  const { hook_event_name: event, tool_name: tool, tool_input: args, session_id: session, extra } = document;
  if (!isEventName(event)) throw new Error(`there is no event ${event}`);
  const known = fieldsOf(event);
  const sessionField = known.has('session_id') ? 'session_id' : 'parent_session_id';
  return {
    event,
    fields: {
      ...extra,
      ...(tool === null ? {} : { tool_name: tool }),
      ...(args === null ? {} : { args }),
      ...(session === '' ? {} : { [sessionField]: session }),
      ...(known.has('cwd') ? { cwd: document.cwd } : {}),
    },
  };
}

function fieldsOf(event: EventName): ReadonlySet<string> {
  const { properties } = wireSchema(event);
  return new Set(Object.keys(properties ?? {}));
}

/** What is wrong with a payload: fields that lack or have another type, and fields the table does not have. */
function problemsOf({ event, fields }: Fired): readonly string[] {
  const known = fieldsOf(event);
  const strangers = Object.keys(fields).filter((name) => !known.has(name));
  return [
    ...validateJson(wireSchema(event), fields, event).map((problem) => JSON.stringify(problem)),
    ...strangers.map((name) => `${event} has ${name}, which the table does not have`),
  ];
}

function namesOf(fired: readonly Fired[]): readonly EventName[] {
  return [...new Set(fired.map(({ event }) => event))].toSorted();
}

/** A child, an approval, an edit, a failed attempt and one that breaks off, and an answer. */
function session(): FakeReplies {
  const attempts = [
    { status: 500, headers: { 'retry-after': '0' }, body: 'busy' },
    { cutAfter: 'I was going to' },
  ];
  const calls = [
    { id: 'run', name: 'terminal', args: { command: 'echo ran' } },
    { id: 'write', name: 'write_file', args: { path: 'a.txt', content: 'written' } },
    { id: 'delegate', name: 'delegate_task', args: { goal: 'look around' } },
  ];
  return (request: ReceivedRequest) => {
    const last = request.messages.at(-1);
    if (last === undefined || last.role === 'tool') return { text: 'That is done.' };
    if (textOf(last).includes('look around'))
      return { calls: [{ id: 'read', name: 'read_file', args: { path: 'no such file' } }] };
    if (textOf(last) === 'begin') return attempts.shift() ?? { text: 'I begin.', calls };
    return { text: 'Goodbye.' };
  };
}

describe.concurrent('every event', () => {
  it('of a session fires in a chat, with the fields of the table', async () => {
    await using recording = await record(session());
    const { scene, fired } = recording;
    await using terminal = await Terminal.open(scene, ['chat', ...scene.model], { env: { TERM: 'dumb' } });
    await terminal.shows(/^›/m);
    await terminal.enter('begin');
    await terminal.shows('Run it?');
    await terminal.enter('o');
    await terminal.shows('That is done.');
    await terminal.enter('/model');
    await terminal.shows('Model: ');
    await terminal.enter('/new');
    await terminal.shows('New session');
    await terminal.enter('and end');
    await terminal.shows('Goodbye.');
    await eventually(() => {
      const ends = fired().filter(({ event }) => event === 'on_stream_end');
      expect(ends.map(({ fields }) => fields['final_text'])).toContain('Goodbye.');
    });
    await terminal.press('C-d');
    expect((await terminal.ended()).code).toBe(0);

    const all = fired();
    expect(all.flatMap(problemsOf)).toEqual([]);
    const expected = EVENT_NAMES.filter((event) => !CANNOT_FIRE.has(event));
    expect(namesOf(all)).toEqual(expected.toSorted());
    expect(unfilled(all)).toEqual([]);
    expect(scene.read('a.txt')).toBe('rewritten');
  });

  it('of a call fires without a session too: in herma call, and in herma gate', async () => {
    await using recording = await record();
    const { scene, fired } = recording;
    const run = async (args: readonly string[], document: object): Promise<JsonObject> => {
      const { stdout } = await scene.run(args, { stdin: JSON.stringify(document) });
      const answer: JsonObject = JSON.parse(stdout);
      return answer;
    };
    await run(['call'], { tool: 'read_file', args: { path: 'no such file' } });
    expect(namesOf(fired())).toEqual(['post_tool_call', 'pre_tool_call', 'transform_tool_result']);
    const ids = { session_id: 's1', tool_call_id: 'c1' };
    const { ticket } = await run(['gate', 'before'], { tool_name: 'Bash', tool_input: {}, ...ids });
    await run(['gate', 'after'], { ticket: ticket ?? '', status: 'ok', result: 'done' });
    await run(['gate', 'context'], { session_id: 's1' });
    const ofGate = fired().filter(({ fields }) => fields['session_id'] === 's1');
    expect(namesOf(ofGate)).toEqual([
      'post_tool_call',
      'pre_llm_call',
      'pre_tool_call',
      'transform_tool_result',
    ]);
    expect(fired().flatMap(problemsOf)).toEqual([]);
  });
});

/** Fields of the table that no payload had, and those that had to be missing and were there. */
function unfilled(fired: readonly Fired[]): readonly string[] {
  return namesOf(fired).flatMap((event) => {
    const filled = new Set(fired.flatMap((each) => (each.event === event ? Object.keys(each.fields) : [])));
    const isNever = (name: string): boolean => NEVER_FILLED.has(name) || NEVER_FILLED.has(`${event}.${name}`);
    return [...fieldsOf(event)]
      .filter((name) => filled.has(name) === isNever(name))
      .map((name) => `${event}.${name} is ${filled.has(name) ? 'filled' : 'never filled'}`);
  });
}
