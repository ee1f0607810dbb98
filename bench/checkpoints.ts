import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { CallCapture, CheckpointStore } from '../src/safety/checkpoints/index.ts';
import { type CheckpointProject, createProject, gitEnvironment, openStoreAt } from './checkpoint-project.ts';
import { alternate, type Figure, median } from './measure.ts';

const SIZES = [1_000, 10_000, 45_000];
/** A start of Node.js takes about this long: what may take a millisecond may take a twentieth of a start. */
const START_MS = 20;
const ROUNDS = 7;
/** Of first snapshots, each of which takes long. */
const FIRST_ROUNDS = 5;
const OTHER_FILES = 1000;

/** What checkpoints cost, against what git costs on the same tree in the same run. */
export async function checkpoints(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  const start = await medianStart();
  for (const size of SIZES) {
    const project = createProject(size);
    try {
      figures.push(...(await measure(project, { size, start })));
    } finally {
      project.remove();
    }
  }
  return figures;
}

let turn = 0;

function capture(project: CheckpointProject, more: Partial<CallCapture>): CallCapture {
  turn += 1;
  const owner = { sessionId: 's', rootSessionId: 's', turnId: `t${String(turn)}`, callId: 'c' };
  return { reason: 'before terminal: make', owner, paths: [], ...more, ...scanOf(project, more) };
}

function scanOf({ root }: CheckpointProject, { paths }: Partial<CallCapture>): Pick<CallCapture, 'scan'> {
  return paths === undefined ? { scan: { directory: root } } : {};
}

async function measure(
  project: CheckpointProject,
  { size, start }: { readonly size: number; readonly start: number },
): Promise<readonly Figure[]> {
  const at = ` at ${String(size / 1000)}k`;
  const first = await firstSnapshot(project);
  const store = await project.open('inline');
  await scan(project, store);
  const [same = 0, status = 0] = await alternate(ROUNDS * 2, [
    async () => scan(project, store),
    async () => git(project, 'status', '--porcelain'),
  ]);
  const second = await changedScan(project, store);
  const changed = await medianOf(ROUNDS, async () => changedScan(project, store));
  const named = await medianOf(100, async () => namedCapture(project, store));
  for (let count = 0; count < 90; count += 1) await namedCapture(project, store);
  const hundredth = await medianOf(3, async () => changedScan(project, store));
  const list = await medianOf(ROUNDS, async () => timed(async () => store.list(project.root)));
  const restored = await medianOf(ROUNDS, async () => restoreOne(project, store));
  await store.close();
  return [
    figure(`checkpoint: named file${at} / node -e 0`, named, start, 1 / START_MS),
    figure(`checkpoint: scan, no change${at} / git status`, same, status, size > 1_000 ? 1.6 : 1),
    figure(`checkpoint: scan, one change${at} / no change + 2 ms`, changed, same + 2, 1),
    figure(
      `checkpoint: first${at}, by a chat that has just started / git add, write-tree`,
      first.cold,
      first.git,
      0.3,
    ),
    figure(`checkpoint: first${at}, by one that has scanned another tree / same`, first.warm, first.git, 0.3),
    figure(`checkpoint: list of 20${at} / node -e 0`, list, start, 5 / START_MS),
    figure(`checkpoint: restore of one file${at} / scan + 15 ms`, restored, same + 15, 1),
    figure(`checkpoint: 100th${at} / second`, hundredth, Math.max(second, changed), 1.5),
    figure(`checkpoint: memory of the first${at} / 150 MiB`, first.megabytes, 150, 1),
    figure(`checkpoint: event loop held${at} / 50 ms`, await loopDelay(project), 50, 1),
  ];
}

function figure(name: string, value: number, floor: number, limit: number): Figure {
  return { name, value, floor, limit, ratio: value / floor };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function scan(project: CheckpointProject, store: CheckpointStore): Promise<number> {
  const request = capture(project, {});
  let token = '';
  const time = await timed(async () => {
    const report = await store.capture(request);
    if (report.failures.length > 0) throw new Error(report.failures[0]?.message);
    ({ token } = report);
  });
  await store.settle(token);
  return time;
}

async function changedScan(project: CheckpointProject, store: CheckpointStore): Promise<number> {
  appendFileSync(fileOf(project), `// ${String(turn)}\n`);
  return scan(project, store);
}

async function namedCapture(project: CheckpointProject, store: CheckpointStore): Promise<number> {
  const file = fileOf(project);
  const request = capture(project, { paths: [file] });
  let token = '';
  const time = await timed(async () => {
    ({ token } = await store.capture(request));
  });
  appendFileSync(file, `// ${String(turn)}\n`);
  await store.settle(token);
  return time;
}

async function restoreOne(project: CheckpointProject, store: CheckpointStore): Promise<number> {
  await namedCapture(project, store);
  return timed(async () => {
    const report = await store.restore(project.root, { ref: '1' });
    if (!report.ok || report.restored.length !== 1) throw new Error(JSON.stringify(report));
  });
}

function fileOf({ root, files }: CheckpointProject): string {
  return join(root, files[turn % files.length] ?? '');
}

async function git({ root }: CheckpointProject, ...args: readonly string[]): Promise<number> {
  return timed(async () => {
    await once(spawn('git', ['-C', root, ...args], { stdio: 'ignore', env: gitEnvironment() }), 'exit');
  });
}

interface FirstSnapshot {
  readonly cold: number;
  readonly warm: number;
  readonly git: number;
  readonly megabytes: number;
}

/**
 * The first snapshot of a tree that the store has never seen, against the first one git makes: a new index, and an empty
 * folder of objects. Nothing of the tree is in a store of ours either; what differs is the process.
 *
 * `cold` is what a person waits for before the first command of a `herma chat`: the chat is running, its store is open and
 * its thread has started (it looks for restores that were cut off before a session begins), but no tree was scanned, so
 * that the code that does it runs for the first time. That is the figure that counts. `warm` is the same in a process
 * that has scanned a tree with other content before, as one that serves many projects has.
 */
async function firstSnapshot(project: CheckpointProject): Promise<FirstSnapshot> {
  const other = join(project.base, '..', 'other');
  createOtherTree(other);
  const [cold, warm, theirs, megabytes]: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let round = 0; round < FIRST_ROUNDS; round += 1) {
    const first = firstInProcess(project, []);
    cold.push(first.time);
    megabytes.push(first.megabytes);
    theirs.push(firstOfGit(project));
    warm.push(firstInProcess(project, [other]).time);
  }
  return {
    cold: median(cold),
    warm: median(warm),
    git: median(theirs),
    megabytes: median(megabytes),
  };
}

/** Nothing in it is like anything in the project. */
function createOtherTree(root: string): void {
  for (let index = 0; index < OTHER_FILES; index += 1) {
    const folder = join(root, `f${String(Math.floor(index / 20))}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, String(index)), `other line ${String(index)}\n`.repeat(10 + (index % 80)));
  }
}

function firstInProcess(
  { root, base }: CheckpointProject,
  before: readonly string[],
): { readonly time: number; readonly megabytes: number } {
  rmSync(base, { recursive: true, force: true });
  const out = execFileSync(process.execPath, [import.meta.filename, base, root, ...before], {
    encoding: 'utf8',
  });
  const [time = '', memory = ''] = out.split(' ');
  return { time: Number(time), megabytes: Number(memory) };
}

function firstOfGit({ root, base }: CheckpointProject): number {
  const [index, objects] = [join(root, '.git', 'fresh-index'), `${base}-git`];
  const env = { ...gitEnvironment(), GIT_INDEX_FILE: index, GIT_OBJECT_DIRECTORY: objects };
  mkdirSync(objects, { recursive: true });
  const startedAt = performance.now();
  execFileSync('git', ['-C', root, 'add', '-A'], { env });
  execFileSync('git', ['-C', root, 'write-tree'], { env, stdio: 'ignore' });
  const time = performance.now() - startedAt;
  rmSync(index, { force: true });
  rmSync(objects, { recursive: true, force: true });
  return time;
}

/** The longest time a timer of this thread came late while another one made the first snapshot, in milliseconds. */
async function loopDelay(project: CheckpointProject): Promise<number> {
  const store = await openStoreAt(`${project.base}-threaded`, 'worker');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await scan(project, store);
  await changedScan(project, store);
  delay.disable();
  await store.close();
  return delay.max / 1e6;
}

async function medianOf(rounds: number, work: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await work());
  return median(times);
}

async function medianStart(): Promise<number> {
  return medianOf(15, async () =>
    timed(async () => {
      await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
    }),
  );
}

/** As a program: the first snapshot of a tree; prints how long it took and by how many MiB the process grew. */
if (process.argv[1] === import.meta.filename) {
  const [, , base = '', root = '', ...before] = process.argv;
  const store = await openStoreAt(base, 'worker');
  const owner = { sessionId: 's', rootSessionId: 's', turnId: 't', callId: 'c' };
  const snapshot = async (directory: string): Promise<void> => {
    const report = await store.capture({ reason: 'first', owner, paths: [], scan: { directory } });
    if (report.failures.length > 0) throw new Error(report.failures[0]?.message);
  };
  await store.recover(root);
  for (const other of before) await snapshot(other);
  const memory = process.memoryUsage().rss;
  const time = await timed(async () => snapshot(root));
  const grown = (process.resourceUsage().maxRSS * 1024 - memory) / 1024 / 1024;
  writeFileSync(1, `${time.toFixed(2)} ${grown.toFixed(1)}`);
  await store.close();
}
