import { isUtf8 } from 'node:buffer';
import { readFileBytes } from '../files/index.ts';
import type { ConfigProblem } from './config-problem.ts';

/** A configuration of 6,000 lines has 300 KB. */
const MAX_BYTES = 1024 * 1024;
const BYTE_ORDER_MARK = '\uFEFF';
const NEWLINE = 0x0a;

/** The text of `config.yaml` as it is on the disk. */
export interface ConfigText {
  readonly exists: boolean;
  /** Without the byte-order mark; empty when there is no file. */
  readonly text: string;
  readonly hasByteOrderMark: boolean;
}

export type ConfigTextResult =
  | { readonly ok: true; readonly value: ConfigText }
  | { readonly ok: false; readonly problem: ConfigProblem };

/** Reads the file. A file that is not there is an empty one; one that cannot be read, or is no text, is a problem. */
export async function readConfigText(file: string): Promise<ConfigTextResult> {
  const read = await readFileBytes(file, { maxBytes: MAX_BYTES });
  if (!read.ok) {
    if (read.code === 'not_found')
      return { ok: true, value: { exists: false, text: '', hasByteOrderMark: false } };
    return problem(file, read.message, read.code === 'too_large' ? 'make it smaller' : read.remedy);
  }
  const { bytes } = read.value;
  const line = firstUnreadableLine(bytes);
  if (line !== undefined) {
    return problem(file, 'this line is not UTF-8 text', 'save the file as UTF-8', line);
  }
  const text = bytes.toString('utf8');
  const hasByteOrderMark = text.startsWith(BYTE_ORDER_MARK);
  return {
    ok: true,
    value: { exists: true, text: hasByteOrderMark ? text.slice(1) : text, hasByteOrderMark },
  };
}

/** The text as it goes back to the disk. */
export function withByteOrderMark(text: string, { hasByteOrderMark }: ConfigText): string {
  return hasByteOrderMark ? BYTE_ORDER_MARK + text : text;
}

/** From 1; a line with a NUL counts as unreadable too. */
function firstUnreadableLine(bytes: Buffer): number | undefined {
  if (isUtf8(bytes) && !bytes.includes(0)) return undefined;
  let start = 0;
  for (let line = 1; start < bytes.length; line += 1) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    const part = bytes.subarray(start, end);
    if (!isUtf8(part) || part.includes(0)) return line;
    start = end + 1;
  }
  return 1;
}

function problem(file: string, message: string, remedy: string, line?: number): ConfigTextResult {
  const place = line === undefined ? {} : { line, column: 1 };
  return { ok: false, problem: { severity: 'error', file, ...place, message, remedy } };
}
