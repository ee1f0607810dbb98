import { bashScript } from '../completion/bash-script.ts';
import { type CommandNode, commandTree } from '../completion/command-tree.ts';
import { fishScript } from '../completion/fish-script.ts';
import { zshScript } from '../completion/zsh-script.ts';
import { EXIT } from '../exit-code.ts';
import { choiceArgument } from '../inputs.ts';
import type { Verb } from '../verb.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies Record<
  string,
  (root: CommandNode) => string
>;

const shell = choiceArgument('shell', 'your shell', ['bash', 'zsh', 'fish']);

export const verb: Verb = {
  name: 'completion',
  summary: 'print a script that completes commands in your shell',
  details: `Put one of these into the start-up file of your shell:
  source <(herma completion bash)
  source <(herma completion zsh)
  herma completion fish | source`,
  example: 'source <(herma completion bash)',
  arguments: [shell],
  run: async (context) => {
    const name = context.get(shell);
    const script = SCRIPTS[name](await commandTree(context.commands));
    if (context.json) context.printJson({ shell: name, script });
    else context.stdout.write(script);
    return EXIT.done;
  },
};
