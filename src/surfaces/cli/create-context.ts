import { type Failure, HermaError } from '../../kernel/errors/index.ts';
import { colourEnabled, freezeVariables } from '../../platform/environment/index.ts';
import { hermaHome, homePaths } from '../../platform/paths/index.ts';
import { describeFailure } from './describe-failure.ts';
import { EXIT } from './exit-code.ts';
import { globalOptions } from './global-options.ts';
import type { Host } from './host.ts';
import type { GivenValues } from './inputs.ts';
import type { Interrupts } from './interrupts.ts';
import { createColours } from './output/colours.ts';
import type { Output } from './output/output.ts';
import type { VerbContext, VerbEntry } from './verb.ts';

/** What a context is made of. */
export interface ContextParts {
  readonly values: GivenValues;
  readonly host: Host;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly interrupts: Interrupts;
  readonly commands: readonly VerbEntry[];
}

export function createContext(parts: ContextParts): VerbContext {
  const { values, host, stdout, stderr, interrupts, commands } = parts;
  const json = globalOptions.json.read(values);
  const environment = withHome(host, globalOptions.home.read(values));
  const document = createDocument(stdout);
  return {
    get: (input) => input.read(values),
    stdout,
    stderr,
    get stdin() {
      return host.stdin();
    },
    get isInteractive() {
      return stderr.isTty && host.stdin().isTTY === true;
    },
    colours: createColours(colourEnabled({ isTTY: stdout.isTty }, environment)),
    json,
    verbose: globalOptions.verbose.read(values),
    acceptHooks: globalOptions.acceptHooks.read(values),
    yes: globalOptions.yes.read(values) || globalOptions.force.read(values),
    commands,
    environment,
    paths: homePaths(hermaHome(environment)),
    clock: host.clock,
    signal: interrupts.signal,
    workingDirectory: () => {
      const folder = host.workingDirectory();
      if (!folder.ok) throw new HermaError(folder);
      return folder.value;
    },
    print: (line = '') => stdout.write(`${line}\n`),
    printJson: (value) => {
      if (!document.print(value)) throw new Error('a command printed a second JSON document');
    },
    note: (line) => stderr.write(`${line}\n`),
    fail: (failure) => {
      stderr.write(`${describeFailure(failure)}\n`);
      if (json) document.print(errorDocument(failure));
      return EXIT.couldNot;
    },
    onInterrupt: (handler) => interrupts.takeOver(handler),
  };
}

/** What `--json` prints when the command could not do what it was asked. */
export function errorDocument({ code, message, remedy }: Omit<Failure, 'ok'>): {
  readonly error: { readonly code: string; readonly message: string; readonly remedy: string | null };
} {
  return { error: { code, message, remedy: remedy ?? null } };
}

/** `--home` counts as HERMA_HOME, also for the programs that are started. */
function withHome(host: Host, home: string | undefined): Host['environment'] {
  if (home === undefined) return host.environment;
  return freezeVariables([...Object.entries(host.environment), ['HERMA_HOME', home]]);
}

/** Prints one JSON document; every other is refused. */
function createDocument(stdout: Output): { readonly print: (value: unknown) => boolean } {
  let isPrinted = false;
  return {
    print: (value) => {
      if (isPrinted) return false;
      isPrinted = true;
      stdout.write(`${JSON.stringify(value, null, stdout.isTty ? 2 : undefined)}\n`);
      return true;
    },
  };
}
