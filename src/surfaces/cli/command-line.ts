import { Command, CommanderError, Option as CommanderOption, InvalidArgumentError } from 'commander';
import { type Failure, fail, suggest } from '../../kernel/errors/index.ts';
import { EXIT } from './exit-code.ts';
import { globalOptions } from './global-options.ts';
import type { Argument, GivenValues, Option } from './inputs.ts';
import { printableLine } from './output/printable.ts';
import type { Verb, VerbEntry } from './verb.ts';

/** What a command line means. */
export type CommandLine =
  | {
      readonly type: 'run';
      readonly verb: Verb;
      readonly path: readonly string[];
      readonly values: GivenValues;
    }
  /** Help or the version was asked for. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'misused'; readonly failure: Failure<'usage'> };

export interface CommandLineOptions {
  readonly table: readonly VerbEntry[];
  readonly version: string;
  /** Width for help; undefined for a pipe. */
  readonly columns: number | undefined;
}

const DEFAULT_HELP_COLUMNS = 80;
const GLOBAL_GROUP = 'Global options:';

type Chosen = Extract<CommandLine, { type: 'run' }>;

/** Reads a command line and loads the verb it names, no other. Never throws for what a person typed. */
export async function readCommandLine(
  argv: readonly string[],
  { table, version, columns }: CommandLineOptions,
): Promise<CommandLine> {
  let text = '';
  let chosen: Chosen | undefined;
  const program = createProgram(version, columns, (part) => {
    text += part;
  });
  for (const entry of table) {
    program.command(entry.name, { hidden: entry.isHidden === true }).summary(entry.summary);
  }
  program.hook('preSubcommand', async (_, subcommand) => {
    const entry = table.find(({ name }) => name === subcommand.name());
    if (entry === undefined) return;
    define(subcommand, (await entry.load()).verb, [entry.name], (run) => {
      chosen = run;
    });
  });
  try {
    await program.parseAsync(withoutHelpCommand(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const stray = error.code === 'commander.helpDisplayed' ? unknownCommand(program) : undefined;
    if (stray !== undefined) return { type: 'misused', failure: stray };
    if (error.code === 'commander.help') program.outputHelp();
    else if (error.exitCode !== 0) return { type: 'misused', failure: usageFailure(error, argv, table) };
  }
  return chosen ?? { type: 'text', text };
}

function createProgram(version: string, columns: number | undefined, write: (part: string) => void): Command {
  const program = new Command('herma')
    .description('An agent runtime whose every side effect is gated, recorded and reversible.')
    .version(version, '-V, --version', 'print the version')
    .addHelpOption(new CommanderOption('-h, --help', 'show this help').helpGroup(GLOBAL_GROUP))
    .helpCommand(false)
    .usage('[options] <command>')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: write,
      writeErr: () => undefined,
      getOutHelpWidth: () => columns ?? DEFAULT_HELP_COLUMNS,
      getOutHasColors: () => false,
    });
  addGlobalOptions(program, []);
  return program.addHelpText('after', '\nExample:\n  $ herma doctor');
}

/** `help config get` is `config get --help`. */
function withoutHelpCommand(argv: readonly string[]): string[] {
  return argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
}

function define(command: Command, verb: Verb, path: readonly string[], choose: (run: Chosen) => void): void {
  const details = verb.details === undefined ? '' : `\n\n${verb.details}`;
  command.description(sentence(verb.summary) + details);
  for (const option of verb.options ?? []) command.addOption(toCommander(option));
  for (const argument of verb.arguments ?? []) addArgument(command, argument);
  addGlobalOptions(command, verb.options ?? []);
  command.addHelpText('after', `\nExample:\n  $ ${verb.example}`);
  for (const subcommand of verb.subcommands ?? []) {
    const below = command
      .command(subcommand.name, { hidden: subcommand.isHidden === true })
      .summary(subcommand.summary);
    define(below, subcommand, [...path, subcommand.name], choose);
  }
  if (verb.run === undefined) refuseWithoutSubcommand(command, verb, path);
  else if (hasOnlySubcommands(verb)) refuseUnknownSubcommand(command, verb, path);
  if (verb.run !== undefined)
    command.action(() => choose({ type: 'run', verb, path, values: valuesOf(command, verb) }));
}

/** Help with a success would hide the mistake from a script. */
function refuseWithoutSubcommand(command: Command, verb: Verb, path: readonly string[]): void {
  const names = (verb.subcommands ?? []).map(({ name }) => name).join(', ');
  command.exitOverride((error) => {
    if (error.code !== 'commander.help') throw error;
    throw new CommanderError(
      EXIT.couldNot,
      'herma.missingSubcommand',
      `${path.join(' ')} needs one of: ${names}`,
    );
  });
}

function hasOnlySubcommands({ subcommands = [], arguments: given = [] }: Verb): boolean {
  return subcommands.length > 0 && given.length === 0;
}

/** What stands behind a noun that takes no arguments was meant as a command. */
function refuseUnknownSubcommand(command: Command, verb: Verb, path: readonly string[]): void {
  command.exitOverride((error) => {
    const [name] = command.args;
    if (error.code !== 'commander.excessArguments' || name === undefined) throw error;
    const near = suggest(
      name,
      (verb.subcommands ?? []).map((subcommand) => subcommand.name),
    );
    const hint = near === undefined ? '' : `\n(Did you mean ${near}?)`;
    throw new CommanderError(
      EXIT.couldNot,
      'herma.unknownSubcommand',
      `unknown command '${[...path, name].join(' ')}'${hint}`,
    );
  });
}

function toCommander(option: Option): CommanderOption {
  const { parse, isRepeatable } = option;
  const made = new CommanderOption(option.flags, option.summary);
  if (parse === undefined) return made;
  return made.argParser((text: string, previous: unknown) => {
    const parsed = parse(text);
    if (!parsed.ok) throw new InvalidArgumentError(parsed.message);
    const before: readonly unknown[] = Array.isArray(previous) ? previous : [];
    return isRepeatable ? [...before, parsed.value] : parsed.value;
  });
}

function addArgument(command: Command, argument: Argument): void {
  const name = argument.isVariadic ? `${argument.key}...` : argument.key;
  const { choices } = argument;
  const known = choices === undefined ? '' : ` (${choices.join(', ')})`;
  command.argument(
    argument.isRequired ? `<${name}>` : `[${name}]`,
    argument.summary + known,
    ...checkerOf(argument),
  );
}

function checkerOf({ choices }: Argument): readonly [] | readonly [(text: string) => string] {
  if (choices === undefined) return [];
  return [
    (text) => {
      if (!choices.includes(text)) throw new InvalidArgumentError(`expected one of ${choices.join(', ')}`);
      return text;
    },
  ];
}

/** A short form that the verb needs for itself is left to it. */
function addGlobalOptions(command: Command, own: readonly Option[]): void {
  const taken = own.flatMap(({ flags }) => flags.match(/(?<=^|[\s,])-\w\b/g) ?? []);
  for (const option of Object.values(globalOptions)) {
    const flags = taken.some((short) => option.flags.startsWith(`${short},`))
      ? option.flags.replace(/^-\w, /, '')
      : option.flags;
    command.addOption(toCommander({ ...option, flags }).helpGroup(GLOBAL_GROUP));
  }
}

/** Options of the command and of those above it, by their long names; the innermost wins. */
function valuesOf(command: Command, verb: Verb): GivenValues {
  const values = new Map<string, unknown>();
  const lineage: Command[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) lineage.unshift(each);
  for (const each of lineage) {
    for (const option of each.options) {
      const value: unknown = each.getOptionValue(option.attributeName());
      if (value !== undefined) values.set(option.name(), value);
    }
  }
  const given: readonly unknown[] = command.processedArgs;
  for (const [index, { key }] of (verb.arguments ?? []).entries()) {
    if (given[index] !== undefined) values.set(key, given[index]);
  }
  return values;
}

/** `nonsense --help` is a mistake, not a request for help. */
function unknownCommand(program: Command): Failure<'usage'> | undefined {
  const name = program.args.find((argument) => !argument.startsWith('-'));
  const known = program.commands.map((command) => command.name());
  if (name === undefined || known.includes(name)) return undefined;
  const near = suggest(name, known);
  const remedy = near === undefined ? HELP : `did you mean ${near}?`;
  return fail('usage', `unknown command '${printableLine(name)}'`, remedy);
}

const HELP = '`herma --help` lists the commands';

function usageFailure(
  error: CommanderError,
  argv: readonly string[],
  table: readonly VerbEntry[],
): Failure<'usage'> {
  const [sentence = '', hint] = error.message.replace(/^error: /, '').split('\n(');
  // For a command that looks like an option, commander suggests the names of commands as if they were options.
  const isMangled = error.code === 'commander.unknownCommand' && hint?.includes(' --') === true;
  const near = isMangled ? undefined : hint?.replace(/^Did/, 'did').replace(/\)$/, '');
  const verb = argv.find((word) => table.some(({ name }) => name === word));
  const help = verb === undefined ? HELP : `\`herma ${verb} --help\` shows what it takes`;
  return fail(
    'usage',
    printableLine(sentence.replace(/\.$/, '').replace('. expected', ', expected')),
    near === undefined ? help : printableLine(near),
  );
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}
