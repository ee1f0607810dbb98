import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FakeReplies, resultsIn } from '../support/fake-openai.ts';
import type { HermaExit } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';

const CORPUS = new URL('../../src/shell/analysis/fixtures/policy.tsv', import.meta.url);
/** Where the corpus plays; its first line says so. Nothing of it is on this machine. */
const PLACE = ['--cwd', '/home/u/proj', '--home-dir', '/home/u'];
const SECRET = `ghp_${'a1B2'.repeat(9)}`;

interface Row {
  readonly id: string;
  readonly verdict: string;
  readonly command: string;
}

function corpus(): readonly Row[] {
  const lines = readFileSync(CORPUS, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [id = '', verdict = '', , ...rest] = line.split('\t');
      const command = rest.join('\t').replaceAll('␊', '\n').replaceAll('<U+202E>', '\u202e');
      return { id, verdict, command };
    });
}

/** The rows of which the program says something else than expected. */
async function judged(
  rows: readonly Row[],
  expected: (row: Row) => string,
  args: readonly string[] = [],
): Promise<readonly string[]> {
  await using scene = await Scene.create();
  const stdin = rows.map(({ command }) => `${JSON.stringify(command)}\n`).join('');
  const { code, stdout, stderr } = await scene.run(['policy', 'check', '--stdin', ...PLACE, ...args], {
    stdin,
  });
  expect([code, stderr]).toEqual([0, '']);
  const verdicts = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly verdict: string }).verdict);
  expect(verdicts).toHaveLength(rows.length);
  return rows.flatMap((row, index) =>
    verdicts[index] === expected(row) ? [] : [`${row.id}: ${String(verdicts[index])}, not ${expected(row)}`],
  );
}

describe.concurrent('herma policy check', () => {
  it('says of every command of the corpus what is written there', async () => {
    const rows = corpus();
    expect(rows.length).toBeGreaterThan(180);
    expect(await judged(rows, ({ verdict }) => verdict)).toEqual([]);
  });

  it('blocks what is asked about where nobody can be asked', async () => {
    const rows = corpus().filter(({ verdict }) => verdict === 'ask');
    expect(await judged(rows, () => 'block', ['--unattended'])).toEqual([]);
  });

  it('leaves no trace', async () => {
    await using scene = await Scene.create();
    const before = [readdirSync(scene.home), readdirSync(scene.project)];
    const { code, stdout } = await scene.run(['policy', 'check', 'cat ~/.ssh/id_rsa', '--json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { verdict: 'block', rule: 'cred-read' }]);
    expect([readdirSync(scene.home), readdirSync(scene.project)]).toEqual(before);
  });
});

const RULE = {
  id: 'no-marker',
  severity: 'high',
  decision: 'block',
  when: { 'argv.prefix': ['touch', 'marker'] },
  message: 'Write notes.txt instead of a marker.',
  tests: { hit: ['touch marker'], miss: ['touch other'] },
};

/** A scene with a policy of one rule, whose model runs a command and then says that it is done. */
async function sceneWith(command: string, mode: string, config = ''): Promise<Scene> {
  const replies: FakeReplies = ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { text: 'So be it.' }
      : { calls: [{ id: 'c1', name: 'terminal', args: { command } }] };
  const scene = await Scene.create({ config, replies });
  const folder = join(scene.home, 'plugin-data/agent-ledger');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, text: string): void =>
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('policy.json', JSON.stringify({ version: 1, rules: [RULE] }));
  write('policy_mode', `${mode}\n`);
  return scene;
}

async function reportOf(scene: Scene): Promise<unknown> {
  const { stdout } = await scene.run(['policy', 'report', '--since', '1h', '--json']);
  const report: unknown = JSON.parse(stdout);
  return report;
}

const COMMAND = `touch marker # ${SECRET}`;

describe.concurrent('a rule', () => {
  it('that is enforced keeps a call from running, with a reason for the model', async () => {
    await using scene = await sceneWith(COMMAND, 'enforce');
    expect((await scene.ask('mark it')).code).toBe(0);
    expect(scene.read('marker')).toBeUndefined();
    expect(resultsIn(await scene.server.received(2))).toEqual([
      [
        'c1',
        expect.stringMatching(/^BLOCKED by .*policy rule no-marker: .*Write notes\.txt instead of a marker/),
      ],
    ]);
    expect(await reportOf(scene)).toMatchObject({
      total: 1,
      rules: [{ rule: 'no-marker', raw: { block: 1, ask: 0 }, effective: { held: 1, passed: 0 } }],
    });
  });

  it('that is tried in dry_run lets it run, and the report shows what it would have done', async () => {
    await using scene = await sceneWith(COMMAND, 'dry_run');
    expect((await scene.ask('mark it')).code).toBe(0);
    expect((await scene.ask('mark it')).code).toBe(0);
    expect(scene.read('marker')).toBe('');
    expect(await reportOf(scene)).toMatchObject({
      total: 2,
      held: 0,
      passed: 2,
      rules: [
        {
          rule: 'no-marker',
          severity: 'high',
          raw: { block: 2, ask: 0 },
          effective: { held: 0, passed: 2 },
          calls: [{ tool: 'terminal', text: expect.stringContaining('touch marker'), count: 2 }],
        },
      ],
    });
    const { stdout } = await scene.run(['policy', 'report']);
    expect(stdout).toMatch(/no-marker {2}high {2}enforced: 2 block.*2 passed\n +2 × .*touch marker/);
    expect(stdout).not.toContain(SECRET);
  });

  it('of policy.json does nothing in the mode off', async () => {
    await using scene = await sceneWith(COMMAND, 'off');
    expect((await scene.ask('mark it')).code).toBe(0);
    expect(scene.read('marker')).toBe('');
    expect(await reportOf(scene)).toMatchObject({ total: 0 });
  });

  it('is in force in a conversation from the moment a person has said so', async () => {
    await using scene = await sceneWith(COMMAND, 'dry_run');
    await scene.ask('mark it');
    const refused = await scene.run(['policy', 'mode', 'enforce']);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/no-marker(.|\n)*Add -y/)]);
    expect(await scene.run(['policy', 'mode', 'enforce', '-y'])).toMatchObject({
      code: 0,
      stdout: 'mode enforce (before: dry_run)\n',
    });
    expect((await scene.ask('mark it')).stderr).toContain('policy rule no-marker');
  });
});

/** A command whose harm, should it run, ends in a home made for it. */
const WIPE = 'rm -rf "$HOME"';

describe.concurrent('a floor', () => {
  interface Wiped extends HermaExit {
    readonly isKept: boolean;
  }

  async function tryToWipe(scene: Scene, run: (home: string) => Promise<HermaExit>): Promise<Wiped> {
    const home = scene.path('fake-home');
    mkdirSync(home);
    writeFileSync(join(home, 'letters.txt'), 'dear');
    const checked = await scene.run(['policy', 'check', WIPE, '--home-dir', home, '--json']);
    expect(JSON.parse(checked.stdout)).toMatchObject({ verdict: 'block', rule: 'floor-delete-home' });
    const exit = await run(home);
    return { ...exit, isKept: existsSync(join(home, 'letters.txt')) };
  }

  it.each(['off', 'dry_run'])('holds in the mode %s, whatever --yolo says', async (mode) => {
    await using scene = await sceneWith(WIPE, mode, 'approvals: {ask: [terminal]}\n');
    const { code, isKept, stderr } = await tryToWipe(scene, async (home) =>
      scene.ask('clean up', ['--yolo'], { env: { HOME: home } }),
    );
    expect([code, isKept]).toEqual([0, true]);
    expect(stderr).toMatch(/blocked: .*floor-delete-home/);
    expect(resultsIn(await scene.server.received(2))).toEqual([
      ['c1', expect.stringContaining('Nothing lifts this rule')],
    ]);
    expect(await reportOf(scene)).toMatchObject({
      rules: [{ rule: 'floor-delete-home', effective: { held: 1, passed: 0 } }],
    });
  });

  it('holds for a single call, and without a policy', async () => {
    await using scene = await Scene.create();
    const stdin = JSON.stringify({ tool: 'terminal', args: { command: WIPE } });
    const { code, isKept, stdout } = await tryToWipe(scene, async (home) =>
      scene.run(['call'], { stdin, env: { HOME: home } }),
    );
    expect([code, isKept]).toEqual([1, true]);
    expect(stdout).toContain('floor-delete-home');
  });

  it('keeps an agent from setting the mode', async () => {
    await using scene = await sceneWith('herma policy mode off', 'enforce');
    const { stderr } = await scene.ask('set it');
    expect(stderr).toMatch(/blocked: .*floor-self-tamper/);
    expect(await scene.run(['policy', 'mode', 'off'], { env: { HERMA_SESSION: 's' } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not for an agent'),
    });
    expect((await scene.run(['policy', 'mode'])).stdout).toBe('enforce\n');
  });
});
