import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Runs vitest, with the set-up and the reporter of this checkout, on a project of its own. */
export function runVitest(
  files: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv = {},
): SpawnSyncReturns<string> {
  const project = mkdtempSync(join(tmpdir(), 'vitest-'));
  symlinkSync(join(repository, 'node_modules'), join(project, 'node_modules'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  writeFileSync(
    join(project, 'vitest.config.mjs'),
    `import { createSummaryReporter } from ${JSON.stringify(join(repository, 'test/setup/summary-reporter.ts'))};
     export default { test: {
       globalSetup: [${JSON.stringify(join(repository, 'test/setup/run-folder.ts'))}],
       setupFiles: [${JSON.stringify(join(repository, 'test/setup/isolate.ts'))}],
       reporters: ['default', createSummaryReporter()],
     } };`,
  );
  return spawnSync(process.execPath, [join(repository, 'node_modules/vitest/vitest.mjs'), 'run'], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: homedir(), TMPDIR: tmpdir(), ...env },
  });
}

export function lastLine(text: string): string | undefined {
  return text.trimEnd().split('\n').at(-1);
}
