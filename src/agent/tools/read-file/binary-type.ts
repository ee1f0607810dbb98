import { looksBinary } from '../../../platform/files/index.ts';

/** Bytes at a place by which a format is known, and its name. */
interface Signature {
  readonly at: number;
  readonly bytes: readonly number[];
  readonly name: string;
}

const SIGNATURES: readonly Signature[] = [
  { at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], name: 'PNG image' },
  { at: 0, bytes: [0xff, 0xd8, 0xff], name: 'JPEG image' },
  { at: 0, bytes: [0x47, 0x49, 0x46, 0x38], name: 'GIF image' },
  { at: 8, bytes: [0x57, 0x45, 0x42, 0x50], name: 'WebP image' },
  { at: 0, bytes: [0x25, 0x50, 0x44, 0x46, 0x2d], name: 'PDF document' },
  { at: 0, bytes: [0x50, 0x4b, 0x03, 0x04], name: 'ZIP archive, or a format built on it' },
  { at: 0, bytes: [0x1f, 0x8b], name: 'gzip archive' },
  { at: 0, bytes: [0x28, 0xb5, 0x2f, 0xfd], name: 'Zstandard archive' },
  { at: 0, bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], name: 'xz archive' },
  { at: 0, bytes: [0x7f, 0x45, 0x4c, 0x46], name: 'ELF program or library' },
  { at: 0, bytes: [0x00, 0x61, 0x73, 0x6d], name: 'WebAssembly module' },
  { at: 0, bytes: [0xcf, 0xfa, 0xed, 0xfe], name: 'Mach-O program or library' },
  { at: 0, bytes: Array.from(Buffer.from('SQLite format 3\0')), name: 'SQLite database' },
  { at: 0, bytes: [0xff, 0xfe], name: 'UTF-16 text' },
  { at: 0, bytes: [0xfe, 0xff], name: 'UTF-16 text' },
];

/** What kind of binary file begins with these bytes (8 KB are enough); undefined when it is text. */
export function binaryType(bytes: Uint8Array): string | undefined {
  const known = SIGNATURES.find((signature) => fits(bytes, signature));
  return known?.name ?? (looksBinary(bytes) ? 'unknown type' : undefined);
}

function fits(bytes: Uint8Array, { at, bytes: expected }: Signature): boolean {
  return expected.every((byte, index) => bytes[at + index] === byte);
}
