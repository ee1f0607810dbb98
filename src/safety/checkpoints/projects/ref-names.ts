/** The position of a record as refs and journal files spell it: 10 digits. */
export function seqName(seq: number): string {
  return String(seq).padStart(10, '0');
}

/** The commit of an open record, below `refs/herma/`. */
export function openRef(h16: string, seq: number): string {
  return `${h16}/${seqName(seq)}`;
}

/** The commit of a close record, below `refs/herma/`. */
export function closeRef(h16: string, seq: number): string {
  return `${h16}/close/${seqName(seq)}`;
}

/** The commit with the content of private files of an open or a close record, below `refs/herma/`. */
export function privateRef(h16: string, seq: number): string {
  return `${h16}/private/${seqName(seq)}`;
}

/** The commit of the snapshot that the stat manifest of a project describes, below `refs/herma/`. */
export function treeRef(h16: string): string {
  return `${h16}/tree`;
}
