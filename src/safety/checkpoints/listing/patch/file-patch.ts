import type { Oid, PathState } from '../../model/path-state.ts';
import { type ContentComparison, compareContents } from '../line-diff/compare-contents.ts';
import { hunkLines } from './hunks.ts';
import { quoteName } from './quote-name.ts';

/** A file or a link. */
export interface PatchSide {
  readonly state: Extract<PathState, { kind: 'file' | 'link' }>;
  /** Its content; undefined when that is lost. Called only when it is needed. */
  readonly read: () => Uint8Array | undefined;
}

export interface FilePatch {
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
  /** Whether a content that the patch needs is not there any more. */
  readonly isLost: boolean;
  /** Each ended by a newline; made when they are asked for. */
  readonly lines: Iterable<string>;
}

const LINK_MODE = '120000';
const EXECUTABLE = 0o100;
const NO_OID: Oid = '0'.repeat(40);
const SHOWN_OID = 7;
const PERMISSIONS = 0o7777;

/**
 * The change of one path in git's unified form: what `git diff` prints for it, and lines beginning with `#`, which
 * `git apply` passes over, for what git has no form for. Undefined stands for a file that is not there.
 * A file that became a link, or the other way round, is deleted and created.
 */
export function filePatch(
  path: string,
  before: PatchSide | undefined,
  after: PatchSide | undefined,
): FilePatch {
  if (before !== undefined && after !== undefined && before.state.kind !== after.state.kind) {
    const [deletion, creation] = [filePatch(path, before, undefined), filePatch(path, undefined, after)];
    return {
      insertions: creation.insertions,
      deletions: deletion.deletions,
      binary: deletion.binary || creation.binary,
      isLost: deletion.isLost || creation.isLost,
      lines: chained(deletion.lines, creation.lines),
    };
  }
  const comparison = compared(before, after);
  const counts = countsOf(comparison);
  return {
    ...counts,
    binary: comparison.type === 'binary',
    isLost: comparison.type === 'lost',
    lines: patchLines({ path, before, after, comparison }),
  };
}

type Comparison = ContentComparison | { readonly type: 'same' } | { readonly type: 'lost' };

function compared(before: PatchSide | undefined, after: PatchSide | undefined): Comparison {
  if (before?.state.oid === after?.state.oid) return { type: 'same' };
  const [old, current] = [before?.read(), after?.read()];
  const isLost =
    (before !== undefined && old === undefined) || (after !== undefined && current === undefined);
  return isLost ? { type: 'lost' } : compareContents(old, current);
}

function countsOf(comparison: Comparison): { readonly insertions: number; readonly deletions: number } {
  let [insertions, deletions] = [0, 0];
  if (comparison.type !== 'text') return { insertions, deletions };
  for (const { newCount, oldCount } of comparison.regions) {
    insertions += newCount;
    deletions += oldCount;
  }
  return { insertions, deletions };
}

interface PatchParts {
  readonly path: string;
  readonly before: PatchSide | undefined;
  readonly after: PatchSide | undefined;
  readonly comparison: Comparison;
}

function* patchLines({ path, before, after, comparison }: PatchParts): Generator<string> {
  const [oldName, newName] = [quoteName(`a/${path}`), quoteName(`b/${path}`)];
  const note = permissionsNote(path, before?.state, after?.state);
  if (note !== undefined) yield note;
  const header = [...modeLines(before?.state, after?.state)];
  if (header.length === 0 && comparison.type === 'same') return;
  yield `diff --git ${oldName} ${newName}\n`;
  yield* header;
  if (comparison.type === 'same') return;
  yield indexLine(before?.state, after?.state);
  const [from, to] = [
    before === undefined ? '/dev/null' : oldName,
    after === undefined ? '/dev/null' : newName,
  ];
  if (comparison.type === 'lost') {
    yield `# the content of ${quoteName(path)} is not kept any more\n`;
    return;
  }
  if (comparison.type === 'binary') {
    yield `Binary files ${from} and ${to} differ\n`;
    return;
  }
  if (comparison.regions.length === 0) return;
  // A tab ends a name with blanks in it: what follows could be a time.
  const end = /\s/.test(path) ? '\t\n' : '\n';
  yield `--- ${from}${before === undefined ? '\n' : end}`;
  yield `+++ ${to}${after === undefined ? '\n' : end}`;
  yield* hunkLines(comparison);
}

function* modeLines(
  before: PatchSide['state'] | undefined,
  after: PatchSide['state'] | undefined,
): Generator<string> {
  if (before === undefined && after !== undefined) yield `new file mode ${gitMode(after)}\n`;
  else if (before !== undefined && after === undefined) yield `deleted file mode ${gitMode(before)}\n`;
  else if (before !== undefined && after !== undefined && gitMode(before) !== gitMode(after)) {
    yield `old mode ${gitMode(before)}\n`;
    yield `new mode ${gitMode(after)}\n`;
  }
}

function indexLine(before: PatchSide['state'] | undefined, after: PatchSide['state'] | undefined): string {
  const oids = [before, after].map((state) => (state?.oid ?? NO_OID).slice(0, SHOWN_OID)).join('..');
  const isSameMode = before !== undefined && after !== undefined && gitMode(before) === gitMode(after);
  return isSameMode ? `index ${oids} ${gitMode(before)}\n` : `index ${oids}\n`;
}

/** git knows links, and of the permission bits only whether the owner may execute. */
function gitMode(state: PatchSide['state']): string {
  if (state.kind === 'link') return LINK_MODE;
  return (state.mode & EXECUTABLE) === 0 ? '100644' : '100755';
}

/** What `old mode` and `new mode` do not say of a change of permissions. */
function permissionsNote(
  path: string,
  before: PathState | undefined,
  after: PathState | undefined,
): string | undefined {
  if (before?.kind !== 'file' || after?.kind !== 'file' || before.mode === after.mode) return undefined;
  const isUsual = [before.mode, after.mode].every((mode) => mode === 0o644 || mode === 0o755);
  return isUsual
    ? undefined
    : `# permissions of ${quoteName(path)}: ${permissions(before.mode)} -> ${permissions(after.mode)}\n`;
}

/** `0644`. */
export function permissions(mode: number): string {
  return (mode & PERMISSIONS).toString(8).padStart(4, '0');
}

function* chained(...parts: readonly Iterable<string>[]): Generator<string> {
  for (const part of parts) yield* part;
}
