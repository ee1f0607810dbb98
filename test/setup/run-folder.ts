import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;

/** Makes the folder that the homes of all test files are in, before the first of them starts. */
export function setup(): void {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'herma-test-')));
  process.env['HERMA_TEST_FOLDER'] = folder;
}

/** Removes it, with what files that were killed or did not load left behind. */
export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
