/** The sizes that begin a delta. See gitformat-pack(5), "Deltified representation". */
export interface DeltaSizes {
  readonly base: number;
  readonly result: number;
  /** Where the instructions begin. */
  readonly start: number;
}

/** Throws a RangeError when the bytes end before the sizes do. */
export function deltaSizes(delta: Uint8Array): DeltaSizes {
  const base = readSize(delta, 0);
  const result = readSize(delta, base.end);
  return { base: base.value, result: result.value, start: result.end };
}

/** Makes an object of another one and a delta. Throws a RangeError when the delta does not fit. */
export function applyDelta(base: Uint8Array, delta: Uint8Array, maxBytes: number): Buffer {
  const sizes = deltaSizes(delta);
  if (sizes.base !== base.length) throw new RangeError('a delta is for another object');
  if (sizes.result > maxBytes) throw new RangeError(`a delta makes ${String(sizes.result)} bytes`);
  const result = Buffer.allocUnsafe(sizes.result);
  let filled = 0;
  for (let at = sizes.start; at < delta.length; ) {
    const instruction = delta[at] ?? 0;
    at += 1;
    let source: Uint8Array;
    if (instruction >= 0x80) {
      const copy = readCopy(delta, at, instruction);
      at = copy.end;
      source = slice(base, copy.offset, copy.length);
    } else if (instruction > 0) {
      source = slice(delta, at, instruction);
      at += instruction;
    } else {
      throw new RangeError('a delta has an instruction that is not known');
    }
    if (filled + source.length > result.length) throw new RangeError('a delta makes more than it says');
    result.set(source, filled);
    filled += source.length;
  }
  if (filled !== result.length) throw new RangeError('a delta makes less than it says');
  return result;
}

function slice(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length > bytes.length) throw new RangeError('a delta copies from outside');
  return bytes.subarray(offset, offset + length);
}

/** Seven bits each byte, the lowest first; the eighth says that more follow. */
function readSize(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let scale = 1;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end: at + 1 };
    scale *= 0x80;
    if (scale > Number.MAX_SAFE_INTEGER) break;
  }
  throw new RangeError('a size of a delta is cut short or too large');
}

interface Copy {
  readonly offset: number;
  readonly length: number;
  readonly end: number;
}

/** The bits of the instruction say which bytes of the offset (four) and the length (three) follow. */
function readCopy(delta: Uint8Array, start: number, instruction: number): Copy {
  let at = start;
  const read = (bits: number, first: number): number => {
    let value = 0;
    for (let bit = 0; bit < bits; bit += 1) {
      if ((instruction & (first << bit)) === 0) continue;
      if (at >= delta.length) throw new RangeError('a delta is cut short');
      value += (delta[at] ?? 0) * 2 ** (8 * bit);
      at += 1;
    }
    return value;
  };
  const offset = read(4, 0x01);
  const length = read(3, 0x10);
  return { offset, length: length === 0 ? 0x1_0000 : length, end: at };
}
