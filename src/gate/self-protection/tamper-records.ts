import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { getOwn, getString, isJsonObject, type JsonValue, parseJson } from '../../kernel/json/index.ts';
import { describeFileError, displayPath, errnoOf, isFileError } from '../../platform/paths/index.ts';
import {
  createRawFile,
  ensureRawFolder,
  rawContent,
  rawKindOf,
  rawNames,
  rawStat,
  renameRaw,
  unlinkRaw,
} from '../../platform/raw-files/index.ts';
import type { TamperFinding } from './finding.ts';

/** A call that ran while something protected changed. */
export interface SuspectCall {
  readonly callId: string;
  readonly tool: string;
  /** One line, without secrets. */
  readonly description: string;
}

export interface TamperEvent {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly calls: readonly SuspectCall[];
  readonly files: readonly TamperFinding[];
}

/** What keeps a session from having any effect until a person has looked. */
export type TamperRecord =
  | {
      readonly type: 'readable';
      /** The file; absolute. */
      readonly path: string;
      readonly rootSessionId: string;
      readonly events: readonly TamperEvent[];
    }
  /** It blocks all the same. */
  | { readonly type: 'damaged'; readonly path: string };

const FORMAT = 1;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 200;

/**
 * The records of sessions whose calls changed what only a person may change: one file each, in `run/tampered`. Removing one
 * lifts the block. Nothing here waits.
 */
export class TamperRecords {
  readonly #folder: string;
  readonly #newId: () => string;
  readonly #unwritten = new Map<string, string>();

  /** @param folder absolute; created with the first record. */
  constructor(folder: string, newId: () => string) {
    this.#folder = folder;
    this.#newId = newId;
  }

  /** Adds to the record of a session. One that cannot be written blocks as long as this process lives; the failure says so. */
  add(rootSessionId: string, event: TamperEvent): Result<undefined> {
    const path = this.pathOf(rootSessionId);
    try {
      const earlier = this.#read(path);
      const events = earlier?.type === 'readable' ? [...earlier.events, event] : [event];
      this.#write(path, encode(rootSessionId, events));
      this.#unwritten.delete(rootSessionId);
      return succeed(undefined);
    } catch (error) {
      if (!isFileError(error)) throw error;
      const { message, remedy } = describeFileError(error, path, 'write');
      this.#unwritten.set(rootSessionId, message);
      return fail('not_written', `${message}: the session is blocked while this process lives`, remedy);
    }
  }

  /**
   * Why a session may have no effect, one line; undefined when nothing is recorded of it. Fails closed: a record that cannot be
   * read blocks, and so does a folder of records that cannot be looked into.
   */
  whyBlocked(rootSessionId: string): string | undefined {
    const path = this.pathOf(rootSessionId);
    const unwritten = this.#unwritten.get(rootSessionId);
    if (unwritten !== undefined)
      return `files of Herma itself were changed by a call of this session (${unwritten})`;
    try {
      const record = this.#read(path);
      if (record === undefined)
        return this.#isFolderSound() ? undefined : `${displayPath(this.#folder)} is no folder`;
      const call = record.type === 'readable' ? record.events.at(-1)?.calls[0] : undefined;
      return `files of Herma itself were changed while a call of this session ran${call === undefined ? '' : ` (${call.description})`}`;
    } catch (error) {
      if (!isFileError(error)) throw error;
      return describeFileError(error, path, 'read').message;
    }
  }

  /** All records, the oldest name first. */
  list(): Result<readonly TamperRecord[]> {
    try {
      if (rawStat(this.#folder) === undefined) return succeed([]);
      const names = rawNames(this.#folder).filter((name) => name.endsWith('.json'));
      return succeed(names.sort().flatMap((name) => this.#read(join(this.#folder, name)) ?? []));
    } catch (error) {
      if (!isFileError(error)) throw error;
      return describeFileError(error, this.#folder, 'read');
    }
  }

  /** Lifts the block of a record: a person has looked. */
  remove({ path }: TamperRecord): Result<undefined> {
    try {
      unlinkRaw(path);
      return succeed(undefined);
    } catch (error) {
      if (!isFileError(error)) throw error;
      return describeFileError(error, path, 'remove');
    }
  }

  pathOf(rootSessionId: string): string {
    const isPlain = /^[a-z0-9_-]{1,80}$/.test(rootSessionId);
    const name = isPlain
      ? rootSessionId
      : `sha256-${createHash('sha256').update(rootSessionId).digest('hex')}`;
    return join(this.#folder, `${name}.json`);
  }

  #isFolderSound(): boolean {
    const stat = rawStat(this.#folder) ?? rawStat(join(this.#folder, '..'));
    return stat === undefined || rawKindOf(stat) === 'directory';
  }

  #write(path: string, value: JsonValue): void {
    ensureRawFolder(this.#folder);
    const temporary = join(this.#folder, `.herma-${this.#newId()}.tmp`);
    createRawFile(temporary, Buffer.from(`${JSON.stringify(value, null, 2)}\n`), { mode: 0o600, sync: true });
    try {
      renameRaw(temporary, path);
    } catch (error) {
      unlinkRaw(temporary);
      throw error;
    }
  }

  /** Undefined when there is none. Throws what read(2) does. */
  #read(path: string): TamperRecord | undefined {
    let bytes: Buffer | undefined;
    try {
      bytes = rawContent(path, MAX_BYTES)?.bytes;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
      throw error;
    }
    const parsed = bytes === undefined ? undefined : parseJson(bytes.toString('utf8'));
    return (parsed?.ok === true ? decode(parsed.value, path) : undefined) ?? { type: 'damaged', path };
  }
}

function encode(rootSessionId: string, events: readonly TamperEvent[]): JsonValue {
  return {
    version: FORMAT,
    root_session_id: rootSessionId,
    events: events.map(({ at, calls, files }) => ({
      at,
      calls: calls.map(({ callId, tool, description }) => ({ call_id: callId, tool, description })),
      files: files.slice(0, MAX_FILES).map(({ isPutBack, ...file }) => ({ ...file, put_back: isPutBack })),
    })),
  };
}

function decode(value: JsonValue, path: string): TamperRecord | undefined {
  if (!isJsonObject(value) || getOwn(value, 'version') !== FORMAT) return undefined;
  const rootSessionId = getString(value, 'root_session_id');
  const listed = getOwn(value, 'events');
  if (rootSessionId === undefined || !Array.isArray(listed)) return undefined;
  const events = listed.map(decodeEvent);
  if (!events.every((event) => event !== undefined)) return undefined;
  return { type: 'readable', path, rootSessionId, events };
}

function decodeEvent(value: JsonValue): TamperEvent | undefined {
  if (!isJsonObject(value)) return undefined;
  const [at, calls, files] = [getString(value, 'at'), getOwn(value, 'calls'), getOwn(value, 'files')];
  if (at === undefined || !Array.isArray(calls) || !Array.isArray(files)) return undefined;
  const decodedCalls = calls.map(decodeCall);
  const decodedFiles = files.map(decodeFile);
  if (!decodedCalls.every((call) => call !== undefined) || !decodedFiles.every((file) => file !== undefined))
    return undefined;
  return { at, calls: decodedCalls, files: decodedFiles };
}

function decodeCall(value: JsonValue): SuspectCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const [callId, tool] = [getString(value, 'call_id'), getString(value, 'tool')];
  const description = getString(value, 'description');
  if (callId === undefined || tool === undefined || description === undefined) return undefined;
  return { callId, tool, description };
}

const CHANGES: readonly TamperFinding['change'][] = [
  'content',
  'mode',
  'link',
  'created',
  'deleted',
  'replaced',
  'unreadable',
];

function decodeFile(value: JsonValue): TamperFinding | undefined {
  if (!isJsonObject(value)) return undefined;
  const path = getString(value, 'path');
  const change = CHANGES.find((known) => known === getOwn(value, 'change'));
  const isPutBack = getOwn(value, 'put_back');
  if (path === undefined || change === undefined || typeof isPutBack !== 'boolean') return undefined;
  const [detail = '', aside = '', problem = ''] = ['detail', 'aside', 'problem'].map((key) =>
    getString(value, key),
  );
  return { path, change, detail, aside, isPutBack, problem };
}
