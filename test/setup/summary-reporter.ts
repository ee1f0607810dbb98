import { writeSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Counts the tests of a run. A file that could not be collected and an error outside any test count as failures too, so
 * that a broken run can never read as a green one.
 */
function countTests(modules: readonly TestModule[], errors: readonly SerializedError[]): Counts {
  const counts = { passed: 0, failed: errors.length, skipped: 0 };
  for (const module of modules) {
    let failedHere = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') counts.passed += 1;
      else if (state === 'skipped') counts.skipped += 1;
      else failedHere += 1;
    }
    counts.failed += failedHere === 0 && !module.ok() ? 1 : failedHere;
  }
  return counts;
}

/** `N passed, N failed`, and `, N skipped` when there are any. */
function summaryLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

/**
 * A reporter that adds one thing: the summary as the very last line, written when the process exits. A run that
 * failed without a failed test (no test found, a time-out while closing) counts as one failure.
 */
export function createSummaryReporter(): Reporter {
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  return {
    onInit: () => {
      process.once('exit', (code) => {
        const isSilentFailure = code !== 0 && counts.failed === 0;
        writeSync(1, `${summaryLine(isSilentFailure ? { ...counts, failed: 1 } : counts)}\n`);
      });
    },
    onTestRunEnd: (modules, errors) => {
      counts = countTests(modules, errors);
    },
  };
}
