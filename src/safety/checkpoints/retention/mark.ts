import { messageOf } from '../../../kernel/errors/index.ts';
import type { Oid } from '../model/path-state.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { decodeTree } from '../objects/tree-object.ts';

/** An object that something needs and that cannot be read. */
export interface MissingObject {
  readonly oid: Oid;
  readonly reason: 'missing' | 'damaged';
  /** One line. */
  readonly message: string;
}

const FOLDER_MODE = 0o040_000;
const SUBMODULE_MODE = 0o160_000;

/**
 * Finds what is reachable, root by root. An object counts for the first root it was reached from. What cannot be read is
 * noted and passed over: a damaged snapshot does not keep the others from being tidied.
 */
export class Marker {
  readonly #objects: ObjectStore;
  readonly #reached = new Set<Oid>();
  readonly #missing = new Map<Oid, MissingObject>();

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** Everything reached so far, what is missing included. */
  get reached(): ReadonlySet<Oid> {
    return this.#reached;
  }

  get missing(): readonly MissingObject[] {
    return [...this.#missing.values()];
  }

  /** Reaches everything below `root`. Returns what was not reached before. Blobs are not read. */
  mark(root: Oid): readonly Oid[] {
    const fresh: Oid[] = [];
    const waiting: { readonly oid: Oid; readonly isLeaf: boolean }[] = [{ oid: root, isLeaf: false }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (this.#reached.has(next.oid)) continue;
      this.#reached.add(next.oid);
      fresh.push(next.oid);
      if (!next.isLeaf) waiting.push(...this.#childrenOf(next.oid));
    }
    return fresh;
  }

  /** Reaches one object that needs no others. Returns whether it is new. */
  markLeaf(oid: Oid): boolean {
    if (this.#reached.has(oid)) return false;
    this.#reached.add(oid);
    return true;
  }

  #childrenOf(oid: Oid): readonly { readonly oid: Oid; readonly isLeaf: boolean }[] {
    try {
      const object = this.#objects.read(oid);
      if (object === undefined) {
        this.#missing.set(oid, { oid, reason: 'missing', message: `object ${oid} is not there` });
        return [];
      }
      if (object.kind === 'blob') return [];
      if (object.kind === 'commit') return linksOfCommit(object.bytes);
      return decodeTree(object.bytes)
        .filter(({ mode }) => mode !== SUBMODULE_MODE)
        .map((item) => ({ oid: item.oid, isLeaf: item.mode !== FOLDER_MODE }));
    } catch (error) {
      this.#missing.set(oid, { oid, reason: 'damaged', message: messageOf(error) });
      return [];
    }
  }
}

/** Our commits have no parents; those that a person has made in the store may. */
function linksOfCommit(bytes: Buffer): readonly { readonly oid: Oid; readonly isLeaf: boolean }[] {
  const [head = ''] = bytes.toString('latin1').split('\n\n', 1);
  return [...head.matchAll(/^(?:tree|parent) ([0-9a-f]{40})$/gm)].flatMap(([, oid]) =>
    oid === undefined ? [] : [{ oid, isLeaf: false }],
  );
}
