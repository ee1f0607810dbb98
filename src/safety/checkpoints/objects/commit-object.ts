import type { Oid } from '../model/path-state.ts';
import { CorruptObjectError } from './corrupt-object-error.ts';

/** What a commit of the store says. It has no parents. */
export interface CommitContent {
  readonly tree: Oid;
  /** Any text; NUL, which git does not allow, is written as U+FFFD. */
  readonly message: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
}

const PERSON = 'Herma <herma@localhost>';

/** The content of a git commit object. */
export function encodeCommit({ tree, message, at }: CommitContent): Buffer {
  const person = `${PERSON} ${String(Math.max(0, Math.floor(at / 1000)))} +0000`;
  const text = message.replaceAll('\0', '\u{FFFD}');
  return Buffer.from(
    `tree ${tree}\nauthor ${person}\ncommitter ${person}\n\n${text}${text.endsWith('\n') ? '' : '\n'}`,
    'utf8',
  );
}

/** The tree a commit names. @throws CorruptObjectError when it names none. */
export function treeOfCommit(bytes: Uint8Array): Oid {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 46)).toString(
    'latin1',
  );
  const tree = /^tree ([0-9a-f]{40})\n$/.exec(start)?.[1];
  if (tree === undefined) throw new CorruptObjectError({ reason: 'a commit names no tree' });
  return tree;
}
