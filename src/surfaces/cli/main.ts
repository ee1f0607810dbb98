import packageJson from '../../../package.json' with { type: 'json' };
import { createProcessHost } from './process-host.ts';
import { runCli } from './run-cli.ts';
import { verbTable } from './verb-table.ts';

/**
 * The program: runs a command line (without `node` and the script) in this process and resolves to its exit code. The
 * caller sets it; what was written is out by then.
 */
export async function main(argv: readonly string[]): Promise<number> {
  const host = createProcessHost({ isVerbose: argv.includes('--verbose') });
  return runCli(argv, { host, table: verbTable, version: packageJson.version });
}
