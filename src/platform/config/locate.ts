import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import type { KeyPath } from './key-path.ts';

/** The node of the value at `path`, through aliases and merged mappings. */
export function locateValue(document: Document, path: KeyPath): Node | undefined {
  let node = resolve(document, document.contents);
  for (const step of path) {
    node = resolve(
      document,
      typeof step === 'number' ? itemAt(node, step) : pairOf(document, node, step)?.value,
    );
    if (node === undefined) return undefined;
  }
  return node;
}

/** The node of the last key of `path`; that of the value where the last step is a position in a list. */
export function locateKey(document: Document, path: KeyPath): Node | undefined {
  const last = path.at(-1);
  const parent = locateValue(document, path.slice(0, -1));
  if (typeof last !== 'string') return last === undefined ? parent : resolve(document, itemAt(parent, last));
  const key = pairOf(document, parent, last)?.key;
  return isNode(key) ? key : undefined;
}

/** Whether the key of a pair is `<<`, which merges mappings into this one (YAML 1.1). */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}

function itemAt(node: Node | undefined, index: number): unknown {
  return isSeq(node) ? node.items[index] : undefined;
}

function pairOf(document: Document, node: Node | undefined, name: string): Pair | undefined {
  if (!isMap(node)) return undefined;
  return (
    node.items.find(({ key }) => isScalar(key) && key.value === name) ?? mergedPair(document, node, name)
  );
}

function mergedPair(document: Document, map: YAMLMap, name: string): Pair | undefined {
  for (const { key, value } of map.items) {
    if (!isMergeKey(key)) continue;
    const merged = resolve(document, value);
    for (const source of isSeq(merged) ? merged.items : [merged]) {
      const found = pairOf(document, resolve(document, source), name);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function resolve(document: Document, node: unknown): Node | undefined {
  if (isAlias(node)) return node.resolve(document);
  return isNode(node) ? node : undefined;
}
