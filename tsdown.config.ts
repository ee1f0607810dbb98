import { defineConfig } from 'tsdown';
import manifest from './package.json' with { type: 'json' };

/** The doors of the package (`exports` in package.json) and the program behind the launcher. */
const ENTRIES = [
  'app/index',
  'gate/index',
  'kernel/events/index',
  'kernel/redact/index',
  'safety/checkpoints/index',
  'safety/ledger/index',
  'safety/policy/index',
  // Started as a thread, by its path.
  'safety/checkpoints/engine/checkpoint-worker',
  // The types that plugins are written against.
  'services/plugins/plugin-api',
  'services/plugins/plugin-worker',
  'testing/index',
  'surfaces/cli/main',
];

export default defineConfig({
  entry: Object.fromEntries(ENTRIES.map((entry) => [entry, `src/${entry}.ts`])),
  format: 'esm',
  platform: 'node',
  target: 'node24',
  outDir: 'dist',
  // `.js`: the package is of type module.
  fixedExtension: false,
  // Shared code goes into chunks, and a dynamic import stays one: a verb loads what it needs and no more.
  outputOptions: { chunkFileNames: 'chunks/[name]-[hash].js' },
  // What is installed beside the package is not copied into it, and only what is declared is imported.
  deps: { neverBundle: true, onlyImport: Object.keys(manifest.dependencies) },
  dts: true,
  sourcemap: false,
  failOnWarn: true,
});
