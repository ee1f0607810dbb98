import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { analyseCommand } from './analyse-command.ts';
import type { CommandPlace } from './command-analysis.ts';

const PLACE: CommandPlace = { cwd: '/w/p', home: '/home/u', workspace: '/w/p', hermaHome: '/home/u/.herma' };
const COMMANDS = ['policy.tsv', 'pairs.tsv'].flatMap((file) =>
  readFileSync(new URL(`./fixtures/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t').at(-1)?.replaceAll('␊', '\n') ?? ''),
);
const PIECES = [
  '\'"\\$()`;#\n{}&|<>= *!~[]-/.@:^?,+%'.split(''),
  'rm -rf sh -c eval x= $x ${x $( for ; do ; done if then fi find -exec {} + xargs sudo env curl git python3 cat cd function case esac [[ ]] (( )) constructor __proto__ toString hasOwnProperty'.split(
    ' ',
  ),
  ['<<E\n', 'E\n', 'for i in', '; do', '; done', 'f() {'],
].flat();

const generated = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((pieces) => pieces.join('')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((pieces) => pieces.join(' ')),
  fc
    .tuple(
      fc.constantFrom(...COMMANDS),
      fc.constantFrom(...COMMANDS),
      fc.constantFrom(';', '|', '&&', '\n', ' ', '||', '&'),
    )
    .map(([one, other, between]) => one + between + other),
  fc
    .tuple(
      fc.constantFrom(...COMMANDS),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...PIECES)), { maxLength: 4 }),
    )
    .map(([command, insertions]) =>
      insertions.reduce((text, [at, piece]) => {
        const index = at % (text.length + 1);
        return text.slice(0, index) + piece + text.slice(index);
      }, command),
    ),
);

it('10,000 commands of any kind get an answer within its bounds, and always the same', () => {
  fc.assert(
    fc.property(generated, (command) => {
      const answer = analyseCommand(command, PLACE);
      expect(answer.programs.length).toBeLessThanOrEqual(500);
      expect(answer.findings.every(({ evidence }) => evidence.length <= 200)).toBe(true);
      expect(answer.problem === undefined).toBe(
        answer.findings.every((finding) => finding.class !== 'not-understood'),
      );
      for (const path of [...answer.reads, ...answer.writes, ...answer.runs]) expect(path).toMatch(/^\//);
      expect(analyseCommand(command, PLACE)).toEqual(answer);
    }),
    { numRuns: 10_000 },
  );
});

it('a danger is not lost because of what stands before it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...COMMANDS), (before) => {
      const { problem } = analyseCommand(before, PLACE);
      fc.pre(problem === undefined && !/^\s*(?:exec|exit|return)\b/.test(before));
      const { findings } = analyseCommand(`( ${before}\n)\nrm -rf /`, PLACE);
      expect(findings.map((finding) => finding.class)).toContain('delete-root');
    }),
    { numRuns: 600 },
  );
});
