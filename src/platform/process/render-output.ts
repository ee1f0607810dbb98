import { strayBytesAtStart, unfinishedBytesAtEnd } from './utf8-edges.ts';

/** Output with at most one hole in it: `head`, then `omittedBytes` that were not kept, then `tail`. */
export interface OutputPart {
  readonly head: Uint8Array;
  readonly omittedBytes: number;
  readonly tail: Uint8Array;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/**
 * Text of an output part. A hole becomes a line of its own that says how many bytes were left out; a character cut in two by
 * the hole is left out whole and counted. Bytes that are not UTF-8 become U+FFFD.
 */
export function renderOutput({ head, omittedBytes, tail }: OutputPart): string {
  if (omittedBytes === 0) return decode(Buffer.concat([head, tail]));
  const cutAtEnd = unfinishedBytesAtEnd(head);
  const cutAtStart = strayBytesAtStart(tail);
  const before = decode(head.subarray(0, head.length - cutAtEnd));
  const after = decode(tail.subarray(cutAtStart));
  const leftOut = omittedBytes + cutAtEnd + cutAtStart;
  const lineBreak = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${before}${lineBreak}[... ${leftOut} bytes left out ...]\n${after}`;
}
