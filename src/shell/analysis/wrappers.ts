import type { Field } from './field.ts';
import { type ReadArguments, readArguments, type ValuedOptions } from './read-arguments.ts';

/** A program that starts the one behind its own arguments. */
interface Wrapper extends ValuedOptions {
  /** Operands of its own in front of the command. */
  readonly operands?: number;
  /** `NAME=value` in front of the command. */
  readonly takesAssignments?: boolean;
  /** The command is one text, or several words joined to one, for a shell. */
  readonly isText?: boolean;
  /** Names of options whose value is such a text. */
  readonly textOptions?: readonly string[];
  /** Its options may stand behind its operands, and there is no command but in a text. */
  readonly isAnywhere?: boolean;
  /** With one of these it only tells. */
  readonly queries?: RegExp;
}

const SU: Wrapper = {
  letters: 'cgGsw',
  names: ['command', 'group', 'shell'],
  textOptions: ['c', 'command'],
  isAnywhere: true,
};

const WRAPPERS = new Map<string, Wrapper>([
  ['command', { queries: /^-[pvV]*[vV]/ }],
  ['builtin', {}],
  ['exec', { letters: 'a' }],
  [
    'sudo',
    {
      letters: 'ugpCDhRrTtU',
      names: [
        'user',
        'group',
        'prompt',
        'chdir',
        'host',
        'chroot',
        'role',
        'type',
        'other-user',
        'command-timeout',
        'close-from',
      ],
      takesAssignments: true,
      queries: /^(?:-[lvkKVh]|--(?:list|validate|reset-timestamp|remove-timestamp|version|help))$/,
    },
  ],
  ['doas', { letters: 'uC' }],
  ['pkexec', { names: ['user'] }],
  ['env', { letters: 'uCSa', names: ['unset', 'chdir', 'split-string', 'argv0'], takesAssignments: true }],
  ['nice', { letters: 'n', names: ['adjustment'] }],
  ['ionice', { letters: 'cnpPu', names: ['class', 'classdata', 'pid'] }],
  ['chrt', { letters: 'TPD', operands: 1 }],
  ['taskset', { operands: 1, letters: '' }],
  ['numactl', { letters: 'mNCpil' }],
  ['timeout', { letters: 'ks', names: ['kill-after', 'signal'], operands: 1 }],
  ['stdbuf', { letters: 'ioe', names: ['input', 'output', 'error'] }],
  ['nohup', {}],
  ['setsid', {}],
  ['time', { letters: 'fo', names: ['format', 'output'] }],
  ['busybox', {}],
  ['toybox', {}],
  ['chroot', { operands: 1, names: ['userspec', 'groups'] }],
  ['unshare', { letters: 'SGR', names: ['root', 'wd', 'setuid', 'setgid'] }],
  ['nsenter', { letters: 'tSG', names: ['target'] }],
  ['strace', { letters: 'aebEIoOpPsSuX' }],
  ['ltrace', { letters: 'aeluonpsAFx' }],
  ['valgrind', {}],
  ['catchsegv', {}],
  ['fakeroot', { letters: 'lsib' }],
  ['proot', { letters: 'rbqw' }],
  ['firejail', {}],
  ['bwrap', {}],
  ['setarch', { operands: 1 }],
  ['linux32', {}],
  ['linux64', {}],
  ['runcon', { letters: 'turl' }],
  ['setpriv', { names: ['reuid', 'regid', 'groups'] }],
  ['chpst', { letters: 'uUebmdopfcrtnP' }],
  ['dbus-run-session', {}],
  ['dbus-launch', {}],
  ['xvfb-run', { letters: 'enpsfw', names: ['server-args', 'server-num'] }],
  ['unbuffer', {}],
  ['caffeinate', { letters: 'tw' }],
  [
    'systemd-run',
    {
      letters: 'puHME',
      names: ['unit', 'property', 'slice', 'uid', 'gid', 'setenv', 'on-active', 'on-calendar', 'description'],
    },
  ],
  ['systemd-inhibit', { names: ['what', 'who', 'why', 'mode'] }],
  ['torsocks', {}],
  ['torify', {}],
  ['proxychains', { letters: 'f' }],
  ['proxychains4', { letters: 'f' }],
  ['ssh-agent', { letters: 'atE' }],
  ['noglob', {}],
  ['nocorrect', {}],
  ['flock', { letters: 'wEc', names: ['timeout', 'command'], operands: 1, textOptions: ['c', 'command'] }],
  ['watch', { letters: 'nq', names: ['interval'], isText: true }],
  ['script', { letters: 'cBEIOTmt', names: ['command'], textOptions: ['c', 'command'], operands: 1 }],
  ['su', SU],
  ['runuser', { ...SU, letters: 'ucgGsw', isAnywhere: false }],
  ['sg', { operands: 1, isText: true }],
  ['parallel', { letters: 'jaNPIS', names: ['jobs', 'arg-file', 'max-args', 'delay', 'joblog'] }],
  ['entr', {}],
  ...['npx', 'bunx', 'pnpx', 'uvx'].map((name): [string, Wrapper] => [
    name,
    { letters: 'pc', names: ['package', 'call', 'from'], textOptions: ['c', 'call'] },
  ]),
  [
    'hyperfine',
    { letters: 'wmMrpcS', names: ['warmup', 'runs', 'prepare', 'setup', 'cleanup'], isText: true },
  ],
  ['dotenv', { letters: 'ef' }],
  [
    'xargs',
    {
      letters: 'nPLdsIaE',
      names: ['max-args', 'max-procs', 'max-lines', 'delimiter', 'arg-file', 'replace', 'max-chars'],
    },
  ],
]);

/** `uv run …`, `bundle exec …`: the words between are part of the wrapper. */
const RUNNERS = new Map<string, readonly string[]>([
  ['uv', ['run']],
  ['poetry', ['run']],
  ['pipenv', ['run']],
  ['pdm', ['run']],
  ['hatch', ['run']],
  ['rye', ['run']],
  ['conda', ['run']],
  ['bundle', ['exec']],
  ['rbenv', ['exec']],
  ['pyenv', ['exec']],
  ['npm', ['exec', 'x']],
  ['pnpm', ['exec', 'dlx']],
  ['yarn', ['exec', 'dlx']],
  ['pipx', ['run']],
  ['bun', ['x']],
  ['direnv', ['exec']],
  ['mise', ['exec', 'x']],
  ['asdf', ['exec']],
  ['op', ['run']],
  ['doppler', ['run']],
  ['perf', ['stat', 'record']],
]);

export interface Peeled {
  readonly read: ReadArguments;
  /** The command it starts; empty when there is none. */
  readonly command: readonly Field[];
  /** `NAME=value` words in front of it. */
  readonly assignments: readonly Field[];
  /** Operands of its own. */
  readonly own: readonly Field[];
  /** Texts for a shell. */
  readonly texts: readonly Field[];
  readonly isQuery: boolean;
}

/** Takes a wrapper off; undefined when the program is none. */
export function peel(name: string, args: readonly Field[]): Peeled | undefined {
  const wrapper = WRAPPERS.get(name);
  if (wrapper === undefined) return peelRunner(name, args);
  const read = readArguments(args, { ...wrapper, endsAtOperand: wrapper.isAnywhere !== true });
  const isQuery =
    wrapper.queries !== undefined &&
    args.some(
      ({ text }, index) =>
        index < args.length - read.operands.length && wrapper.queries?.test(text ?? '') === true,
    );
  const texts = read.options.flatMap(({ name: option, value }) =>
    wrapper.textOptions?.includes(option) === true && value !== undefined ? [value] : [],
  );
  const own = read.operands.slice(0, wrapper.operands ?? 0);
  let command = wrapper.isAnywhere === true ? [] : read.operands.slice(own.length);
  if (wrapper.textOptions !== undefined && /^(?:-c|--command)$/.test(command[0]?.text ?? '')) {
    texts.push(...command.slice(1, 2));
    command = [];
  }
  const assignments: Field[] = [];
  while (
    wrapper.takesAssignments === true &&
    /^[A-Za-z_]\w*(?:%%)?=/.test(command[0]?.text ?? command[0]?.pattern ?? '')
  ) {
    assignments.push(...command.slice(0, 1));
    command = command.slice(1);
  }
  if (wrapper.isText === true)
    return {
      read,
      command: [],
      assignments,
      own,
      texts: command.length === 0 ? texts : [...texts, joined(command)],
      isQuery,
    };
  return { read, command: texts.length > 0 ? [] : command, assignments, own, texts, isQuery };
}

function joined(fields: readonly Field[]): Field {
  const [first] = fields;
  if (first !== undefined && fields.length === 1) return first;
  const isKnown = fields.every(({ text }) => text !== undefined);
  const shown = fields.map((field) => field.text ?? field.pattern).join(' ');
  return { ...(first ?? NONE), ...(isKnown ? { text: shown } : { text: undefined, isDynamic: true }), shown };
}

const NONE: Field = {
  text: '',
  pattern: '',
  isDynamic: false,
  choices: [],
  origin: 'here',
  file: undefined,
  names: undefined,
  secret: 'none',
  isLocal: false,
  isList: false,
  isProse: false,
  shown: '',
};

function peelRunner(name: string, args: readonly Field[]): Peeled | undefined {
  const verbs = RUNNERS.get(name);
  const verb = args.findIndex(({ text }) => text !== undefined && !text.startsWith('-'));
  if (verbs === undefined || !verbs.includes(args[verb]?.text ?? '')) return undefined;
  const read = readArguments(args.slice(verb + 1), {
    letters: 'npew',
    names: ['python', 'with', 'package', 'project'],
    endsAtOperand: true,
  });
  const command = read.operands[0]?.text === '--' ? read.operands.slice(1) : read.operands;
  return { read, command, assignments: [], own: [], texts: [], isQuery: false };
}
