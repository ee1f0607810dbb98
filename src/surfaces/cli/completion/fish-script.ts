import { allCommands, type CommandNode, type OptionNode, type ValueCompletion } from './command-tree.ts';

/** A completion script for fish 3 and newer. */
export function fishScript(root: CommandNode): string {
  const commands = allCommands(root);
  const valueOptions = new Set(
    commands.flatMap(({ options }) =>
      options.filter(({ value }) => value !== undefined).flatMap(({ names }) => names),
    ),
  );
  return `# Completion of herma for fish. To use it: herma completion fish | source
function __herma_commands
  switch "$argv"
${commands
  .filter(({ subcommands }) => subcommands.length > 0)
  .map(({ path, subcommands }) => {
    const names = subcommands.map((below) => below.path.at(-1) ?? '').join(' ');
    return `    case ${quote(path.join(' '))}\n      string split ' ' ${quote(names)}`;
  })
  .join('\n')}
  end
end

function __herma_is
  set -l words (commandline -opc)
  set -l at
  set -l is_value 0
  for word in $words[2..-1]
    if test $is_value = 1
      set is_value 0
    else if contains -- $word ${[...valueOptions].join(' ')}
      set is_value 1
    else if contains -- $word (__herma_commands "$at")
      set at $at $word
    end
  end
  test "$at" = "$argv"
end

complete -c herma -e
complete -c herma -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf(node: CommandNode): readonly string[] {
  const condition = `-n ${quote(`__herma_is ${quote(node.path.join(' '))}`)}`;
  const subcommands = node.subcommands.map(
    ({ path, summary }) =>
      `complete -c herma ${condition} -a ${quote(path.at(-1) ?? '')} -d ${quote(summary)}`,
  );
  const parameters = node.arguments
    .map(({ value }) => candidates(value))
    .filter((text) => text !== '')
    .map((text) => `complete -c herma ${condition} ${text}`);
  return [...subcommands, ...parameters, ...node.options.map((option) => optionLine(condition, option))];
}

function optionLine(condition: string, { names, summary, value }: OptionNode): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const taken = value === undefined ? '' : ` -r ${candidates(value)}`.trimEnd();
  return `complete -c herma ${condition} ${flags.join(' ')}${taken} -d ${quote(summary)}`;
}

function candidates(value: ValueCompletion): string {
  switch (value.type) {
    case 'words':
      return `-a ${quote(value.words.join(' '))}`;
    case 'dynamic':
      return `-a ${quote(`(herma __complete ${value.kind} 2>/dev/null)`)}`;
    case 'files':
      return '-F';
    case 'folders':
      return `-a ${quote('(__fish_complete_directories)')}`;
    case 'nothing':
      return '';
  }
}

/** Text in single quotes, in which fish knows two escapes. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
