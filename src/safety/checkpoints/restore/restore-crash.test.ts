import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settleDead } from '../capture/settle-dead.ts';
import { recoverProject } from './recover.ts';
import { ScratchProject } from './scratch-project.ts';

let base: string;
let saved: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'restore-crash-')));
  saved = `${base}.saved`;
});
afterEach(() => {
  rmSync(base, { recursive: true, force: true });
  rmSync(saved, { recursive: true, force: true });
});

/** A process that runs `work` with the project `p`, and is killed at the nth step. Returns the steps it came to. */
function runAndKill(
  work: string,
  nth: number,
): { readonly steps: readonly string[]; readonly isKilled: boolean } {
  const script = `
    import { writeSync } from 'node:fs';
    import { ScratchProject } from ${JSON.stringify(join(import.meta.dirname, 'scratch-project.ts'))};
    import { recoverProject } from ${JSON.stringify(join(import.meta.dirname, 'recover.ts'))};
    let steps = 0;
    const p = new ScratchProject(${JSON.stringify(base)}, (name) => {
      writeSync(1, name + '\\n');
      steps += 1;
      if (steps === ${String(nth)}) process.kill(process.pid, 'SIGKILL');
    });
    ${work}
  `;
  const { stdout, signal, status, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '--disable-warning=ExperimentalWarning', '--eval', script],
    { encoding: 'utf8', timeout: 50_000 },
  );
  if (signal === null && status !== 0) throw new Error(stderr);
  return { steps: stdout.split('\n').filter((line) => line !== ''), isKilled: signal === 'SIGKILL' };
}

function prepare(): {
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
} {
  const p = new ScratchProject(base);
  p.write('edited', '0', 0o600);
  p.write('gone/deep/x', '0');
  p.write('swap', 'file');
  p.write('folder/x', '0');
  p.link('link', 'edited');
  p.write('mode/x', '0');
  p.chmod('mode', 0o711);
  const after = p.tree();
  p.command(() => {
    p.write('edited', '1');
    p.remove('gone');
    p.remove('swap');
    p.write('swap/y', '1');
    p.remove('folder');
    p.write('folder', 'now a file');
    p.remove('link');
    p.link('link', 'swap');
    p.write('made/z', '1');
    p.chmod('mode', 0o500);
    p.write('sealed/x', '1');
    p.chmod('sealed', 0o500);
  });
  return { before: p.tree(), after };
}

function save(): void {
  rmSync(saved, { recursive: true, force: true });
  execFileSync('cp', ['-a', base, saved]);
}

function reset(): void {
  rmSync(base, { recursive: true, force: true });
  execFileSync('cp', ['-a', saved, base]);
}

/** Nothing half, nothing left over, nothing open. Returns which of the two it is. */
async function expectWhole(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Promise<'before' | 'after'> {
  const p = new ScratchProject(base);
  settleDead(p.parts, p.h16);
  const result = await recoverProject(p.parts, p);
  expect(result).toMatchObject({ ok: true, recovery: { left: [] } });
  const tree = p.tree();
  const isBefore = JSON.stringify([...tree]) === JSON.stringify([...before]);
  expect(tree).toEqual(isBefore ? before : after);
  const store = join(base, 'checkpoints/store');
  expect(existsSync(join(store, 'journals', p.h16, 'restore.json'))).toBe(false);
  execFileSync('git', ['--git-dir', store, 'fsck', '--strict', '--no-dangling'], { stdio: 'pipe' });
  const closed = new Set(p.records().flatMap((record) => (record.type === 'close' ? [record.opens] : [])));
  expect(p.opens().filter(({ seq }) => !closed.has(seq))).toEqual([]);
  return isBefore ? 'before' : 'after';
}

const RESTORE = `await p.restore(p.entries());`;
const RECOVER = `await recoverProject(p.parts, p);`;

describe('a restore whose process is killed', () => {
  it('at any step is finished or reversed as a whole at the next start, and can be undone', async () => {
    const { before, after } = prepare();
    save();
    const { steps } = runAndKill(RESTORE, -1);
    expect(await expectWhole(before, after)).toBe('after');
    for (const name of [
      'open',
      'journal',
      'stage',
      'commit',
      'clear',
      'make',
      'backup',
      'place',
      'mode',
      'sync',
      'close',
      'sweep',
      'end',
    ])
      expect(steps).toContain(`restore-${name}`);
    for (let nth = 1; nth <= steps.length; nth += 1) {
      reset();
      expect(runAndKill(RESTORE, nth).isKilled).toBe(true);
      const outcome = await expectWhole(before, after);
      const isCommitting = nth > steps.indexOf('restore-commit');
      expect([nth, steps[nth - 1], outcome]).toEqual([
        nth,
        steps[nth - 1],
        isCommitting ? 'after' : 'before',
      ]);
      const p = new ScratchProject(base);
      if (outcome === 'before') expect((await p.restore(p.entries())).ok).toBe(true);
      expect(p.tree()).toEqual(after);
      expect((await p.undo()).ok).toBe(true);
      expect(p.tree()).toEqual(before);
    }
  }, 240_000);

  it('and killed again while it is finished is finished by the third', async () => {
    const { before, after } = prepare();
    save();
    const { steps } = runAndKill(RESTORE, -1);
    const first = steps.indexOf('restore-commit') + 1;
    for (const nth of [
      first,
      first + 2,
      steps.indexOf('restore-backup') + 1,
      steps.indexOf('restore-close') + 1,
    ]) {
      reset();
      runAndKill(RESTORE, nth);
      save();
      const { steps: recovering } = runAndKill(RECOVER, -1);
      for (let again = 1; again <= recovering.length; again += 5) {
        reset();
        expect(runAndKill(RECOVER, again).isKilled).toBe(true);
        expect(await expectWhole(before, after)).toBe('after');
      }
      rmSync(base, { recursive: true, force: true });
      prepare();
      save();
    }
  }, 240_000);

  it('leaves what a person changed before the next start, and says so', async () => {
    prepare();
    const { steps } = runAndKill(RESTORE, -1);
    rmSync(base, { recursive: true, force: true });
    prepare();
    runAndKill(RESTORE, steps.indexOf('restore-commit') + 1);
    const p = new ScratchProject(base);
    p.write('edited', 'P');
    const result = await recoverProject(p.parts, p);
    expect(result).toMatchObject({ ok: true, recovery: { type: 'finished', left: [{ path: 'edited' }] } });
    expect(p.read('edited')).toBe('P');
    expect(p.read('gone/deep/x')).toBe('0');
  });
});

describe('a restore', () => {
  it('ends one that was broken off before it begins', async () => {
    const { after } = prepare();
    const { steps } = runAndKill(RESTORE, -1);
    rmSync(base, { recursive: true, force: true });
    prepare();
    runAndKill(RESTORE, steps.indexOf('restore-commit') + 2);
    const p = new ScratchProject(base);
    expect(await p.restore(p.entries())).toMatchObject({ ok: true, restored: [] });
    expect(p.tree()).toEqual(after);
  });

  it('waits for one that runs, so that two at once are one after the other', async () => {
    const { after } = prepare();
    const p = new ScratchProject(base);
    const q = new ScratchProject(base);
    const outcomes = await Promise.all([p.restore(1), q.restore(1)]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true]);
    expect(p.tree()).toEqual(after);
    expect(outcomes.filter(({ restored }) => restored.length > 0)).toHaveLength(1);
  });
});
