import { type Failure, fail } from '../../../kernel/errors/index.ts';
import { isJsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { setAside, writeFileAtomic } from '../../../platform/files/index.ts';
import { withLock } from '../../../platform/locks/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import { type ApprovalRecord, OWN_MEMBERS, readApprovalRecord, toApprovalJson } from './approval-record.ts';
import { FileInspector } from './file-inspector.ts';
import {
  type AllowlistText,
  type ReadAllowlist,
  readAllowlist,
  type UnusableCode,
} from './read-allowlist.ts';
import { sortedJson } from './sorted-json.ts';

export interface AllowlistOptions {
  /** `shell-hooks-allowlist.json` of the home. */
  readonly path: string;
  /** A file of its own beside it; see `acquireLock`. */
  readonly lockPath: string;
  /** How long to wait for another writer; by default 10 s. */
  readonly lockWaitMs?: number;
  readonly clock: Clock;
  /** Told of every change before it is made, so that nobody takes it for one by a call. */
  readonly announce?: <Value>(path: string, write: () => Promise<Value>) => Promise<Value>;
}

/** All that is approved, now. */
export interface Approvals {
  /** Those for this run too. */
  readonly records: readonly ApprovalRecord[];
  /** One line per entry of the file that counts for nothing. */
  readonly problems: readonly string[];
  /** Why nothing in the file counts. */
  readonly unusable?: Failure<UnusableCode>;
}

export interface AddOptions {
  /** True for a person who approves anew: an allowlist that nobody understands is kept aside and another one begun. */
  readonly replacesCorrupt: boolean;
  /** True to leave an entry alone that is there already, as another process may have made it. */
  readonly onlyIfAbsent?: boolean;
  readonly signal?: AbortSignal;
}

/** What became of an approval. */
export type Added =
  /** `keptAside`: where the unintelligible file is now. */
  | { readonly type: 'written'; readonly keptAside?: string }
  /** It was there before, and was left as it is. */
  | { readonly type: 'present' }
  /** It holds in this process until that ends. */
  | { readonly type: 'this_run'; readonly warning: string };

type Change =
  | { readonly type: 'unchanged' }
  | { readonly type: 'changed'; readonly entries: readonly JsonValue[] };

interface Written {
  readonly isWritten: boolean;
  readonly keptAside?: string;
}

const LOCK_WAIT_MS = 10_000;

/**
 * The approvals of shell hooks in `shell-hooks-allowlist.json`, in the format of Hermes with members of our own: see
 * {@link ApprovalRecord}. Every writer holds the lock from reading to writing, so two at once lose nothing; the file is
 * replaced in one step, with mode 0600 and sorted keys. Members and entries of other writers stay as they are.
 *
 * Fails closed: of a file that cannot be read or understood nothing is approved.
 */
export class AllowlistFile {
  readonly #options: AllowlistOptions;
  readonly #inspector: FileInspector;
  readonly #thisRun = new Map<string, ApprovalRecord>();
  #last: { readonly stamp: string; readonly read: ReadAllowlist } | undefined;

  constructor(options: AllowlistOptions) {
    this.#options = options;
    this.#inspector = new FileInspector(options.clock);
  }

  get path(): string {
    return this.#options.path;
  }

  /** Reads the file again whenever it may have changed. */
  async read(): Promise<Approvals> {
    const read = await this.#readFile();
    const own = Array.from(this.#thisRun.values());
    if (!read.ok) return { records: own, problems: [], unusable: read };
    const { records, problems } = read.value;
    return { records: [...records.filter((record) => !this.#thisRun.has(keyOf(record))), ...own], problems };
  }

  /** Records an approval in the place of earlier ones of the same event and command. Fails where {@link AddOptions} do not let it. */
  async add(
    record: ApprovalRecord,
    { replacesCorrupt, onlyIfAbsent = false, signal }: AddOptions,
  ): Promise<{ readonly ok: true; readonly value: Added } | Failure<UnusableCode>> {
    const changed = await this.#change(replacesCorrupt, signal, ({ entries }) => {
      const earlier = entries.filter((entry) => isOf(entry, record));
      if (onlyIfAbsent && earlier.length > 0) return { type: 'unchanged' };
      const others = entries.filter((entry) => !isOf(entry, record));
      return { type: 'changed', entries: [...others, withForeignMembers(record, earlier)] };
    });
    if (changed.ok) {
      this.#thisRun.delete(keyOf(record));
      const { isWritten, keptAside } = changed.value;
      if (!isWritten) return { ok: true, value: { type: 'present' } };
      return { ok: true, value: { type: 'written', ...(keptAside === undefined ? {} : { keptAside }) } };
    }
    if (changed.code !== 'not_written') return { ...changed, code: changed.code };
    this.#thisRun.set(keyOf(record), record);
    const warning = `${changed.message}: the approval holds for this run only${changed.remedy === undefined ? '' : `; ${changed.remedy}`}`;
    return { ok: true, value: { type: 'this_run', warning } };
  }

  /** Removes the approvals of a command for all events; the value is how many. On failure those of the file still hold. */
  async remove(
    command: string,
    signal?: AbortSignal,
  ): Promise<{ readonly ok: true; readonly value: number } | Failure<UnusableCode | 'not_written'>> {
    const held = Array.from(this.#thisRun.values()).filter((record) => record.command === command);
    for (const record of held) this.#thisRun.delete(keyOf(record));
    const removed = new Set<string>(held.map(keyOf));
    const changed = await this.#change(false, signal, ({ entries, records }) => {
      const matching = records.filter((record) => record.command === command);
      for (const record of matching) removed.add(keyOf(record));
      const kept = entries.filter((entry) => readApprovalRecord(entry)?.command !== command);
      return matching.length === 0 ? { type: 'unchanged' } : { type: 'changed', entries: kept };
    });
    return changed.ok ? { ok: true, value: removed.size } : changed;
  }

  async #readFile(): Promise<ReadAllowlist> {
    const { path, clock } = this.#options;
    const startedMs = clock.now();
    const before = await this.#inspector.look(path);
    if (before.ok && this.#last !== undefined && this.#inspector.isSameAs(before.value, this.#last.stamp))
      return this.#last.read;
    const read = await readAllowlist(path);
    const after = await this.#inspector.look(path);
    const isSteady = before.ok && after.ok && before.value.stamp === after.value.stamp;
    this.#last =
      isSteady && this.#inspector.isOldEnough(before.value, startedMs)
        ? { stamp: before.value.stamp, read }
        : undefined;
    return read;
  }

  async #change(
    replacesCorrupt: boolean,
    signal: AbortSignal | undefined,
    change: (text: AllowlistText) => Change,
  ): Promise<{ readonly ok: true; readonly value: Written } | Failure<UnusableCode | 'not_written'>> {
    const { path, lockPath, lockWaitMs = LOCK_WAIT_MS } = this.#options;
    const options = { waitMs: lockWaitMs, ...(signal === undefined ? {} : { signal }) };
    const locked = await withLock(lockPath, options, async () => {
      const read = await readAllowlist(path);
      if (!read.ok && !(read.code === 'corrupt' && replacesCorrupt)) return read;
      const text = read.ok ? read.value : { root: {}, entries: [], records: [], problems: [] };
      const changed = change(text);
      if (changed.type === 'unchanged') return { ok: true as const, value: { isWritten: false } };
      return this.#write({ ...text.root, approvals: changed.entries }, !read.ok);
    });
    this.#last = undefined;
    if (!locked.ok) return fail('not_written', locked.message, locked.remedy);
    return locked.value;
  }

  async #write(
    root: JsonValue,
    isCorrupt: boolean,
  ): Promise<{ readonly ok: true; readonly value: Written } | Failure<'not_written'>> {
    const { path, announce = async (_path, write) => write() } = this.#options;
    return announce(path, async () => this.#replace(root, isCorrupt));
  }

  async #replace(
    root: JsonValue,
    isCorrupt: boolean,
  ): Promise<{ readonly ok: true; readonly value: Written } | Failure<'not_written'>> {
    const { path, clock } = this.#options;
    const aside = isCorrupt ? await setAside(path, { nowMs: clock.now() }) : undefined;
    if (aside?.ok === false) return fail('not_written', aside.message, aside.remedy);
    const written = await writeFileAtomic(path, sortedJson(root), { mode: 0o600, followLink: true });
    if (!written.ok) {
      const kept =
        aside === undefined
          ? ''
          : ` (the one that was not understood is kept as ${displayPath(aside.value)})`;
      return fail('not_written', `${written.message}${kept}`, written.remedy);
    }
    return {
      ok: true,
      value: { isWritten: true, ...(aside === undefined ? {} : { keptAside: aside.value }) },
    };
  }
}

function keyOf({ event, command }: Pick<ApprovalRecord, 'event' | 'command'>): string {
  return JSON.stringify([event, command]);
}

function isOf(entry: JsonValue, record: ApprovalRecord): boolean {
  const read = readApprovalRecord(entry);
  return read !== undefined && keyOf(read) === keyOf(record);
}

function withForeignMembers(record: ApprovalRecord, earlier: readonly JsonValue[]): JsonValue {
  const foreign = earlier
    .filter(isJsonObject)
    .flatMap((entry) => Object.entries(entry).filter(([key]) => !OWN_MEMBERS.includes(key)));
  return { ...Object.fromEntries(foreign), ...toApprovalJson(record) };
}
