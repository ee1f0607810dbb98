/** Runs every `check:…` script of package.json, one after another, and says which failed. Exit 1 when one did. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../', import.meta.url));
const checks = Object.keys(manifest.scripts).filter((name) => name.startsWith('check:'));

const failed = checks.filter((name) => {
  console.log(`\n# ${name}`);
  const run = spawnSync(process.execPath, ['--run', name], { cwd: root, stdio: 'inherit' });
  return run.status !== 0;
});

console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
console.log(`${checks.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 && checks.length > 0 ? 0 : 1;
