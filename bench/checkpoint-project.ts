import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { valueOrThrow } from '../src/kernel/errors/index.ts';
import { systemClock } from '../src/platform/clock/index.ts';
import { type CheckpointStore, openCheckpointStore } from '../src/safety/checkpoints/index.ts';

const FILES_PER_FOLDER = 20;

/** A git repository of so many small source files, all committed, and a store of checkpoints beside it. To be removed. */
export interface CheckpointProject {
  readonly root: string;
  readonly base: string;
  /** Paths of files, relative. */
  readonly files: readonly string[];
  open(thread: 'inline' | 'worker'): Promise<CheckpointStore>;
  git(...args: readonly string[]): void;
  remove(): void;
}

export function createProject(count: number): CheckpointProject {
  const folder = mkdtempSync(join(tmpdir(), 'herma-bench-'));
  const [root, base] = [join(folder, 'project'), join(folder, 'checkpoints')];
  const files: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const place = `src/m${String(Math.floor(index / 400))}/d${String(Math.floor(index / FILES_PER_FOLDER))}`;
    if (index % FILES_PER_FOLDER === 0) mkdirSync(join(root, place), { recursive: true });
    const file = `${place}/f${String(index)}.ts`;
    writeFileSync(join(root, file), sourceOf(index));
    files.push(file);
  }
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-C', root, ...args], { stdio: 'ignore', env: gitEnvironment() });
  };
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'all');
  return {
    root,
    base,
    files,
    git,
    open: async (thread) => openStoreAt(base, thread),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function openStoreAt(base: string, thread: 'inline' | 'worker'): Promise<CheckpointStore> {
  return valueOrThrow(await openCheckpointStore(optionsFor(base, thread)));
}

function optionsFor(base: string, thread: 'inline' | 'worker'): Parameters<typeof openCheckpointStore>[0] {
  const settings = {
    maxSnapshots: 20,
    maxTotalBytes: 0,
    maxFileBytes: 10 * 1024 * 1024,
    autoPrune: false,
    retentionMs: 7 * 24 * 3_600_000,
    privateRetentionMs: 24 * 3_600_000,
    minIntervalMs: 24 * 3_600_000,
    onFailure: 'warn',
  } as const;
  return { base, userHome: '/nobody', temporary: tmpdir(), skip: [], settings, clock: systemClock, thread };
}

/** 10 to 59 lines. */
function sourceOf(index: number): string {
  const lines = 10 + (index % 50);
  return Array.from(
    { length: lines },
    (_, line) => `export const v${String(index)}_${String(line)} = ${String(line)};\n`,
  ).join('');
}

/** Nobody's settings. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_AUTHOR_NAME: 'b',
    GIT_AUTHOR_EMAIL: 'b@localhost',
    GIT_COMMITTER_NAME: 'b',
    GIT_COMMITTER_EMAIL: 'b@localhost',
  };
}
