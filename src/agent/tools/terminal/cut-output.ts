/** Bytes of output a model gets from one command. */
const MAX_OUTPUT_BYTES = 50_000;

/**
 * A text of at most about `maxBytes` bytes of UTF-8: where it is longer, head and tail are kept, whole lines where that costs
 * little, and a line between them says how many bytes were left out.
 */
export function cutOutput(text: string, maxBytes: number = MAX_OUTPUT_BYTES): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const head = wholeLines(decodeHead(bytes.subarray(0, half)), 'head');
  const tail = wholeLines(decodeTail(bytes.subarray(bytes.length - half)), 'tail');
  const leftOut = bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail);
  const lineBreak = head.endsWith('\n') ? '' : '\n';
  return `${head}${lineBreak}[... ${String(leftOut)} bytes left out ...]\n${tail}`;
}

/** Without the character that the end cuts in two. */
function decodeHead(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

function decodeTail(bytes: Uint8Array): string {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(Math.max(0, start)));
}

/** Drops the line that was cut, unless that is most of what there is. */
function wholeLines(text: string, part: 'head' | 'tail'): string {
  if (part === 'head') {
    const end = text.lastIndexOf('\n') + 1;
    return end > text.length / 2 ? text.slice(0, end) : text;
  }
  const start = text.indexOf('\n') + 1;
  return start < text.length / 2 ? text.slice(start) : text;
}
