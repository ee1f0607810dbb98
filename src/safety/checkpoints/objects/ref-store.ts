import { join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import { randomBytes } from '../../../platform/random/index.ts';
import {
  createRawFile,
  linkRaw,
  rawContent,
  rawKindOf,
  rawStat,
  removeRawFolder,
  renameRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';
import type { Oid } from '../model/path-state.ts';
import { inFolder } from './in-folder.ts';
import { namesIn } from './loose-objects.ts';
import { PackedRefs } from './packed-refs.ts';

/** A name for an object. */
export interface Ref {
  /** Relative to `refs/herma/`. */
  readonly name: string;
  readonly oid: Oid;
}

const BASE = 'refs/herma';
const NAME = /^[0-9a-z][0-9a-z-]*(\/[0-9a-z][0-9a-z-]*)*$/;
const OID_LINE = /^([0-9a-f]{40})\n?$/;
/** Git takes no name that ends so for a ref. */
const LOCK = '.lock';
const LOCKED_FILES: ReadonlySet<string> = new Set(['HEAD.lock', 'config.lock', 'packed-refs.lock']);

/**
 * The refs of a store below `refs/herma/`. Names are relative to it: lower-case letters, digits, `-` and `/`. Each change
 * is atomic. Refs that git has packed are found too.
 */
export class RefStore {
  readonly #folder: string;
  readonly #packed: PackedRefs;

  /** `folder` is the git repository. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#packed = new PackedRefs(folder);
  }

  /** Names an object. Throws an error with code `EEXIST` when the name is taken, also by a damaged ref. */
  create(name: string, oid: Oid): void {
    const path = this.#path(name);
    if (this.#packed.get(fullName(name)) !== undefined)
      throw Object.assign(new Error(`the ref ${name} is there already`), {
        code: 'EEXIST',
        syscall: 'link',
        path,
      });
    const temporary = this.#temporary(oid);
    try {
      inFolder(join(path, '..'), () => {
        linkRaw(temporary, path);
      });
    } finally {
      unlinkRaw(temporary);
    }
  }

  /** Names an object, whatever the name stood for. */
  set(name: string, oid: Oid): void {
    const path = this.#path(name);
    const temporary = this.#temporary(oid);
    try {
      inFolder(join(path, '..'), () => {
        renameRaw(temporary, path);
      });
    } catch (error) {
      unlinkRaw(temporary);
      throw error;
    }
  }

  /** Undefined when there is no such ref, or it is damaged. */
  get(name: string): Oid | undefined {
    const text = textOf(this.#path(name));
    return text === undefined ? this.#packed.get(fullName(name)) : OID_LINE.exec(text)?.[1];
  }

  /** The refs that have the name `prefix` or one below it (`''`: all of them), by name. Damaged ones are left out. */
  list(prefix: string): readonly Ref[] {
    const refs = [...this.#read(prefix)].flatMap(([name, oid]) => (oid === undefined ? [] : [{ name, oid }]));
    return refs.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** The refs, as {@link list} would list them, that are there and name nothing. */
  damaged(prefix: string): readonly string[] {
    return [...this.#read(prefix)].flatMap(([name, oid]) => (oid === undefined ? [name] : [])).toSorted();
  }

  /** Removes a ref, also a damaged one. Whether it was there. Throws an Error when git holds its packed refs locked. */
  delete(name: string): boolean {
    const path = this.#path(name);
    const full = fullName(name);
    // The packed one first, or it would come to light. And again, in case git has packed it between the two.
    const results = [this.#packed.delete(full), unlinkRaw(path), this.#packed.delete(full)];
    if (name.includes('/')) removeRawFolder(join(path, '..'));
    return results.some(Boolean);
  }

  #read(prefix: string): Map<string, Oid | undefined> {
    // The files first: git removes one only after it has packed the ref.
    const loose = new Map<string, Oid | undefined>();
    this.#walk(prefix, loose);
    const refs = new Map<string, Oid | undefined>();
    for (const [full, oid] of this.#packed.all()) {
      const name = full.startsWith(`${BASE}/`) ? full.slice(BASE.length + 1) : undefined;
      const isBelow =
        name !== undefined && (prefix === '' || name === prefix || name.startsWith(`${prefix}/`));
      if (isBelow) refs.set(name, oid);
    }
    for (const [name, oid] of loose) refs.set(name, oid);
    return refs;
  }

  #walk(name: string, refs: Map<string, Oid | undefined>): void {
    const path = name === '' ? join(this.#folder, BASE) : this.#path(name);
    const stat = rawStat(path);
    if (stat === undefined) return;
    if (rawKindOf(stat) === 'directory') {
      for (const part of namesIn(path))
        if (NAME.test(part)) this.#walk(name === '' ? part : `${name}/${part}`, refs);
      return;
    }
    const text = contentOf(path);
    if (text !== undefined) refs.set(name, OID_LINE.exec(text)?.[1]);
  }

  #path(name: string): string {
    if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a ref of the store`);
    return join(this.#folder, BASE, name);
  }

  #temporary(oid: Oid): string {
    if (!OID_LINE.test(oid)) throw new TypeError(`${JSON.stringify(oid)} is no name of an object`);
    const path = join(this.#folder, `tmp_ref_${Buffer.from(randomBytes(10)).toString('hex')}`);
    createRawFile(path, Buffer.from(`${oid}\n`, 'latin1'), { mode: 0o600 });
    return path;
  }
}

/** The paths of locks that git holds in a repository, or has left there: of refs, of packed refs, of its settings. */
export function* listLocks(folder: string): Generator<string> {
  for (const name of namesIn(folder)) if (LOCKED_FILES.has(name)) yield join(folder, name);
  const waiting = [join(folder, 'refs')];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const name of namesIn(path)) {
      const entry = join(path, name);
      const stat = rawStat(entry);
      if (stat === undefined) continue;
      if (rawKindOf(stat) === 'directory') waiting.push(entry);
      else if (name.endsWith(LOCK)) yield entry;
    }
  }
}

function fullName(name: string): string {
  return `${BASE}/${name}`;
}

/** The content of a ref; undefined when there is no such file. */
function textOf(path: string): string | undefined {
  const stat = rawStat(path);
  return stat === undefined || rawKindOf(stat) === 'directory' ? undefined : contentOf(path);
}

/** The content of a file; undefined when it has vanished. What is no file is damaged, as an empty one is. */
function contentOf(path: string): string | undefined {
  try {
    return rawContent(path, 4096)?.bytes.toString('latin1') ?? '';
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
