import { describe, expect, it } from 'vitest';
import { Scene } from '../support/scene.ts';

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

interface ApiMessage {
  readonly role: string;
  readonly content: readonly Block[];
}

const USER = { role: 'user', content: [{ type: 'text', text: 'go' }] };
const SUMMARY = { role: 'user', content: [{ type: 'text', text: '[summary of earlier turns]' }] };

const use = (...ids: readonly string[]): ApiMessage => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'terminal', input: { command: 'x' } })),
});
const result = (...ids: readonly string[]): ApiMessage => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `REAL-${id}` })),
});

async function repair(scene: Scene, messages: readonly object[] | string): Promise<string> {
  const stdin = typeof messages === 'string' ? messages : JSON.stringify(messages);
  const { code, stdout, stderr } = await scene.run(['sessions', 'repair'], { stdin });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** What the Messages API would refuse in a list; nothing when it takes it. */
function faultsOf(messages: readonly ApiMessage[]): readonly string[] {
  const of = (index: number, type: string): readonly Block[] =>
    (messages[index]?.content ?? []).filter((block) => block.type === type);
  const seen = new Set<string>();
  const faults = messages.flatMap(({ role }, index) => {
    const uses = of(index, 'tool_use').flatMap(({ id = '' }) => {
      const answers = of(index + 1, 'tool_result').filter((block) => block.tool_use_id === id).length;
      const found = [
        ...(seen.has(id) ? [`${id} is used twice`] : []),
        ...(answers === 1 ? [] : [`${id} has ${String(answers)} results`]),
      ];
      seen.add(id);
      return found;
    });
    const orphans = of(index, 'tool_result')
      .filter((block) => !of(index - 1, 'tool_use').some(({ id }) => id === block.tool_use_id))
      .map((block) => `${String(block.tool_use_id)} is an orphan`);
    return [
      ...uses,
      ...orphans,
      ...(role === messages[index - 1]?.role ? [`the same role twice at ${String(index)}`] : []),
    ];
  });
  return messages[0]?.role === 'user' ? faults : [...faults, 'it must start with user'];
}

/** Field report LG01: one unpaired tool call makes the session unusable for ever. */
describe.concurrent('herma sessions repair', () => {
  it.each<[string, readonly object[], RegExp]>([
    ['a crash before the result', [USER, use('a1')], /effect is unknown/],
    [
      'one of two parallel results missing',
      [USER, use('a1', 'a2'), result('a1')],
      /REAL-a1[^]*effect is unknown/,
    ],
    ['a compaction that cut off the call', [SUMMARY, use('a9'), use('b1'), result('b1')], /REAL-b1/],
    ['an orphan after a summary', [SUMMARY, result('a9'), use('b1'), result('b1')], /REAL-b1/],
    ['a summary between call and result', [USER, use('c1'), SUMMARY, result('c1')], /REAL-c1/],
    ['a result that came twice', [USER, use('d1'), result('d1'), result('d1')], /REAL-d1/],
    ['a history that starts with a call', [use('e1'), result('e1')], /REAL-e1/],
    ['new words before the late result', [USER, use('f1'), USER, result('f1')], /REAL-f1/],
    [
      'an id that is used twice',
      [USER, use('g1'), result('g1'), use('g1'), result('g1')],
      /REAL-g1[^]*REAL-g1/,
    ],
  ])('mends %s, and changes nothing the second time', async (_title, messages, kept) => {
    await using scene = await Scene.create();
    const repaired = await repair(scene, messages);
    const list: readonly ApiMessage[] = JSON.parse(repaired);
    expect(faultsOf(messages as readonly ApiMessage[])).not.toEqual([]);
    expect(faultsOf(list)).toEqual([]);
    expect(repaired).toMatch(kept);
    expect(await repair(scene, repaired)).toBe(repaired);
  });

  it('passes a healthy transcript through unchanged', async () => {
    await using scene = await Scene.create();
    const healthy = [USER, use('h1', 'h2'), result('h1', 'h2')];
    expect(faultsOf(healthy)).toEqual([]);
    expect(await repair(scene, healthy)).toBe(`${JSON.stringify(healthy)}\n`);
  });

  it('refuses what is no list of messages, exit 2, naming the place', async () => {
    await using scene = await Scene.create();
    const stdin = JSON.stringify([USER, { role: 'robot', content: [] }]);
    const { code, stdout, stderr } = await scene.run(['sessions', 'repair'], { stdin });
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/^herma: messages\[1\]\.role must be/),
    ]);
  });
});

describe('the sessions of herma chat', () => {
  it('are listed, shown, renamed, and pass through repair unchanged', async () => {
    await using scene = await Scene.create({
      replies: [
        { calls: [{ id: 'c1', name: 'write_file', args: { path: 'a.txt', content: 'hi\n' } }] },
        { text: 'It is done.' },
      ],
    });
    expect((await scene.run(['sessions', 'list'])).stderr).toBe('there are no sessions yet\n');
    expect((await scene.ask('create a.txt')).code).toBe(0);
    const { stdout } = await scene.run(['sessions', 'list', '--json']);
    const [session]: readonly {
      readonly id: string;
      readonly cwd: string;
      readonly message_count: number;
    }[] = JSON.parse(stdout);
    expect(session).toMatchObject({ cwd: scene.project, first_words: 'create a.txt', message_count: 4 });
    const id = session?.id ?? '';
    const shown = await scene.run(['sessions', 'show', id]);
    expect(shown.stdout).toMatch(
      /user\n {2}create a\.txt[^]*→ write_file: a\.txt[^]*write_file \(ok\)[^]*It is done\./,
    );
    const messages = (await scene.run(['sessions', 'show', id, '--json'])).stdout;
    expect(await repair(scene, messages)).toBe(messages);
    await scene.run(['sessions', 'rename', id, 'the first one']);
    expect((await scene.run(['sessions', 'list'])).stdout).toContain('the first one');
  });
});
