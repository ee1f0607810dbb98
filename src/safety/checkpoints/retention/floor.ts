import { join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { createRawFile, rawContent, renameRaw, unlinkRaw } from '../../../platform/raw-files/index.ts';

/** How small the store was when nothing else could go, and the limit that it did not meet; in bytes. */
export interface Floor {
  readonly bytes: number;
  readonly cap: number;
}

/** Two numbers in `<store>/floor`. Undefined when there is none, or it is damaged. */
export function readFloor(folder: string): Floor | undefined {
  const [, bytes, cap] = /^(\d{1,16}) (\d{1,16})\n$/.exec(textOf(join(folder, 'floor')) ?? '') ?? [];
  return bytes === undefined || cap === undefined ? undefined : { bytes: Number(bytes), cap: Number(cap) };
}

export function writeFloor(folder: string, { bytes, cap }: Floor): void {
  replaceFile(join(folder, 'floor'), `${String(bytes)} ${String(cap)}\n`, join(folder, randomId('tmp')));
}

/** Puts a small file in the place of another, whole or not at all. `temporary`: a name in the same folder. */
export function replaceFile(path: string, text: string, temporary: string): void {
  try {
    createRawFile(temporary, Buffer.from(text), { mode: 0o600, sync: true });
    renameRaw(temporary, path);
  } catch (error) {
    unlinkRaw(temporary);
    throw error;
  }
}

/** The text of a small file; undefined when it is not there, or no file. */
export function textOf(path: string): string | undefined {
  try {
    return rawContent(path, 4096)?.bytes.toString('utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
