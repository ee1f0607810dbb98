import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { footprintOf } from './footprint-of.ts';

/** The commands of a file, one a line. */
function commandsOf(file: string): string[] {
  const text = readFileSync(new URL(`fixtures/${file}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

const READ_ONLY = commandsOf('read-only.txt');

const MAY_CHANGE = commandsOf('may-change.txt');

/** What is fully accounted for, and by which words. */
const COMPLETE: [command: string, ...words: string[]][] = [
  ['rm y', 'y'],
  ['mv y q', 'y', 'q'],
  ['cp z y', 'z', 'y'],
  ['sed -i.bak s/2/9/ y', 's/2/9/', 'y', 'y.bak'],
  ['sed -i s/2/9/ y', 's/2/9/', 'y'],
  ['sed -iE s/2/9/ y', 's/2/9/', 'y', 'yE'],
  ['truncate -s 0 y', '0', 'y'],
  ['echo 9 > y', 'y', '9'],
  ['echo 9 >> y', 'y', '9'],
  ['cat z >y 2>&1', 'y', 'z'],
  [': > z', 'z'],
  ['dd if=/dev/null of=y', 'if=/dev/null', '/dev/null', 'of=y', 'y'],
  ['install -m 600 z y', '600', 'z', 'y'],
  ['shred -u y', 'y'],
  ['rm -rf "a b" c\\ d', 'a b', 'c d'],
  ['rm -- -x', '-x'],
  ['rm y -rf', 'y'],
  ["rm $'a\\tb'", 'a\tb'],
  ['mkdir -p a/b/c', 'a/b/c', 'a', 'a/b'],
  ['rmdir -p d/e', 'd/e', 'd'],
  ['ln -s ../z/name', '../z/name', 'name'],
  ['cp -t d a b', 'd', 'a', 'b'],
  ['mv --target-directory=d a', 'd', 'a'],
  ['cd d && rm x', 'd/x'],
  ['cd /d && cd e && rm x /y', '/d/e/x', '/y'],
  ['(cd d && rm x); rm y', 'd/x', 'y'],
  ['cd .. && rm x', '../x'],
  ['bash -c "rm y"', 'y'],
  ['sudo rm y', 'y'],
  ['command rm y', 'y'],
  ['env LC_ALL=C rm y', 'y'],
  ['timeout 5 rm y', 'y'],
  ['if rm y; then touch z; fi', 'y', 'z'],
  [
    'rm -rf d && mv y y2 && sed -i s/1/2/ c.ini && : > z && rm l && chmod 644 run',
    'd',
    'y',
    'y2',
    's/1/2/',
    'c.ini',
    'z',
    'l',
    '644',
    'run',
  ],
  ['printf a | tee y', 'a', 'y'],
  ['cat <<E > y\na $x\nE', 'y'],
  ['chmod -x y', 'y'],
];

const NOT_COMPLETE = commandsOf('not-complete.txt');

describe('a command that only reads', () => {
  it.each(READ_ONLY)('is known: %s', (command) => {
    expect(footprintOf(command)).toMatchObject({ isReadOnly: true, isDetached: false });
  });

  it.each(MAY_CHANGE)('is not taken for one: %s', (command) => {
    expect(footprintOf(command).isReadOnly).toBe(false);
  });

  it('is not the one behind a line that is continued, commented or quoted', () => {
    for (const command of [
      'ls # x\nrm y',
      'ls "a\nb" \\\n; rm y',
      "echo 'it''s'\nrm y",
      'cat <<E\nx\nE\nrm y',
    ])
      expect(footprintOf(command).isReadOnly).toBe(false);
    for (const command of ['ls # rm y', "echo '\nrm y'", "cat <<'E'\n$(rm y)\nE"])
      expect(footprintOf(command).isReadOnly).toBe(true);
    for (const body of ['$(rm y)', '`rm y`', "${x:-'$(rm y)'}", "${x:-${z:-'$(rm y)'}}"])
      expect(footprintOf(`cat <<E\n${body}\nE`).isReadOnly).toBe(false);
  });
});

describe('the words of a command', () => {
  it.each(COMPLETE)('account for all of it: %s', (command, ...words) => {
    expect(footprintOf(command)).toEqual({ isReadOnly: false, isComplete: true, isDetached: false, words });
  });

  it.each(NOT_COMPLETE)('do not account for all of it: %s', (command) => {
    expect(footprintOf(command).isComplete).toBe(false);
  });

  it('include the values of options and those of nested commands', () => {
    const command = `make --file=x of=y; bash -c 'tool a $(tool b)' > c; env A=1 sudo -u me tool d | xargs tool e`;
    expect(footprintOf(command).words).toEqual(expect.arrayContaining(['x', 'y', 'a', 'b', 'c', 'd', 'e']));
  });

  it('leave out what is expanded', () => {
    expect(footprintOf('tool *.c ~/x "$y" {a,b} c').words).toEqual(['c']);
  });

  it('are at most 200, and then they are not all', () => {
    const names = Array.from({ length: 250 }, (_, index) => `f${index}`);
    const { words, isComplete } = footprintOf(`rm ${names.join(' ')}`);
    expect(words).toEqual(names.slice(0, 200));
    expect(isComplete).toBe(false);
  });
});

describe('a command that goes on after it has answered', () => {
  it.each([
    'sleep 9 &',
    '(sleep 9; rm y) & ls',
    'nohup rm y',
    'setsid tool',
    'coproc tool',
    'disown',
    'at now',
    'batch',
    'tmux new -d x',
    'screen -dm x',
    'systemd-run x',
    'docker run -d x',
    'docker run -itd x',
    'bash -c "tool &"',
    'cat x > >(tee y)',
    'x=$(tool &)',
    '"$x"',
    'eval "$x"',
    'sudo -b tool',
    'bash -c "$x"',
  ])('is known: %s', (command) => {
    expect(footprintOf(command)).toMatchObject({ isDetached: true, isReadOnly: false });
  });

  it.each(['make', 'rm y', 'docker build .', 'ls && rm y', 'cat x > y 2>&1', 'source x'])(
    'is not: %s',
    (command) => {
      expect(footprintOf(command).isDetached).toBe(false);
    },
  );
});

describe('a text that is not understood', () => {
  const nothingKnown = { isReadOnly: false, words: [], isComplete: false, isDetached: true };

  it.each([
    "echo '",
    'ls )',
    'ls &&',
    'echo $(',
    'if ls; then',
    'ls;;',
    'echo $(ls; ()',
    'cat <<E\nx',
    'ls\r\n',
    'ls\0',
  ])('may change anything: %j', (command) => {
    expect(footprintOf(command)).toEqual(nothingKnown);
  });

  it('may change anything when it is too long or too deep', () => {
    expect(footprintOf(`ls ${'x'.repeat(200_000)}`)).toEqual(nothingKnown);
    expect(footprintOf(`${'$('.repeat(2000)}ls${')'.repeat(2000)}`)).toEqual(nothingKnown);
    expect(footprintOf(`${'('.repeat(300)}ls${')'.repeat(300)}`)).toEqual(nothingKnown);
    expect(footprintOf(`echo $((${'('.repeat(50_000)}1${')'.repeat(50_000)}))`)).toEqual(nothingKnown);
  });

  it('is no text without commands', () => {
    for (const command of ['', ' \n', '# rm y'])
      expect(footprintOf(command)).toEqual({
        isReadOnly: true,
        words: [],
        isComplete: true,
        isDetached: false,
      });
  });
});
