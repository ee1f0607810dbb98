import { defineConfig } from 'vitest/config';
import { createSummaryReporter } from './test/setup/summary-reporter.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    globalSetup: ['test/setup/run-folder.ts'],
    setupFiles: ['test/setup/isolate.ts'],
    reporters: ['default', createSummaryReporter()],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
