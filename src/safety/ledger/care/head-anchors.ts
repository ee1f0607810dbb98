import { type Result, succeed } from '../../../kernel/errors/index.ts';
import {
  appendLine,
  makeDirectory,
  readTextFile,
  setAside,
  writeFileAtomic,
} from '../../../platform/files/index.ts';
import type { ChainHead } from '../store/chain.ts';

/** Lines that are kept; each vouches for everything before it. */
const MAX_LINES = 2000;
const KEPT_LINES = 1000;
/** What a file is that somebody else has written into. */
const NO_TEXT: ReadonlySet<string> = new Set(['binary', 'too_large', 'not_a_file', 'not_utf8']);
const LINE = /^(\d{1,15}) ([0-9a-f]{64})(?: |$)/;

/**
 * Heads of the chain, noted in a file outside the journal's folder: a journal that was cut off at its end, or replaced as a whole, does not
 * hold them. One line each: number, hash, time.
 */
export class HeadAnchors {
  readonly #path: string;

  /** @param path absolute; made when it is missing. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Notes a head, unless it is the last one noted. A file that is no text any more is kept aside, and a new one begun. */
  async note({ seq, hash }: ChainHead, at: string): Promise<Result<undefined>> {
    const lines = await this.#linesOrNew();
    if (!lines.ok) return lines;
    const last = headIn(lines.value.at(-1) ?? '');
    if (last?.seq === seq && last.hash === hash) return succeed(undefined);
    const line = `${String(seq)} ${hash} ${at}`;
    if (lines.value.length >= MAX_LINES) {
      const kept = [...lines.value.slice(-KEPT_LINES), line];
      const written = await writeFileAtomic(this.#path, `${kept.join('\n')}\n`);
      return written.ok ? succeed(undefined) : written;
    }
    const made = await makeDirectory(this.#path.slice(0, this.#path.lastIndexOf('/')));
    return made.ok ? appendLine(this.#path, line) : made;
  }

  /** All heads that were noted, the oldest first. Lines that are damaged are passed over. */
  async read(): Promise<Result<readonly ChainHead[]>> {
    const lines = await this.#lines();
    return lines.ok ? succeed(lines.value.flatMap((line) => headIn(line) ?? [])) : lines;
  }

  async #linesOrNew(): Promise<Result<readonly string[]>> {
    const lines = await this.#lines();
    if (lines.ok || !NO_TEXT.has(lines.code)) return lines;
    const kept = await setAside(this.#path);
    return kept.ok || kept.code === 'not_found' ? succeed([]) : kept;
  }

  async #lines(): Promise<Result<readonly string[]>> {
    const read = await readTextFile(this.#path);
    if (!read.ok) return read.code === 'not_found' ? succeed([]) : read;
    return succeed(read.value.text.split('\n').filter((line) => line !== ''));
  }
}

function headIn(line: string): ChainHead | undefined {
  const match = LINE.exec(line);
  return match === null ? undefined : { seq: Number(match[1]), hash: match[2] ?? '' };
}
