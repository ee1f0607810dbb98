import { describe, expect, it } from 'vitest';
import { lastLine, runVitest } from './run-vitest.ts';

const IMPORT = "import { describe, expect, it } from 'vitest';\n";
const PASSES = "it('passes', () => { expect(1).toBe(1); });\n";
const FAILS = "it('fails', () => { expect(1).toBe(2); });\n";

describe('the last line of a run', () => {
  it.each([
    ['passed tests', IMPORT + PASSES, '1 passed, 0 failed', 0],
    ['failed tests', IMPORT + PASSES + FAILS, '1 passed, 1 failed', 1],
    [
      'skipped tests',
      `${IMPORT}${PASSES}it.skip('waits', () => {});\nit.todo('comes');`,
      '1 passed, 0 failed, 2 skipped',
      0,
    ],
    ['a file that does not load', "import './nowhere.ts';\n", '0 passed, 1 failed', 1],
    [
      'an error outside a test',
      `${IMPORT}${PASSES}void Promise.reject(new Error('late'));`,
      '1 passed, 1 failed',
      1,
    ],
    [
      'a group whose preparation fails',
      `import { beforeAll } from 'vitest';\n${IMPORT}${PASSES}describe('g', () => { beforeAll(() => { throw new Error('no'); }); ${PASSES} });`,
      '1 passed, 1 failed, 1 skipped',
      1,
    ],
  ])('counts %s', (_title, text, expected, code) => {
    const run = runVitest({ 'a.test.ts': text });
    expect([lastLine(run.stdout), run.status]).toEqual([expected, code]);
  });

  it('counts a run without tests as a failure', () => {
    const run = runVitest({});
    expect([lastLine(run.stdout), run.status]).toEqual(['0 passed, 1 failed', 1]);
  });

  it('adds up all files', () => {
    const run = runVitest({ 'a.test.ts': IMPORT + PASSES, 'b.test.ts': IMPORT + PASSES });
    expect(lastLine(run.stdout)).toBe('2 passed, 0 failed');
  });
});
