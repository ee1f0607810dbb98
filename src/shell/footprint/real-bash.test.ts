import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { footprintOf } from './footprint-of.ts';

/** A directory with a few files and what bash does to them. */
interface Place {
  readonly path: string;
  readonly fill: () => void;
  readonly run: (command: string) => void;
  /** Every path below it with its kind, mode and content. */
  readonly look: () => Map<string, string>;
}

function openPlace(): Place {
  const path = mkdtempSync(join(tmpdir(), 'shell-'));
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
  });
  const files = [
    'y',
    'z',
    'a b',
    "q'r",
    'd/x',
    'd/y',
    'e/f/g',
    '-n',
    '$v',
    'st*r',
    '{a,b}',
    'b\\s',
    'é',
    '#h',
  ];
  return {
    path,
    fill: () => {
      for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true, force: true });
      for (const directory of ['d', 'e/f']) mkdirSync(join(path, directory), { recursive: true });
      for (const file of files) writeFileSync(join(path, file), `1 in ${file}\n`);
    },
    run: (command) => {
      const env = { PATH: '/usr/bin:/bin', HOME: path, LC_ALL: 'C.UTF-8' };
      spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', command], {
        cwd: path,
        env,
        timeout: 3000,
        stdio: 'ignore',
      });
    },
    look: () =>
      new Map(
        readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => [
          name,
          stateOf(join(path, name)),
        ]),
      ),
  };
}

function stateOf(path: string): string {
  const { mode, mtimeMs } = lstatSync(path);
  const isFile = (mode & 0o170000) === 0o100000;
  // The time of a directory changes with what is in it, which is seen by itself.
  return isFile ? `${mode} ${mtimeMs} ${readFileSync(path, 'latin1')}` : `${mode}`;
}

function changedPaths(before: Map<string, string>, after: Map<string, string>): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.filter((name) => before.get(name) !== after.get(name));
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const READERS = [
  'ls',
  'cat y',
  'echo a',
  'true',
  'false',
  'pwd',
  'wc -l y',
  'grep -q in y',
  'find . -name y',
  'sort y',
  'head -1 z',
  'test -f y',
  '[ -e y ]',
  '[[ y == y ]]',
  "sed -n '1p' y",
  "printf '%s' a",
  'uniq y',
  'cd d',
  'x=1',
  ':',
  'diff y z',
  'LC_ALL=C sort y',
  'xargs cat',
];

const WRITERS = [
  'touch MARK',
  ': > MARK',
  '> MARK',
  'echo a >> MARK',
  'echo a >| MARK',
  'ls &> MARK',
  'ls >& MARK',
  'cat 1<> MARK',
  'cp y MARK',
  'tee MARK',
  'dd of=MARK status=none',
  'mkdir MARK',
  'ln -s y MARK',
  'sort -o MARK y',
  'sort --out=MARK y',
  'uniq y MARK',
  'xxd y MARK',
  "sed -n 'w MARK' y",
  "sed 's/in/touch MARK/w MARK' y",
  "sed '1e touch MARK' y",
  'find . -maxdepth 0 -fprint MARK',
  String.raw`find y -exec touch MARK \;`,
  't=touch; $t MARK',
  "eval 'touch MARK'",
  'env touch MARK',
  'command touch MARK',
  'xargs touch <<< MARK',
  'echo MARK | xargs touch',
  'timeout 9 touch MARK',
  'nice touch MARK',
  'exec touch MARK',
  `awk 'BEGIN { print > "MARK" }'`,
  `perl -e 'open(F, ">MARK")'`,
  "trap 'touch MARK' EXIT",
  'echo touch MARK | bash',
  "x='a[$(touch MARK)]'; echo $((x))",
  "x='a[$(touch MARK)]'; [[ $x -eq 1 ]]",
  "x='a[$(touch MARK)]'; [[ -v $x ]]",
  "x='a[$(touch MARK)]'; test -v $x",
  'x=\'a[$(touch MARK)]\'; printf -v "$x" b',
  'x=\'a[$(touch MARK)]\'; echo "${!x}"',
  "x='a[$(touch MARK)]'; echo ${y:x}",
  "x='b[$(touch MARK)]'; echo ${a[x]}",
  "x='b[$(touch MARK)]'; a=([x]=1)",
  "x='$(touch MARK)'; echo ${x@P}",
  "x='-v a[$(touch${IFS}MARK)]'; [ $x ]",
  'x="-o MARK"; sort $x y',
  'x="-fprint MARK"; find . $x',
  'ls() { touch MARK; }; ls',
  "to''uch MARK",
  String.raw`to\uch MARK`,
  "$'touch' MARK",
  '"touch" MARK',
  'touch M""ARK',
  'touch $(echo MARK)',
  'sh -c "[[ a && touch MARK"',
  "sh -c '((touch MARK))'",
  'coproc touch MARK; wait',
  'touch MARK & wait',
  'builtin eval touch MARK',
  'source <(echo touch MARK)',
  'git init -q MARK',
  "bash -c 'touch MARK'",
  'bash -c \'touch "$0"\' MARK',
  'touch -- MARK',
  'install y MARK',
  'script -qc "touch MARK" out',
];

/** What can stand around a command; each with another one that only reads. */
const AROUND: ((command: string, reader: string) => string)[] = [
  (c) => `( ${c} )`,
  (c) => `{ ${c}\n}`,
  (c, r) => `if ${c}\nthen ${r}\nfi`,
  (c, r) => `if ${r}\nthen :\nelse ${c}\nfi; ${c}`,
  (c) => `while ${c}\ndo break\ndone`,
  (c) => `for i in 1; do ${c}\ndone`,
  (c) => `for i in "$(${c}\n)"; do :; done`,
  (c, r) => `case a in b) ${r}\n;; a) ${c}\n;; esac`,
  (c) => `case "$(${c}\n)" in *) :;; esac`,
  (c, r) => `${c} | ${r}`,
  (c, r) => `${r} | ${c}`,
  (c, r) => `${c} && ${r}`,
  (c, r) => `${r} && ${c}`,
  (c, r) => `${r} || ${c}`,
  (c, r) => `${r}; ${c}`,
  (c, r) => `${r}\n${c}`,
  (c, r) => `${r} # '\n${c}`,
  (c, r) => `${r} \\\n; ${c}`,
  (c) => `! ${c}`,
  (c) => `time ${c}`,
  (c) => `echo "$(${c}\n)"`,
  (c) => `echo $(${c}\n)`,
  (c) => (/[`\\]/.test(c) ? `echo "$(${c}\n)"` : `echo "\`${c}\n\`"`),
  (c) => `echo "\${q:-$(${c}\n)}"`,
  (c) => `echo "\${q:-'$(${c}\n)'}"`,
  (c) => `echo \${HOME#$(${c}\n)}`,
  (c) => `echo \${HOME/a/$(${c}\n)}`,
  (c) => `echo {a,$(${c}\n)}`,
  (c) => `echo y[$(${c}\n)]`,
  (c) => `cat <(${c}\n)`,
  (c, r) => `${r} > >(${c}\n)`,
  (c) => `cat <<E\n$(${c}\n)\nE\n`,
  (c) => `cat <<-E | cat\n\t$(${c}\n)\n\tE\n`,
  (c, r) => `cat <<'E'\n$(${r}\nE\n${c}`,
  (c) => `cat <<< "$(${c}\n)"`,
  (c) => `[[ -n $(${c}\n) ]]`,
  (c) => `[[ a == a && ( b == c || -n "$(${c}\n)" ) ]]`,
  (c) => `[ -n "$(${c}\n)" ]`,
  (c) => `f() { ${c}\n}; f`,
  (c) => `function f { ${c}\n}; f`,
  (c) => `x=$(${c}\n)`,
  (c) => `x=(1 $(${c}\n))`,
  (c) => `LC_ALL="$(${c}\n)" ls`,
  (c) => `a[$(${c}\n)]=1`,
  (c) => `echo $(( $(${c}\n) + 0 ))`,
  (c) => `(( $(${c}\n) ))`,
  (c) => `for ((i=$(${c}\n)0; i<1; i++)); do :; done`,
  (c) => `bash -c ${quoted(c)}`,
  (c) => `sh -c ${quoted(c)}`,
  (c) => `env LC_ALL=C bash -c ${quoted(c)}`,
  (c) => `timeout 9 bash -ec ${quoted(c)}`,
  (c) => `echo a | xargs bash -c ${quoted(c)}`,
  (c) => `eval ${quoted(c)}`,
  (c) => `{ ${c}\n} 2>&1`,
  (c) => `{ ${c}\n} &\nwait`,
  (c) => `echo "a$(echo "b$(${c}\n)")"`,
];

const readers = fc.constantFrom(...READERS);
const { command: composed } = fc.letrec<{ command: string }>((tie) => ({
  command: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    {
      arbitrary: fc.oneof(
        { arbitrary: readers, weight: 6 },
        { arbitrary: fc.constantFrom(...WRITERS), weight: 1 },
      ),
      weight: 1,
    },
    {
      arbitrary: fc
        .tuple(fc.constantFrom(...AROUND), tie('command'), readers)
        .map(([around, command, reader]) => around(command, reader)),
      weight: 3,
    },
  ),
}));
/** One letter of the grammar put somewhere: what was quoted, nested or a comment becomes something else. */
const disturbed = fc
  .tuple(
    composed,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'\'"\\$()`;#\n{}&|<>= *!~'.split(''))), {
      maxLength: 2,
      size: 'xsmall',
    }),
  )
  .map(([command, insertions]) =>
    insertions.reduce((text, [at, letter]) => {
      const index = at % (text.length + 1);
      return text.slice(0, index) + letter + text.slice(index);
    }, command),
  );

describe('beside real bash', () => {
  it('each of the commands that are to be noticed does change something', () => {
    const place = openPlace();
    const idle = WRITERS.filter((command) => {
      place.fill();
      const before = place.look();
      place.run(`${command} < /dev/null`);
      return changedPaths(before, place.look()).length === 0;
    });
    // What differs between versions of bash and sh is worth noticing all the same.
    expect(idle.length).toBeLessThan(WRITERS.length / 5);
  });

  it('a command that changes a file is never said to only read', () => {
    const place = openPlace();
    place.fill();
    let before = place.look();
    fc.assert(
      fc.property(disturbed, (command) => {
        if (!footprintOf(command).isReadOnly) return;
        place.run(command);
        const changed = changedPaths(before, place.look());
        if (changed.length > 0) {
          place.fill();
          before = place.look();
        }
        expect(changed).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('what a command changes is named by its words when they are said to be all', () => {
    const place = openPlace();
    fc.assert(
      fc.property(changes(), (command) => {
        const { isComplete, words } = footprintOf(command);
        if (!isComplete) return;
        place.fill();
        const before = place.look();
        place.run(command);
        const named = words.map((word) =>
          join(place.path, word)
            .slice(place.path.length + 1)
            .replace(/\/$/, ''),
        );
        const missed = changedPaths(before, place.look()).filter(
          (path) => !named.some((name) => name === '' || path === name || path.startsWith(`${name}/`)),
        );
        expect(missed).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('any text gets an answer', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'\'"\\$()`;#\n{}&|<>= *!~[]rm -a1@:^'.split('')),
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), letters, disturbed), (text) => {
        const { words, isReadOnly, isDetached } = footprintOf(text);
        expect(words.length).toBeLessThanOrEqual(200);
        expect(isReadOnly && isDetached).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });
});

/** Commands that change files, the names written in every way the shell has. */
function changes(): fc.Arbitrary<string> {
  const name = fc.constantFrom(
    'y',
    'z',
    'new',
    'a b',
    "q'r",
    'd',
    'd/x',
    'e/f/g',
    'e',
    'n/o/p',
    '-n',
    '$v',
    'st*r',
    '{a,b}',
    'b\\s',
    'é',
    '#h',
    '~t',
    'x=~',
    '.',
  );
  const styles: ((text: string) => string)[] = [
    quoted,
    (text) => `"${text.replaceAll(/[\\$"`]/g, String.raw`\$&`)}"`,
    (text) => text.replaceAll(/[^\w/.]/g, String.raw`\$&`),
    (text) => `$'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`,
    (text) => text,
    (text) => `${quoted(text.slice(0, 1))}"${text.slice(1).replaceAll(/[\\$"`]/g, String.raw`\$&`)}"`,
  ];
  const word = fc.tuple(name, fc.constantFrom(...styles)).map(([text, style]) => style(text));
  const program = fc.constantFrom(
    'rm',
    'rm -rf',
    'rm -r --',
    'rmdir',
    'rmdir -p',
    'unlink',
    'mv',
    'mv -f',
    'mv -t d',
    'mv -b',
    'cp',
    'cp -r',
    'cp -a --',
    'cp --parents',
    'cp -b',
    'cp -td',
    'touch',
    'touch -c',
    'mkdir',
    'mkdir -p',
    'sed -i s/1/2/',
    'sed -i.bak s/1/2/',
    'sed -ni p',
    'sed -iE s/1/2/',
    'echo a >',
    'echo a >>',
    ': >',
    'ls >|',
    'cat y &>',
    'tee',
    'tee -a',
    'truncate -s 0',
    'chmod 600',
    'chmod -x',
    'ln -s',
    'ln -sf',
    'ln -f',
    'install',
    'install -D',
    'install -d',
    'dd status=none if=y',
    'shred -u',
    'sudo rm',
    'env rm',
    'timeout 9 rm',
    'command rm',
    '/bin/rm',
    'find -delete',
  );
  const simple = fc
    .tuple(program, fc.array(word, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([start, words, isLast]) =>
      isLast ? `${start} ${words.join(' ')}` : `${start} ${words.join(' ')} -f`,
    );
  const one = fc.oneof(simple, simple, fc.constantFrom('cd d', 'cd e', 'cd e/f', 'cd ..', 'true', 'false'));
  return fc
    .tuple(
      one,
      fc.array(fc.tuple(fc.constantFrom(' && ', ' && ', '; ', ' || ', '\n', ' | '), one), { maxLength: 3 }),
    )
    .map(([first, rest]) => first + rest.map(([operator, next]) => operator + next).join(''))
    .chain((text) =>
      fc.constantFrom(
        text,
        text,
        `(${text}\n)`,
        `{ ${text}\n}`,
        `bash -c ${quoted(text)}`,
        `sh -c ${quoted(text)}`,
        `(${text}); touch new`,
      ),
    );
}
