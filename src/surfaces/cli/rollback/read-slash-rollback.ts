import { fail, type Result, succeed, suggest } from '../../../kernel/errors/index.ts';
import { printableLine } from '../output/printable.ts';
import { readRollback } from './read-rollback.ts';
import { NO_FLAGS, type RollbackCommand, type RollbackFlags } from './rollback-command.ts';
import { splitArgument, type Word } from './split-argument.ts';

const COMMAND = '/rollback';

const FLAGS: ReadonlyMap<string, Partial<RollbackFlags>> = new Map([
  ['--all', { all: true }],
  ['--exact', { exact: true }],
  ['--include-ambiguous', { includeAmbiguous: true }],
  ['--dry-run', { dryRun: true }],
  ['--all-calls', { allCalls: true }],
  ['--raw', { raw: true }],
]);

/** What is no option. A run of words that nothing separates is one name. */
interface Operand extends Word {
  readonly run: number;
}

interface Sorted {
  readonly operands: readonly Operand[];
  readonly flags: RollbackFlags;
}

/**
 * Reads what follows `/rollback`. Unlike in a shell, words that stand side by side are one name with spaces, unless one of
 * them is quoted: `/rollback 2 my file.txt`. What follows `--` is no option.
 */
export function readSlashRollback(line: string): Result<RollbackCommand, 'usage'> {
  const words = splitArgument(line);
  if (!words.ok) return words;
  const sorted = sortWords(words.value);
  if (!sorted.ok) return sorted;
  const { operands, flags } = sorted.value;
  const head = operands.slice(0, headLength(sorted.value));
  const files = joinRuns(operands.slice(head.length), line);
  return readRollback({ words: [...head.map(({ text }) => text), ...files], flags, command: COMMAND });
}

/** How many operands come before the names of files. */
function headLength({ operands, flags }: Sorted): number {
  const [first] = operands;
  const isCall = flags.call !== undefined && first?.text !== 'diff' && first?.text !== 'undo';
  return isCall ? 0 : headWords(operands);
}

function headWords([first]: readonly Operand[]): number {
  return first?.text === 'diff' ? 2 : 1;
}

function sortWords(words: readonly Word[]): Result<Sorted, 'usage'> {
  const operands: Operand[] = [];
  let [flags, run, isLiteral] = [NO_FLAGS, 0, false];
  let separated = true;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    const { text, isQuoted } = word;
    const startsName = separated || operands.length === headWords(operands);
    if (isLiteral || isQuoted || !isOption(text, startsName)) {
      if (separated) run += 1;
      separated = false;
      operands.push({ ...word, run });
      continue;
    }
    separated = true;
    const flag = FLAGS.get(text);
    if (text === '--') isLiteral = true;
    else if (flag !== undefined) flags = { ...flags, ...flag };
    else if (text === '--call' || text.startsWith('--call=')) {
      if (text === '--call') at += 1;
      const call = text === '--call' ? words[at]?.text : text.slice('--call='.length);
      if (call === undefined || call === '')
        return fail('usage', '--call needs the id of a call', `${COMMAND} --call ID`);
      flags = { ...flags, call };
    } else return unknownOption(text);
  }
  return succeed({ operands, flags });
}

/** A single dash counts only where a name does not go on: `a - b.txt` is one. Negative numbers are wrong in another way. */
function isOption(text: string, startsName: boolean): boolean {
  if (text.startsWith('--')) return true;
  return startsName && text.length > 1 && text.startsWith('-') && !/^-\d+$/.test(text);
}

function unknownOption(text: string): Result<Sorted, 'usage'> {
  const near = suggest(text, [...FLAGS.keys(), '--call']);
  const meant = near === undefined ? '' : `did you mean ${near}? `;
  return fail(
    'usage',
    `there is no option ${JSON.stringify(printableLine(text))}`,
    `${meant}A name that begins with a dash stands after --`,
  );
}

function joinRuns(operands: readonly Operand[], line: string): readonly string[] {
  if (operands.some(({ isQuoted }) => isQuoted)) return operands.map(({ text }) => text);
  const runs = new Map<number, { start: number; end: number }>();
  for (const { run, start, end } of operands) {
    const known = runs.get(run);
    if (known === undefined) runs.set(run, { start, end });
    else known.end = end;
  }
  return [...runs.values()].map(({ start, end }) => line.slice(start, end));
}
