import { allCommands, type CommandNode, type ValueCompletion } from './command-tree.ts';

/** Text in single quotes, for bash and zsh. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** How a value is completed, in one word that the scripts understand: `words:a b`, `dynamic:config-keys`, `files`. */
function describeValue(value: ValueCompletion): string {
  switch (value.type) {
    case 'words':
      return `words:${value.words.join(' ')}`;
    case 'dynamic':
      return `dynamic:${value.kind}`;
    case 'files':
    case 'folders':
    case 'nothing':
      return value.type;
  }
}

/**
 * The functions that both bash and zsh ask: what commands, options, values and arguments there are below a command
 * path (`config get`). `describe` writes one line of the first two lists.
 */
export function shellData(root: CommandNode, describe: (name: string, summary: string) => string): string {
  const commands = allCommands(root);
  const listOf = (node: CommandNode, lines: readonly string[]): string =>
    `    ${quote(node.path.join(' '))}) printf '%s\\n' ${lines.map(quote).join(' ')} ;;`;
  const withSubcommands = commands.filter(({ subcommands }) => subcommands.length > 0);
  const values = commands.flatMap((node) =>
    node.options.flatMap(({ names, value }) =>
      value === undefined
        ? []
        : names.map(
            (name) =>
              `    ${quote(`${node.path.join(' ')} ${name}`)}) echo ${quote(describeValue(value))} ;;`,
          ),
    ),
  );
  const parameters = commands.flatMap((node) =>
    node.arguments.map(({ value, isVariadic }, index) => {
      const place = `${quote(`${node.path.join(' ')} `)}${isVariadic ? '[0-9]*' : String(index)}`;
      return `    ${place}) echo ${quote(describeValue(value))} ;;`;
    }),
  );
  const subcommands = withSubcommands.map((node) =>
    listOf(
      node,
      node.subcommands.map((below) => describe(below.path.at(-1) ?? '', below.summary)),
    ),
  );
  const options = commands.map((node) =>
    listOf(
      node,
      node.options.flatMap(({ names, summary }) => names.map((name) => describe(name, summary))),
    ),
  );
  return [
    shellFunction('__herma_commands', '$1', subcommands),
    shellFunction('__herma_options', '$1', options),
    shellFunction('__herma_value', '$1 $2', values),
    shellFunction('__herma_argument', '$1 $2', parameters),
  ].join('\n');
}

function shellFunction(name: string, subject: string, cases: readonly string[]): string {
  return `${name}() {\n  case "${subject}" in\n${cases.join('\n')}\n  esac\n}`;
}
