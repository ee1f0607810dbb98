/**
 * Runs before each test file, in its own process: a temporary home, a temporary folder for temporary files, an environment
 * that holds nothing of the person's who runs the tests, and no way to the network. All of it is removed afterwards.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import './no-network.cjs';

/** What a test may see of the environment it was started in; everything else is removed. */
const KEPT = new Set([
  'PATH',
  'SHELL',
  'USER',
  'LOGNAME',
  'CI',
  'NODE_ENV',
  'TEST',
  'MODE',
  'DEV',
  'PROD',
  'SSR',
  'BASE_URL',
]);
const KEPT_PREFIXES = ['VITEST'];

const noNetwork = fileURLToPath(new URL('no-network.cjs', import.meta.url));
const folder = mkdtempSync(join(process.env['HERMA_TEST_FOLDER'] ?? realpathSync(tmpdir()), 'file-'));
const npmCache = process.env['npm_config_cache'] ?? join(homedir(), '.npm');

for (const name of Object.keys(process.env)) {
  if (!KEPT.has(name) && !KEPT_PREFIXES.some((prefix) => name.startsWith(prefix))) delete process.env[name];
}
Object.assign(process.env, {
  HOME: join(folder, 'home'),
  HERMA_HOME: join(folder, 'home', '.herma'),
  TMPDIR: join(folder, 'tmp'),
  PATH: [dirname(process.execPath), process.env['PATH'] ?? '/usr/bin:/bin'].join(delimiter),
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  TZ: 'UTC',
  // Packages that `npm ci` already fetched can be installed again without the network.
  npm_config_cache: npmCache,
  // Programs that tests start compile the sources once and not each time.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/herma', import.meta.url)),
  NODE_OPTIONS: `--require=${JSON.stringify(noNetwork)}`,
});
mkdirSync(join(folder, 'home'), { mode: 0o700 });
mkdirSync(join(folder, 'tmp'));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});
