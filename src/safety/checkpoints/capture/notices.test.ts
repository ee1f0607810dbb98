import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { currentProcessIdentity, isAlive } from '../../../platform/process/index.ts';
import type { Project } from '../projects/project-registry.ts';
import { noteCoverage } from './notices.ts';
import { openCaptureParts } from './open-capture-parts.ts';

it('the notice of too many files stays until a scan covers the whole project', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'notices-')));
  const root = join(base, 'home/app');
  mkdirSync(root, { recursive: true });
  const parts = openCaptureParts({
    folder: join(base, 'store'),
    home: join(base, 'home'),
    temporary: join(base, 'tmp'),
    settings: {
      maxSnapshots: 1,
      maxTotalBytes: 0,
      maxFileBytes: 0,
      autoPrune: false,
      retentionMs: 1,
      privateRetentionMs: 1,
      minIntervalMs: 1,
      onFailure: 'warn',
    },
    now: () => 1,
    isAlive,
    self: currentProcessIdentity(),
    skip: [],
  });
  const touched = (): Project => parts.registry.touch(root, 1);
  const snapshot = { root: 'a'.repeat(40), files: 1, holes: 0 };

  const lines = noteCoverage(parts, touched(), { ...snapshot, coverage: 'tracked' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('50,000 files');
  expect(touched().notice).toMatchObject({ code: 'too_many_files', message: lines[0] });
  expect(noteCoverage(parts, touched(), { ...snapshot, coverage: 'tracked' })).toEqual(lines);
  expect(noteCoverage(parts, touched(), undefined)).toEqual([]);
  expect(touched().notice?.code).toBe('too_many_files');
  expect(noteCoverage(parts, touched(), { ...snapshot, coverage: 'whole' })).toEqual([]);
  expect(touched().notice).toBeUndefined();
});
