import type { Oid } from '../model/path-state.ts';
import type { ObjectWriter } from '../objects/object-writer.ts';
import type { TreeItem } from '../objects/tree-object.ts';
import { countUp, type FolderRecord, isExecutable, KIND, permissionsOf } from './folder-record.ts';
import { draftOf, type FolderVisit } from './folder-visit.ts';

const TREE_MODE = 0o040_000;
const LINK_MODE = 0o120_000;
const FILE_MODE = 0o100_644;
const EXECUTABLE_MODE = 0o100_755;

/**
 * Makes the records of a scan final, the innermost first, and writes the tree of each folder that has other content than
 * at the last scan. The record of the root; the same object as before when there is nothing new to know at all.
 */
export function buildTrees(visits: readonly FolderVisit[], writer: () => ObjectWriter): FolderRecord {
  let root: FolderRecord | undefined;
  for (const visit of [...visits].reverse()) {
    if (isDropped(visit)) continue;
    if (visit.draft !== undefined) finish(visit.draft, visit.previous, writer);
    const record = visit.draft ?? visit.previous;
    if (record === undefined) throw new TypeError(`nothing was found out about ${visit.path}`);
    if (visit.parent === undefined) root = record;
    else if ((visit.parent.draft ?? visit.parent.previous)?.folders[visit.at] !== record)
      draftOf(visit.parent).folders[visit.at] = record;
  }
  if (root === undefined) throw new TypeError('a scan has a root');
  return root;
}

/** Whether it turned out that the folder cannot be entered, or is none any more. */
function isDropped({ parent, at }: FolderVisit): boolean {
  return parent !== undefined && (parent.draft ?? parent.previous)?.kinds[at] !== KIND.folder;
}

function finish(draft: FolderRecord, previous: FolderRecord | undefined, writer: () => ObjectWriter): void {
  countUp(draft);
  draft.tree = hasSameTree(draft, previous) ? previous.tree : treeOf(draft, writer);
}

/** Whether git would see no difference. Names are compared one by one, so a folder in another order counts as changed. */
function hasSameTree(draft: FolderRecord, previous: FolderRecord | undefined): previous is FolderRecord {
  if (previous === undefined || previous.names.length !== draft.names.length) return false;
  for (let at = 0; at < draft.names.length; at += 1) {
    if (draft.names[at] !== previous.names[at] || itemMode(draft, at) !== itemMode(previous, at))
      return false;
    if (contentOf(draft, at) !== contentOf(previous, at)) return false;
  }
  return true;
}

function contentOf(record: FolderRecord, at: number): Oid {
  return record.kinds[at] === KIND.folder ? (record.folders[at]?.tree ?? '') : (record.oids[at] ?? '');
}

/** 0 for what git has no entry for. */
function itemMode(record: FolderRecord, at: number): number {
  const kind = record.kinds[at];
  if (kind === KIND.file) return isExecutable(permissionsOf(record, at)) ? EXECUTABLE_MODE : FILE_MODE;
  if (kind === KIND.link) return LINK_MODE;
  return kind === KIND.folder && contentOf(record, at) !== '' ? TREE_MODE : 0;
}

function treeOf(record: FolderRecord, writer: () => ObjectWriter): Oid {
  const items: TreeItem[] = [];
  for (let at = 0; at < record.names.length; at += 1) {
    const mode = itemMode(record, at);
    if (mode !== 0) items.push({ name: record.names[at] ?? '', mode, oid: contentOf(record, at) });
  }
  return items.length === 0 ? '' : writer().tree(items);
}
