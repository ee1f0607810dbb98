import { type IgnoreRules, parseIgnoreFile } from '../../../kernel/gitignore/index.ts';
import { errnoOf } from '../../../platform/paths/index.ts';
import { type RawStat, rawKindOf, readSteady } from '../../../platform/raw-files/index.ts';
import { hashObject } from '../objects/object-name.ts';
import { statOrNothing } from './file-stamp.ts';
import { type FolderRecord, KIND, MODE, NUMBERS } from './folder-record.ts';
import { type FolderVisit, isProvenSame, pathOf } from './folder-visit.ts';
import { readRules } from './git-repository.ts';

/** The .gitignore file of a folder, as a scan finds it before it looks at anything else there. */
export interface RulesFile {
  /** What stands there; undefined when nothing does. The scan goes by it and does not look again. */
  readonly stat: RawStat | undefined;
  /** Whether it may say something else than at the last scan. */
  readonly isChanged: boolean;
  /** Present when it had to be read. The content the rules are of is also what is captured. */
  readonly content?: Buffer;
  /** Why it is not captured, when it should have been read and could not. */
  readonly failure?: 'unreadable' | 'unstable';
  readonly rules: () => IgnoreRules | undefined;
}

const MAX_RULES_BYTES = 1024 * 1024;
const MAX_ATTEMPTS = 3;
const REGULAR = 0o100_000;
const TYPE_BITS = 0o170_000;

/** @param at position of `.gitignore` in the record; -1 when there is none. */
export function findRulesFile(visit: FolderVisit, at: number, scratch: Buffer): RulesFile {
  const { previous } = visit;
  const before = previous?.ignoreAt ?? -1;
  const had = previous !== undefined && before >= 0 && isRegular(previous, before);
  const path = pathOf(visit, '.gitignore');
  const stat = at < 0 ? undefined : statOrNothing(path);
  if (stat === undefined || rawKindOf(stat) !== 'file')
    return { stat, isChanged: had, rules: () => undefined };
  if (had && isProvenSame(previous, before, stat))
    return { stat, isChanged: false, rules: () => (previous.rules ??= readRules(path)) };
  const read = readRulesFile(path, scratch);
  if (read.failure !== undefined || read.content === undefined)
    return { stat, isChanged: true, rules: () => undefined, ...read };
  const { content } = read;
  const isSame =
    had && previous.kinds[before] === KIND.file && previous.oids[before] === hashObject('blob', content);
  return {
    ...read,
    stat: read.stat ?? stat,
    isChanged: !isSame,
    rules: () => parseIgnoreFile(content.toString('utf8')),
  };
}

function isRegular(record: FolderRecord, at: number): boolean {
  return (
    record.kinds[at] !== KIND.gone && ((record.numbers[at * NUMBERS + MODE] ?? 0) & TYPE_BITS) === REGULAR
  );
}

/** Without content and failure: it is too large to be a file of rules. */
function readRulesFile(
  path: string,
  scratch: Buffer,
): Pick<RulesFile, 'content' | 'failure'> & { readonly stat?: RawStat } {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    try {
      const read = readSteady(path, MAX_RULES_BYTES, scratch);
      if (read.type === 'content') return { content: Buffer.from(read.bytes), stat: read.stat };
      if (read.type === 'too_large') return {};
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return { failure: 'unreadable' };
    }
  }
  return { failure: 'unstable' };
}
