import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyseCommand } from './analyse-command.ts';
import type { CommandPlace } from './command-analysis.ts';
import { USUAL_VERDICTS } from './usual-verdicts.ts';

const PLACE: CommandPlace = {
  cwd: '/home/u/proj',
  home: '/home/u',
  workspace: '/home/u/proj',
  hermaHome: '/home/u/.herma',
};
const ORDER = ['allow', 'ask', 'block'] as const;
type Verdict = (typeof ORDER)[number];

function verdictOf(command: string): Verdict {
  const weights = analyseCommand(command, PLACE).findings.map((finding) =>
    ORDER.indexOf(USUAL_VERDICTS[finding.class]),
  );
  return ORDER[Math.max(0, ...weights)] ?? 'allow';
}

interface Row {
  readonly verdict: Verdict;
  readonly command: string;
}

function rowsOf(file: string, columns: number): Row[] {
  return readFileSync(new URL(`./fixtures/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))
    .map((cells) => ({
      verdict: ORDER.find((each) => cells.slice(0, columns).includes(each)) ?? 'allow',
      command: cells.slice(columns).join('\t').replaceAll('␊', '\n').replaceAll('<U+202E>', '\u202e'),
    }));
}

const ROWS = [...rowsOf('policy.tsv', 3), ...rowsOf('pairs.tsv', 2), ...rowsOf('everyday.txt', 0)];
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The same command inside something else. */
const WRAPPINGS: Readonly<Record<string, (command: string) => string>> = {
  'bash -c': (c) => `bash -c ${quoted(c)}`,
  'bash -lc behind sudo': (c) => `sudo bash -lc ${quoted(c)}`,
  'bash -o': (c) => `bash -eo pipefail -c ${quoted(c)}`,
  'nested shells': (c) => `sh -c ${quoted(`bash -c ${quoted(c)}`)}`,
  eval: (c) => `eval ${quoted(c)}`,
  subshell: (c) => `( ${c}\n)`,
  group: (c) => `{ ${c}\n}`,
  if: (c) => `if true; then ${c}\nfi`,
  else: (c) => `if false; then :; else ${c}\nfi`,
  while: (c) => `while true; do ${c}\nbreak; done`,
  case: (c) => `case x in x) ${c}\n;; esac`,
  'substitution in quotes': (c) => `echo "$(${c}\n)"`,
  substitution: (c) => `: $(${c}\n)`,
  'process substitution': (c) => `cat <(${c}\n)`,
  'quoted here-document': (c) => `bash <<'WRAP'\n${c}\nWRAP\n`,
  'here-string': (c) => `bash <<< ${quoted(c)}`,
  'here-document of cat': (c) => `cat <<'WRAP' | sh\n${c}\nWRAP\n`,
  'env and a shell': (c) => `env A=1 bash -c ${quoted(c)}`,
  'timeout and a shell': (c) => `timeout -k 1 5 bash -c ${quoted(c)}`,
  'nohup and a shell': (c) => `nohup nice -n 5 bash -c ${quoted(c)} > /dev/null 2>&1`,
  function: (c) => `wrapped() { ${c}\n}; wrapped`,
  'function keyword': (c) => `function wrapped { ${c}\n}\nwrapped`,
  'xargs of a shell': (c) => `echo x | xargs -I MARK bash -c ${quoted(c)}`,
  'find of a shell': (c) => (c.includes('{}') ? c : `find . -maxdepth 0 -exec bash -c ${quoted(c)} \\;`),
  'printf into a shell': (c) => `printf '%s\\n' ${quoted(c)} | sh`,
  'echo into a shell': (c) => (c.includes('\\') ? c : `echo ${quoted(c)} | bash`),
  'variable run by eval': (c) => `c=${quoted(c)}; eval "$c"`,
  'variable run by a shell': (c) => `c=${quoted(c)}; bash -c "$c"`,
  'script that is written first': (c) => `printf '%s\\n' ${quoted(c)} > w.sh; bash w.sh`,
  trap: (c) => `trap ${quoted(c)} EXIT`,
  alternatives: (c) => `false || { ${c}\n}`,
  sequence: (c) => `true && { ${c}\n} && true`,
  coproc: (c) => `coproc { ${c}\n}`,
  'bang and time': (c) => `! time { ${c}\n}`,
  'git alias': (c) => `git -c alias.w=${quoted(`!bash -c ${quoted(c)}`)} w`,
  loop: (c) => `for i in 1 2; do ${c}\ndone`,
};

/** Texts that do not end where they seem to cannot be put into anything. */
const isClosed = (command: string): boolean => analyseCommand(command, PLACE).problem === undefined;
const risky = ROWS.filter(({ verdict, command }) => verdict !== 'allow' && isClosed(command));
const benign = ROWS.filter(({ verdict }) => verdict === 'allow');

/** A shell or a loop of its own rightly changes what these mean. */
const CHANGED = new Set(['function|set -- rm -rf /; "$@"']);

describe.each(Object.entries(WRAPPINGS))('inside %s', (name, wrap) => {
  it('no risky command is judged more mildly', () => {
    const weaker = risky
      .filter(({ command }) => !CHANGED.has(`${name}|${command}`))
      .filter(({ verdict, command }) => ORDER.indexOf(verdictOf(wrap(command))) < ORDER.indexOf(verdict))
      .map(({ command }) => command);
    expect(weaker).toEqual([]);
  });

  it('every harmless command stays allowed', () => {
    const refused = benign
      .filter(({ command }) => verdictOf(wrap(command)) !== 'allow')
      .map(({ command }) => command);
    expect(refused).toEqual([]);
  });
});

/** Programs that start the one behind them, for commands that are just one program. */
const PREFIXES = [
  'sudo',
  'sudo -u root --',
  'doas',
  'env A=1',
  'env -i A=1 B=2',
  'command',
  'exec',
  'nohup',
  'setsid',
  'time',
  'nice -n 5',
  'ionice -c 3',
  'timeout 5',
  'stdbuf -oL',
  'busybox',
  'toybox',
  'chroot /',
  'flock /tmp/l',
  'strace -f',
  'caffeinate -i',
  'uv run',
  'xvfb-run -a',
  'unshare -r',
];
const PLAIN =
  /^(?!(?:if|for|while|case|cd|set|eval|trap|alias|source|export|function|read|coproc|command|type|history|kill|test|exec|printenv|env|!|\.)\b|[!.{(>[$`'A-Za-z_]+\w*=|[.:{(>[$`!])[\w./-]+ [^|;&<>\n`$(){}]*$/;

describe.each(PREFIXES)('behind %s', (prefix) => {
  it('single commands are judged as before', () => {
    const plain = ROWS.filter(({ command }) => PLAIN.test(command) && isClosed(command));
    expect(plain.length).toBeGreaterThan(100);
    const changed = plain
      .filter(({ verdict, command }) => verdictOf(`${prefix} ${command}`) !== verdict)
      .map(({ command }) => command);
    expect(changed).toEqual([]);
  });
});
