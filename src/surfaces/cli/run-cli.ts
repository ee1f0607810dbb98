import { type CommandLine, readCommandLine } from './command-line.ts';
import { createContext, errorDocument } from './create-context.ts';
import { describeFailure, describeStack, toFailure } from './describe-failure.ts';
import { EXIT } from './exit-code.ts';
import type { Host } from './host.ts';
import { Interrupts } from './interrupts.ts';
import { createOutput, type OwnedOutput } from './output/output.ts';
import type { VerbEntry } from './verb.ts';

/** What a shell reports for a program that SIGPIPE ended: 128 + 13. */
const BROKEN_PIPE = 141;

export interface CliOptions {
  readonly host: Host;
  readonly table: readonly VerbEntry[];
  readonly version: string;
}

/**
 * Runs a command line to its end: reads it, loads the verb, runs it, and says on standard error what went wrong. Resolves to
 * the exit code when everything that was written is out; never rejects.
 */
export async function runCli(argv: readonly string[], { host, table, version }: CliOptions): Promise<number> {
  const interrupts = new Interrupts(host);
  const stderr = createOutput(host.stderr, () => undefined);
  const stdout = createOutput(host.stdout, (code) => {
    interrupts.abort(
      `standard output cannot be written (${code})`,
      code === 'EPIPE' ? BROKEN_PIPE : EXIT.couldNot,
    );
  });
  try {
    const code = await run();
    await Promise.all([stdout.flush(), stderr.flush()]);
    return outputCode(stdout, stderr) ?? code;
  } finally {
    interrupts.close();
  }

  async function run(): Promise<number> {
    try {
      const line = await readCommandLine(argv, { table, version, columns: stdout.columns });
      const code = await runLine(line);
      return code === EXIT.done || stdout.failure() !== undefined
        ? code
        : (interrupts.reason?.exitCode ?? code);
    } catch (error) {
      if (interrupts.reason !== undefined) return interrupts.reason.exitCode;
      return complain(error);
    }
  }

  async function runLine(line: CommandLine): Promise<number> {
    switch (line.type) {
      case 'text':
        stdout.write(line.text);
        return EXIT.done;
      case 'misused':
        stderr.write(`${describeFailure(line.failure)}\n`);
        if (argv.includes('--json')) stdout.write(`${JSON.stringify(errorDocument(line.failure))}\n`);
        return EXIT.couldNot;
      case 'run': {
        const { verb, values } = line;
        const context = createContext({ values, host, stdout, stderr, interrupts, commands: table });
        try {
          return (await verb.run?.(context)) ?? EXIT.couldNot;
        } catch (error) {
          if (interrupts.reason !== undefined) throw error;
          if (context.verbose) stderr.write(`${describeStack(error)}\n`);
          return context.fail(toFailure(error));
        }
      }
    }
  }

  function complain(error: unknown): number {
    stderr.write(`${describeFailure(toFailure(error))}\n`);
    if (argv.includes('--verbose')) stderr.write(`${describeStack(error)}\n`);
    return EXIT.couldNot;
  }
}

/** Output that was lost is a failure. A reader who went away is none: the answer of the command stands. */
function outputCode(stdout: OwnedOutput, stderr: OwnedOutput): number | undefined {
  const failure = stdout.failure();
  if (failure === undefined || failure === 'EPIPE') return undefined;
  stderr.write(`herma: cannot write to standard output (${failure})\n`);
  return EXIT.couldNot;
}
