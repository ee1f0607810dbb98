import { getOwn, getString, isJsonObject, parseJson } from '../../../kernel/json/index.ts';
import { readFileRange, statPath } from '../../../platform/files/index.ts';

/** How much of the end of the log is looked at. */
const MAX_BYTES = 8 * 1024 * 1024;
const MESSAGE = 'journal head';
const HASH = /^[0-9a-f]{64}$/;

/** Heads of the chain that the log has noted, the oldest first; none when it cannot be read. */
export async function headsInLog(
  path: string,
  signal: AbortSignal,
): Promise<readonly { readonly seq: number; readonly hash: string }[]> {
  const stat = await statPath(path);
  if (!stat.ok || stat.value === undefined) return [];
  const start = Math.max(0, stat.value.size - MAX_BYTES);
  const read = await readFileRange(path, { start, length: MAX_BYTES, signal });
  if (!read.ok) return [];
  return read.value.bytes
    .toString('utf8')
    .split('\n')
    .flatMap((line) => headIn(line) ?? []);
}

function headIn(line: string): { readonly seq: number; readonly hash: string } | undefined {
  if (!line.includes(MESSAGE)) return undefined;
  const parsed = parseJson(line);
  if (!parsed.ok || !isJsonObject(parsed.value) || getString(parsed.value, 'message') !== MESSAGE)
    return undefined;
  const [seq, hash] = [getOwn(parsed.value, 'seq'), getString(parsed.value, 'sha256') ?? ''];
  return typeof seq === 'number' && Number.isSafeInteger(seq) && seq > 0 && HASH.test(hash)
    ? { seq, hash }
    : undefined;
}
