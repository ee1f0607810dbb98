import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { currentProcessIdentity, isAlive } from '../../../platform/process/index.ts';
import type { CheckpointRecord } from '../model/record.ts';
import { projectHash } from '../projects/project-hash.ts';
import { captureAfter } from './capture-after.ts';
import { captureBefore } from './capture-before.ts';
import type { CaptureParts } from './capture-parts.ts';
import { openCaptureParts } from './open-capture-parts.ts';
import { settleDead } from './settle-dead.ts';

const owner = { sessionId: 's', rootSessionId: 's', turnId: 't', callId: 'c' };
const settings = {
  maxSnapshots: 20,
  maxTotalBytes: 0,
  maxFileBytes: 0,
  autoPrune: true,
  retentionMs: 1,
  privateRetentionMs: 1,
  minIntervalMs: 1,
  onFailure: 'warn',
} as const;

let home: string;
let root: string;
let folder: string;

const partsOf = (): CaptureParts =>
  openCaptureParts({
    folder,
    home,
    temporary: join(home, '../tmp'),
    settings,
    now: () => 1_700_000_000_000,
    isAlive,
    self: currentProcessIdentity(),
    skip: [],
  });

/**
 * What a child runs: `count` times, captures the named files and writes to them; with `isScan` the whole project too. It
 * kills itself at the step `deadly`.
 */
const PROGRAM = `
  const [urls, given] = process.argv.slice(1).map((text) => JSON.parse(text));
  const [{ openCaptureParts }, { captureBefore }, { captureAfter }, { persistManifests }, { currentProcessIdentity, isAlive }] =
    await Promise.all(urls.map((url) => import(url)));
  const { writeFileSync } = await import('node:fs');
  const { folder, home, settings, owner, root, paths, isScan, deadly, count } = given;
  const parts = openCaptureParts({
    folder, home, temporary: home + '/../tmp', settings, now: () => 1700000000000, isAlive, skip: [],
    self: currentProcessIdentity(),
    step: (name) => { if (name === deadly) process.kill(process.pid, 'SIGKILL'); },
  });
  const failures = [];
  const ids = [];
  for (let round = 0; round < count; round += 1) {
    const report = captureBefore(parts, {
      reason: 'before child', owner, paths: paths.map((path) => root + '/' + path),
      ...(isScan ? { scan: { directory: root } } : {}),
    });
    for (const path of paths) writeFileSync(root + '/' + path, process.pid + ' ' + round);
    failures.push(...report.failures, ...captureAfter(parts, report.token).failures);
    ids.push(...report.ids);
    if (isScan) failures.push(...persistManifests(parts));
  }
  console.log(JSON.stringify({ failures, ids }));
`;

const URLS = [
  './open-capture-parts.ts',
  './capture-before.ts',
  './capture-after.ts',
  './persist-manifests.ts',
  '../../../platform/process/index.ts',
].map((path) => new URL(path, import.meta.url).href);

interface ChildWork {
  readonly root?: string;
  readonly paths: readonly string[];
  readonly isScan?: boolean;
  readonly deadly?: string;
  readonly count?: number;
}

interface ChildOutcome {
  readonly signal: string | null;
  readonly failures: readonly unknown[];
  readonly ids: readonly string[];
}

async function child(work: ChildWork): Promise<ChildOutcome> {
  const given = { folder, home, settings, owner, root, isScan: false, deadly: '', count: 1, ...work };
  const words = ['--input-type=module', '-e', PROGRAM, JSON.stringify(URLS), JSON.stringify(given)];
  const started = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  started.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [, signal] = (await once(started, 'close')) as [number | null, string | null];
  const report =
    output === '' ? { failures: [], ids: [] } : (JSON.parse(output) as Omit<ChildOutcome, 'signal'>);
  return { signal, ...report };
}

function fsck(): string {
  return execFileSync('git', ['-C', folder, 'fsck', '--strict', '--full', '--no-dangling'], {
    stdio: 'pipe',
  }).toString();
}

function records(of = root): readonly CheckpointRecord[] {
  return partsOf().journals.of(projectHash(of)).records();
}

beforeEach(() => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'processes-')));
  home = join(base, 'home');
  root = join(home, 'app');
  folder = join(base, 'store');
  mkdirSync(join(base, 'tmp'));
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(join(root, 'a'), 'first');
  writeFileSync(join(root, '.env'), 'SECRET=1');
});

const NAMED_STEPS = [
  'lease',
  'project',
  'reserve',
  'objects',
  'ref',
  'private-ref',
  'record',
  'close-reserve',
  'close-objects',
  'close-ref',
  'close-private-ref',
  'close-record',
  'release',
];
const SCAN_STEPS = [...NAMED_STEPS, 'scan', 'close-scan', 'tree-objects', 'tree-ref', 'manifest'];

describe('a process that is killed', () => {
  it.each([
    ...NAMED_STEPS.map((deadly) => ({ deadly, isScan: false })),
    ...SCAN_STEPS.map((deadly) => ({ deadly, isScan: true })),
  ])('at $deadly (scan: $isScan) loses nothing that was there, and the next capture works', async (death) => {
    const parts = partsOf();
    const paths = ['a', '.env'];
    const report = captureBefore(parts, {
      reason: 'before all',
      owner,
      paths: paths.map((path) => join(root, path)),
    });
    captureAfter(parts, report.token);
    const kept = records();
    expect(kept).toHaveLength(2);

    const outcome = await child({ paths, ...death });
    expect(outcome.signal).toBe('SIGKILL');
    expect(fsck()).toBe('');
    expect(records().slice(0, 2)).toEqual(kept);

    const later = partsOf();
    const h16 = projectHash(root);
    expect(settleDead(later, h16).failures).toEqual([]);
    expect(later.journals.of(h16).reservations()).toEqual([]);
    expect(later.journals.of(h16).damaged()).toEqual([]);
    later.leases.sweep();
    expect(readdirSync(join(folder, 'leases'))).toEqual([]);
    const opened = records().filter((record) => record.type === 'open');
    const closed = records().flatMap((record) => (record.type === 'close' ? [record.opens] : []));
    expect(closed).toEqual(opened.map(({ seq }) => seq));
    const refs = new Set(later.refs.list(h16).map(({ name }) => Number(name.split('/').at(-1))));
    refs.delete(Number.NaN);
    expect([...refs].toSorted((one, other) => one - other)).toEqual(records().map(({ seq }) => seq));
    expect(fsck()).toBe('');
    expect(settleDead(later, h16)).toEqual({ closed: 0, failures: [] });

    const next = await child({ paths, isScan: death.isScan });
    expect(next).toMatchObject({ signal: null, failures: [] });
    expect(next.ids).toHaveLength(1);
    expect(fsck()).toBe('');
  });
});

describe('processes that capture at once', () => {
  it('in one project lose no record, and number each once', async () => {
    const work = { paths: ['a', '.env', 'src/new'], count: 40 };
    const outcomes = await Promise.all([child(work), child(work)]);
    expect(outcomes.map(({ failures }) => failures)).toEqual([[], []]);
    const ids = outcomes.flatMap((outcome) => outcome.ids);
    expect(new Set(ids).size).toBe(80);
    const found = records();
    expect(found).toHaveLength(160);
    expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: 160 }, (_, index) => index + 1));
    expect(new Set(found.flatMap((record) => (record.type === 'open' ? [record.id] : [])))).toEqual(
      new Set(ids),
    );
    expect(fsck()).toBe('');
  });

  it('in two projects share the store and nothing else', async () => {
    const other = join(home, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'package.json'), '{}');
    const outcomes = await Promise.all([
      child({ paths: ['a'], count: 40 }),
      child({ root: other, paths: ['a'], count: 40 }),
    ]);
    expect(outcomes.map(({ failures, ids }) => [failures, ids.length])).toEqual([
      [[], 40],
      [[], 40],
    ]);
    expect([records().length, records(other).length]).toEqual([80, 80]);
    expect(fsck()).toBe('');
  });

  it('with scans in one project lose no record', async () => {
    const work = { paths: ['a'], isScan: true, count: 8 };
    const outcomes = await Promise.all([child(work), child(work)]);
    expect(outcomes.map(({ failures }) => failures)).toEqual([[], []]);
    expect(records()).toHaveLength(32);
    expect(fsck()).toBe('');
  });
});

describe('the journal', () => {
  it('is written in files that name their project nowhere else', () => {
    const parts = partsOf();
    captureBefore(parts, { reason: 'r', owner, paths: [join(root, 'a')] });
    const text = readFileSync(join(folder, 'journals', projectHash(root), '0000000001.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ version: 1, type: 'open', seq: 1, owner: { session_id: 's' } });
  });
});
