import { isUtf8 } from 'node:buffer';

/** How much of a file is looked at for a NUL, as git does. In bytes. */
const BINARY_PROBE = 8000;
/** Larger files are not looked into: they count as binary. In bytes. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Whether a file has no lines to show: a NUL near its beginning, bytes that are not UTF-8, or more than 64 MiB. */
export function isBinary(bytes: Uint8Array): boolean {
  if (bytes.length > MAX_TEXT_BYTES) return true;
  return bytes.subarray(0, BINARY_PROBE).includes(0) || !isUtf8(bytes);
}

/** The lines of a text, each with the `\n` that ends it; the last one may have none. */
export function textLines(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** How many lines {@link textLines} would give, without making them. */
export function lineCount(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return bytes.length === 0 || bytes.at(-1) === NEWLINE ? count : count + 1;
}
