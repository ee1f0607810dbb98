import { isUtf8 } from 'node:buffer';

/** The first and last byte that is never ASCII, as the lone surrogates that stand for them. */
const ESCAPE_BASE = 0xdc00;
const FIRST_ESCAPE = 0xdc80;
const LAST_ESCAPE = 0xdcff;

/** A path that no file can have: a NUL in it, nothing in it, or text that is not a reading of any bytes. */
export class InvalidPathError extends Error {
  readonly code = 'ERR_HERMA_INVALID_PATH';

  constructor(reason: string) {
    super(reason);
    this.name = 'InvalidPathError';
  }
}

/**
 * The text that stands for a file name. Names are bytes, mostly UTF-8; a byte that is not is written as one lone
 * surrogate, U+DC80 to U+DCFF (the `surrogateescape` of PEP 383). {@link fileSystemPath} gives the same bytes back.
 */
export function decodeFileName(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  let text = '';
  for (let index = 0; index < bytes.length; ) {
    const character = bytes.subarray(index, index + sequenceLength(bytes[index] ?? 0));
    if (isUtf8(character)) {
      text += Buffer.from(character).toString('utf8');
      index += character.length;
    } else {
      text += String.fromCharCode(ESCAPE_BASE + (bytes[index] ?? 0));
      index += 1;
    }
  }
  return text;
}

/**
 * The path in the form `node:fs` needs to name exactly these bytes: the text itself, or a Buffer when it stands for
 * bytes that are not UTF-8.
 *
 * @throws InvalidPathError for a path that no file can have.
 */
export function fileSystemPath(path: string): string | Buffer {
  if (path === '') throw new InvalidPathError('the path is empty');
  if (path.includes('\0')) throw new InvalidPathError('the path contains a NUL character');
  if (path.isWellFormed()) return path;
  const bytes = Buffer.concat(Array.from(path, encodeCharacter));
  if (decodeFileName(bytes) !== path) throw new InvalidPathError('the path is not valid text');
  return bytes;
}

function encodeCharacter(character: string): Buffer {
  const code = character.charCodeAt(0);
  const isEscape = character.length === 1 && code >= FIRST_ESCAPE && code <= LAST_ESCAPE;
  return isEscape ? Buffer.of(code - ESCAPE_BASE) : Buffer.from(character, 'utf8');
}

/** How long the UTF-8 sequence is that this byte would begin. */
function sequenceLength(leadByte: number): number {
  if (leadByte >= 0xf0) return 4;
  if (leadByte >= 0xe0) return 3;
  return leadByte >= 0xc0 ? 2 : 1;
}
