import {
  type RawEntry,
  type RawStat,
  rawEntries,
  rawKindOf,
  rawNames,
} from '../../../platform/raw-files/index.ts';
import { isLeftOutByName, isVersionControl, PERHAPS_ENVIRONMENT } from './built-in-rules.ts';
import { fileStamp, isSameStamp, statOrNothing } from './file-stamp.ts';
import { emptyRecord, type FolderRecord, KIND, MARK, MODE, NUMBERS } from './folder-record.ts';
import {
  draftOf,
  enterFolder,
  type FolderVisit,
  hasSameNumbers,
  isInCircle,
  isProvenSame,
  type PendingRead,
  pathOf,
  placeEntry,
  setGone,
  setHole,
  setUnproven,
  setUnread,
  setUnseen,
} from './folder-visit.ts';
import { repositoryAt } from './git-repository.ts';
import { type IgnoreLevel, isIgnoredBy } from './ignore-levels.ts';
import { OpenRepository } from './open-repository.ts';
import { findRulesFile, type RulesFile } from './rules-file.ts';
import type { ScanParts } from './scan-parts.ts';
import type { Walk, WalkStart } from './walk.ts';

/** A folder on the way of a scan that looks at everything. */
interface WholeVisit extends FolderVisit {
  readonly parent: WholeVisit | undefined;
  /** The system has proven that the names are those of the last scan. */
  readonly hasSameNames: boolean;
  /** Whether rules are other ones than at the last scan, so that all is decided anew. */
  isDecidedAnew: boolean;
  /** Whether what git tracks is something else than at the last scan. */
  hasNewIndex: boolean;
  /** Inside of an ignored folder, in which git tracks something: all the rest is ignored. */
  readonly isIgnored: boolean;
  repository: OpenRepository | undefined;
  /** Whether the repository begins here. */
  isTop: boolean;
  rules: RulesFile | undefined;
  /** The rules in force, once they were needed. */
  level: { readonly value: IgnoreLevel | undefined } | undefined;
}

interface Place {
  readonly at: number;
  /** In the record of the last scan; -1 when it was not there. */
  readonly before: number;
  readonly stat: RawStat | undefined;
}

const TYPE_BITS = 0o170_000;
const REGULAR = 0o100_000;

/**
 * Walks a tree as a whole and looks at each entry; reads none but .gitignore files. Nothing is decided about an entry of
 * the last scan unless rules have changed. Undefined when there are more files than `maxFiles`.
 */
export function walkWhole(parts: ScanParts, start: WalkStart, maxFiles: number): Walk | undefined {
  const isFirst = start.previous === undefined;
  const walk = new WholeWalk(parts, start, isFirst).run(maxFiles);
  // Files that nobody has looked at were counted, though some of them may be too large to be captured.
  return walk === undefined && isFirst ? new WholeWalk(parts, start, false).run(maxFiles) : walk;
}

class WholeWalk {
  readonly #parts: ScanParts;
  readonly #start: WalkStart;
  /** Whether files are not looked at before they are read: the open file says everything. */
  readonly #isHasty: boolean;
  readonly #visits: WholeVisit[] = [];
  readonly #pending: PendingRead[] = [];
  #files = 0;

  constructor(parts: ScanParts, start: WalkStart, isHasty: boolean) {
    this.#parts = parts;
    this.#start = start;
    this.#isHasty = isHasty;
  }

  /** Undefined as soon as there are more files than `maxFiles`. */
  run(maxFiles: number): Walk | undefined {
    const { stat, path, previous, hasSameNames, isDecidedAnew, hasNewIndex, repository } = this.#start;
    this.#visits.push({
      parent: undefined,
      at: 0,
      path,
      prefix: '',
      previous,
      draft: undefined,
      ino: stat.ino,
      dev: stat.dev,
      hasSameNames,
      isDecidedAnew,
      hasNewIndex,
      isIgnored: false,
      repository,
      isTop: false,
      rules: undefined,
      level: undefined,
    });
    for (let next = 0; next < this.#visits.length; next += 1) {
      const visit = this.#visits[next];
      if (visit !== undefined) this.#visit(visit);
      if (this.#files > maxFiles) return undefined;
    }
    return { visits: this.#visits, pending: this.#pending };
  }

  #visit(visit: WholeVisit): void {
    const { previous } = visit;
    if (this.#isHasty) {
      this.#visitHastily(visit);
      return;
    }
    const names = visit.hasSameNames && previous !== undefined ? previous.names : this.#list(visit, rawNames);
    if (names === undefined) return;
    const isSame = previous !== undefined && isSameList(names, previous.names);
    if (!isSame) visit.draft = emptyRecord(names);
    const record = isSame ? previous : draftOf(visit);
    this.#openRules(visit, record);
    if (isSame && !visit.isDecidedAnew) this.#compareEntries(visit, record);
    else this.#placeEntries(visit, isSame);
  }

  #visitHastily(visit: WholeVisit): void {
    const entries = this.#list(visit, rawEntries);
    if (entries === undefined) return;
    const record = emptyRecord(entries.map(({ name }) => name));
    visit.draft = record;
    this.#openRules(visit, record);
    for (const [at, { name, kind }] of entries.entries()) this.#placeHastily(visit, { at, name, kind });
  }

  #placeHastily(visit: WholeVisit, { at, name, kind }: RawEntry & { readonly at: number }): void {
    const record = draftOf(visit);
    if (this.#isNever(visit, name)) {
      setNever(record, at);
      return;
    }
    if (kind === 'file' && at !== record.ignoreAt && !this.#isRuled(visit, name, -1, REGULAR)) {
      setUnread(record, at);
      this.#files += 1;
      this.#pending.push({ visit, at, before: -1 });
      return;
    }
    this.#placeEntry(visit, { at, before: -1, stat: this.#statOf(visit, at) });
  }

  /** Looks at what decides about the entries of a folder. */
  #openRules(visit: WholeVisit, record: FolderRecord): void {
    const { previous } = visit;
    if (record.isRepository) this.#enterRepository(visit);
    else if (previous?.isRepository === true) visit.isDecidedAnew = true;
    if (record.ignoreAt < 0 && (previous?.ignoreAt ?? -1) < 0) return;
    visit.rules = findRulesFile(visit, record.ignoreAt, this.#parts.scratch);
    if (visit.rules.isChanged) visit.isDecidedAnew = true;
  }

  /** What is in the folder; undefined when it cannot be entered, which is then noted where it is an entry. */
  #list<Entry>(visit: WholeVisit, list: (path: string) => readonly Entry[]): readonly Entry[] | undefined {
    const entered = enterFolder(visit, this.#parts, list);
    if ('entries' in entered) return entered.entries;
    if (entered.instead === 'read' && visit.parent !== undefined)
      this.#pending.push({ visit: visit.parent, at: visit.at, before: -1 });
    return undefined;
  }

  #enterRepository(visit: WholeVisit): void {
    const { clock, indexes } = this.#parts;
    const found = repositoryAt(visit.path);
    const excludeStamp = found === undefined ? '' : fileStamp(found.exclude, clock);
    const indexStamp = found === undefined ? '' : fileStamp(found.index, clock);
    const known = visit.previous;
    if (known === undefined || !isSameStamp(known.excludeStamp, excludeStamp)) visit.isDecidedAnew = true;
    visit.hasNewIndex = known === undefined || !isSameStamp(known.indexStamp, indexStamp);
    const record = visit.draft ?? known;
    if (record?.excludeStamp !== excludeStamp || record.indexStamp !== indexStamp)
      Object.assign(draftOf(visit), { excludeStamp, indexStamp });
    if (found === undefined) return;
    visit.isTop = true;
    visit.repository = new OpenRepository(found, {
      prefix: visit.prefix,
      lead: '',
      stamp: indexStamp,
      indexes,
    });
  }

  /** The names are those of the last scan, and so are the rules. */
  #compareEntries(visit: WholeVisit, record: FolderRecord): void {
    const { names, kinds, marks, ignoreAt } = record;
    record.paths ??= names.map((name) => pathOf(visit, name));
    const { paths } = record;
    const usedMarks = visit.hasNewIndex ? MARK.racy | MARK.ruled : MARK.racy;
    for (let at = 0; at < names.length; at += 1) {
      const kind = kinds[at];
      if (kind === KIND.never) continue;
      const stat = at === ignoreAt ? visit.rules?.stat : statOrNothing(paths[at] ?? '');
      const isSame =
        stat !== undefined && ((marks[at] ?? 0) & usedMarks) === 0 && hasSameNumbers(record, at, stat);
      if (!isSame || (kind === KIND.folder && names[at] === PERHAPS_ENVIRONMENT)) {
        this.#placeEntry(visit, { at, before: at, stat });
      } else if (kind === KIND.folder) {
        this.#enter(visit, { at, before: at, stat }, this.#parts.clock.provesNames(stat));
      } else if (kind === KIND.file || kind === KIND.link) {
        this.#files += 1;
      }
    }
  }

  #placeEntries(visit: WholeVisit, isSame: boolean): void {
    const { names } = draftOf(visit);
    const positions = isSame || visit.previous === undefined ? undefined : positionsOf(visit.previous.names);
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at] ?? '';
      if (this.#isNever(visit, name)) {
        setNever(draftOf(visit), at);
        continue;
      }
      const before = isSame ? at : (positions?.get(name) ?? -1);
      this.#placeEntry(visit, { at, before, stat: this.#statOf(visit, at) });
    }
  }

  #isNever(visit: WholeVisit, name: string): boolean {
    return isVersionControl(name) || this.#parts.skip.has(visit.prefix + name);
  }

  #statOf(visit: WholeVisit, at: number): RawStat | undefined {
    const { names, ignoreAt } = draftOf(visit);
    return at === ignoreAt ? visit.rules?.stat : statOrNothing(pathOf(visit, names[at] ?? ''));
  }

  #placeEntry(visit: WholeVisit, { at, before, stat }: Place): void {
    const draft = draftOf(visit);
    if (stat === undefined) {
      setUnseen(visit, at);
      return;
    }
    const name = draft.names[at] ?? '';
    const isRuled = this.#isRuled(visit, name, before, stat.mode);
    const isLeftOut =
      isRuled && visit.repository?.tracks(visit.prefix + name, rawKindOf(stat) === 'directory') !== true;
    const { previous } = visit;
    const wasFolder = previous !== undefined && previous.kinds[before] === KIND.folder;
    const hasSameNames =
      wasFolder && isProvenSame(previous, before, stat) && this.#parts.clock.provesNames(stat);
    const placed = placeEntry(visit, { at, before, stat, isLeftOut, isRuled }, this.#parts);
    const kind = draft.kinds[at];
    if (kind === KIND.file || kind === KIND.link) this.#files += 1;
    if (placed === 'enter') this.#enter(visit, { at, before, stat }, hasSameNames);
    else if (placed === 'read' && at === draft.ignoreAt) this.#placeRulesFile(visit, { at, before });
    else if (placed === 'read') this.#pending.push({ visit, at, before });
  }

  /** What is captured of a .gitignore file is what the rules were made of. */
  #placeRulesFile(visit: WholeVisit, { at, before }: Omit<Place, 'stat'>): void {
    const draft = draftOf(visit);
    const { content, failure } = visit.rules ?? {};
    if (failure !== undefined) {
      setHole(draft, at, failure);
      setUnproven(draft, at);
    } else if (content === undefined) {
      this.#pending.push({ visit, at, before });
    } else {
      draft.oids[at] = this.#parts.writer().blob(content);
    }
  }

  /** Whether a rule leaves the entry out. Remembered as long as neither the rules nor the type of the entry change. */
  #isRuled(visit: WholeVisit, name: string, before: number, mode: number): boolean {
    const { previous } = visit;
    const isFolder = rawKindOf({ mode }) === 'directory';
    if (isFolder && name === PERHAPS_ENVIRONMENT) {
      if (statOrNothing(`${pathOf(visit, name)}/pyvenv.cfg`) !== undefined) return true;
    } else if (!visit.isDecidedAnew && previous !== undefined && (previous.kinds[before] ?? 0) >= KIND.file) {
      const typeBefore = (previous.numbers[before * NUMBERS + MODE] ?? 0) & TYPE_BITS;
      if (typeBefore === (mode & TYPE_BITS)) return ((previous.marks[before] ?? 0) & MARK.ruled) !== 0;
    }
    if (visit.isIgnored || isLeftOutByName(name)) return true;
    return isIgnoredBy(this.#levelOf(visit), visit.prefix + name, isFolder);
  }

  /** The rules in force in a folder: the files they are in are read when they are first needed. */
  #levelOf(visit: WholeVisit): IgnoreLevel | undefined {
    const missing: WholeVisit[] = [];
    let current: WholeVisit | undefined = visit;
    for (; current !== undefined && current.level === undefined; current = current.parent)
      missing.push(current);
    let level = current === undefined ? this.#start.level() : current.level?.value;
    for (const folder of missing.reverse()) {
      const { prefix } = folder;
      const exclude = folder.isTop ? folder.repository?.excludeRules() : undefined;
      if (exclude !== undefined) level = { prefix, lead: '', rules: exclude, outer: level };
      const own = folder.rules?.rules();
      if (own !== undefined) level = { prefix, lead: '', rules: own, outer: level };
      folder.level = { value: level };
    }
    return level;
  }

  #enter(
    visit: WholeVisit,
    { at, before, stat }: Place & { readonly stat: RawStat },
    hasSameNames: boolean,
  ): void {
    const { previous } = visit;
    const inner = previous?.kinds[before] === KIND.folder ? previous.folders[before] : undefined;
    if (inner === undefined && isInCircle(visit, stat)) {
      setHole(draftOf(visit), at, 'special');
      return;
    }
    const record = visit.draft ?? previous;
    const name = record?.names[at] ?? '';
    this.#visits.push({
      parent: visit,
      at,
      path: record?.paths?.[at] ?? pathOf(visit, name),
      prefix: `${visit.prefix}${name}/`,
      previous: inner,
      hasSameNames: hasSameNames && inner !== undefined,
      draft: undefined,
      isDecidedAnew: visit.isDecidedAnew,
      hasNewIndex: visit.hasNewIndex,
      isIgnored: visit.isIgnored || ((record?.marks[at] ?? 0) & MARK.ruled) !== 0,
      repository: visit.repository,
      isTop: false,
      rules: undefined,
      level: undefined,
      ino: stat.ino,
      dev: stat.dev,
    });
  }
}

function setNever(record: FolderRecord, at: number): void {
  setGone(record, at);
  record.kinds[at] = KIND.never;
}

function isSameList(names: readonly string[], others: readonly string[]): boolean {
  if (names === others) return true;
  return names.length === others.length && names.every((name, at) => name === others[at]);
}

function positionsOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, at) => [name, at]));
}
