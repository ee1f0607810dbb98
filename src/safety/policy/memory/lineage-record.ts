import {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../kernel/json/index.ts';

/** What one call of a session did, as far as it matters to later ones. */
export interface PastCall {
  readonly key: string;
  readonly downloads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  /** Files that a secret was put into. */
  readonly carriers: ReadonlySet<string>;
  readonly isSecret: boolean;
  /** Rules that wait for such a call. */
  readonly after: ReadonlySet<string>;
}

/** When a rule counted a call. */
export interface CountedCall {
  readonly key: string;
  readonly atMs: number;
}

export interface Lineage {
  readonly calls: readonly PastCall[];
  readonly rates: ReadonlyMap<string, readonly CountedCall[]>;
}

const VERSION = 1;

export function encodeLineage({ calls, rates }: Lineage): JsonObject {
  return {
    version: VERSION,
    calls: calls.map(({ key, downloads, writes, carriers, isSecret, after }) => ({
      key,
      downloads: [...downloads],
      writes: [...writes],
      carriers: [...carriers],
      secret: isSecret,
      after: [...after],
    })),
    rates: [...rates].map(([rule, list]) => ({
      rule,
      calls: list.map(({ key, atMs }) => ({ key, at_ms: atMs })),
    })),
  };
}

/** Undefined for what {@link encodeLineage} has not made. */
export function decodeLineage(value: JsonValue | undefined): Lineage | undefined {
  if (!isJsonObject(value) || getOwn(value, 'version') !== VERSION) return undefined;
  const calls = listOf(getOwn(value, 'calls'), decodeCall);
  const rates = listOf(getOwn(value, 'rates'), decodeRate);
  return calls === undefined || rates === undefined ? undefined : { calls, rates: new Map(rates) };
}

function decodeCall(value: JsonValue): PastCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const [key, isSecret] = [getString(value, 'key'), getOwn(value, 'secret')];
  const [downloads, writes, carriers, after] = ['downloads', 'writes', 'carriers', 'after'].map((name) =>
    listOf(getOwn(value, name), (item) => (typeof item === 'string' ? item : undefined)),
  );
  if (key === undefined || typeof isSecret !== 'boolean') return undefined;
  if (downloads === undefined || writes === undefined || carriers === undefined || after === undefined)
    return undefined;
  return {
    key,
    downloads: new Set(downloads),
    writes: new Set(writes),
    carriers: new Set(carriers),
    isSecret,
    after: new Set(after),
  };
}

function decodeRate(value: JsonValue): readonly [string, readonly CountedCall[]] | undefined {
  if (!isJsonObject(value)) return undefined;
  const rule = getString(value, 'rule');
  const calls = listOf(getOwn(value, 'calls'), (item): CountedCall | undefined => {
    if (!isJsonObject(item)) return undefined;
    const [key, atMs] = [getString(item, 'key'), getOwn(item, 'at_ms')];
    return key === undefined || typeof atMs !== 'number' ? undefined : { key, atMs };
  });
  return rule === undefined || calls === undefined ? undefined : [rule, calls];
}

/** Undefined when it is no list, or one of its items is not what it has to be. */
function listOf<Item>(
  value: JsonValue | undefined,
  decode: (item: JsonValue) => Item | undefined,
): readonly Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item: JsonValue) => decode(item));
  return items.every((item) => item !== undefined) ? items : undefined;
}
