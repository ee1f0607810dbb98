import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RestoreOutcome } from './restore.ts';
import { ScratchProject } from './scratch-project.ts';

/** Every file below a folder, with its bytes. */
function contents(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    paths.toSorted().map((path) => {
      const place = join(folder, path);
      return [path, statSync(place).isDirectory() ? 'folder' : readFileSync(place, 'latin1')];
    }),
  );
}

/** What a dry run has in common with the restore it tells of. */
function planOf({ safetyId: _safety, ...plan }: RestoreOutcome): Omit<RestoreOutcome, 'safetyId'> {
  return plan;
}

/** Runs the dry run, and the restore, which must do the same; the store must not notice the first. */
async function expectSame(
  p: ScratchProject,
  run: (isDryRun: boolean) => Promise<RestoreOutcome>,
): Promise<RestoreOutcome> {
  const store = join(p.base, 'checkpoints');
  const [stored, tree] = [contents(store), p.tree()];
  const dry = await run(true);
  expect(contents(store)).toEqual(stored);
  expect(p.tree()).toEqual(tree);
  expect(dry.safetyId).toBeUndefined();
  expect(planOf(await run(false))).toEqual(planOf(dry));
  return dry;
}

async function withProject(use: (p: ScratchProject) => Promise<void>): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'dry-run-')));
  try {
    await use(new ScratchProject(base));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

const PATHS = ['a', 'b', 'd/x', 'd/y'];
const changes = fc.array(
  fc.record({ path: fc.constantFrom(...PATHS), content: fc.constantFrom('', '1', '2') }),
  { minLength: 1, maxLength: 3 },
);
const step = fc.record({
  type: fc.constantFrom('tool', 'command', 'detached', 'detached', 'person', 'person', 'take'),
  changes,
});
const asked = fc.record({
  mode: fc.constantFrom('agent' as const, 'all' as const, 'exact' as const),
  includeAmbiguous: fc.boolean(),
  back: fc.nat(5),
  isUndone: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function perform(p: ScratchProject, { type, changes: wanted }: Step, turn: string): void {
  const work = (): void => {
    for (const { path, content } of wanted) {
      if (content === '') p.remove(path);
      else p.write(path, content);
    }
  };
  if (type === 'take') p.take();
  else if (type === 'person') work();
  else if (type === 'tool')
    p.tool(
      wanted.map(({ path }) => path),
      work,
      { turn },
    );
  else p.command(work, { turn, words: ['a', 'd'], isComplete: false, isDetached: type === 'detached' });
}

describe('a dry run', () => {
  it('tells what the restore does, and leaves the store as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), asked, async (steps, wanted) => {
        const { mode, includeAmbiguous, back, isUndone } = wanted;
        await withProject(async (p) => {
          for (const [index, one] of steps.entries()) {
            p.now += 1000;
            perform(p, one, `t${String(index)}`);
          }
          if (p.entries() === 0) return;
          const n = (back % p.entries()) + 1;
          await expectSame(p, (isDryRun) => p.restore(n, { mode, includeAmbiguous, isDryRun }));
          if (isUndone) await expectSame(p, (isDryRun) => p.undo('agent', isDryRun));
        });
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('shows what a command in the background has done since', async () =>
    withProject(async (p) => {
      p.write('a', '0');
      p.command(() => undefined, { words: ['a'], isDetached: true });
      p.write('a', 'late');
      const dry = await expectSame(p, (isDryRun) => p.restore(1, { isDryRun }));
      expect(dry.skipped).toMatchObject([{ path: 'a', isAmbiguous: true }]);
      const wider = await expectSame(p, (isDryRun) => p.restore(1, { isDryRun, includeAmbiguous: true }));
      expect(wider.restored).toEqual(['a']);
    }));

  it('of an exact restore shows files that nothing in the store has, by the thousand', async () =>
    withProject(async (p) => {
      p.command(() => undefined);
      for (let at = 0; at < 1000; at += 1) p.write(`many/${String(at)}`, `content ${String(at)}`);
      const dry = await expectSame(p, (isDryRun) => p.restore(1, { mode: 'exact', isDryRun }));
      expect(dry.deleted).toHaveLength(1001);
    }));

  it.each(['agent', 'all', 'exact'] as const)('of %s tells of a project that is gone', async (mode) =>
    withProject(async (p) => {
      p.write('a', '0');
      p.command(() => p.write('a', '1'), { words: ['a'], isDetached: true });
      renameSync(p.root, `${p.base}/moved`);
      const stored = contents(join(p.base, 'checkpoints'));
      const dry = await p.restore(1, { mode, isDryRun: true });
      expect(contents(join(p.base, 'checkpoints'))).toEqual(stored);
      mkdirSync(p.root);
      expect(planOf(await p.restore(1, { mode }))).toEqual(planOf(dry));
    }),
  );
});
