/**
 * Writes the files that are derived from the sources. With `--check` it writes nothing and exits 1 when one of them is
 * missing or differs from what would be written.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderEventsPage } from './generated/events-page.ts';

const GENERATED: Readonly<Record<string, () => string>> = {
  'docs/events.md': renderEventsPage,
};

const root = fileURLToPath(new URL('../', import.meta.url));
const stale = Object.entries(GENERATED).filter(([file, render]) => read(join(root, file)) !== render());

if (process.argv.includes('--check')) {
  for (const [file] of stale) console.error(`${file} is out of date; run \`npm run generate\``);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [file, render] of stale) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), render());
    console.log(`wrote ${file}`);
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
