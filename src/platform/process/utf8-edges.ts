const LONGEST_SEQUENCE = 4;

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** The length a UTF-8 sequence has by its first byte; 1 for bytes that start none. */
function sequenceLength(firstByte: number): number {
  if (firstByte >= 0xc2 && firstByte <= 0xdf) return 2;
  if (firstByte >= 0xe0 && firstByte <= 0xef) return 3;
  if (firstByte >= 0xf0 && firstByte <= 0xf4) return 4;
  return 1;
}

/** How many bytes at the end begin a UTF-8 character that is not complete there: 0 to 3. */
export function unfinishedBytesAtEnd(bytes: Uint8Array): number {
  const furthest = Math.min(LONGEST_SEQUENCE - 1, bytes.length);
  for (let back = 1; back <= furthest; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

/** How many bytes at the start belong to a UTF-8 character that began earlier: 0 to 3. */
export function strayBytesAtStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < LONGEST_SEQUENCE - 1 && count < bytes.length && isContinuation(bytes[count] ?? 0))
    count += 1;
  return count;
}
