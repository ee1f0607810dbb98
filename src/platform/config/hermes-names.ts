import { isJsonObject } from '../../kernel/json/index.ts';
import type { KeyPath } from './key-path.ts';

/** Settings that mean the same under another name in Hermes Agent, by section: [theirs, ours]. */
const SYNONYMS: ReadonlyMap<string, readonly (readonly [string, string])[]> = new Map([
  [
    'model',
    [
      ['default', 'name'],
      ['model', 'name'],
      ['context_length', 'context_window'],
    ],
  ],
  ['agent', [['max_turns', 'max_iterations']]],
  ['compression', [['protect_first_n', 'keep_first']]],
  [
    'delegation',
    [
      ['max_spawn_depth', 'max_depth'],
      ['max_concurrent_children', 'max_children'],
    ],
  ],
  ['terminal', [['env_passthrough', 'env']]],
]);

/** The configuration under our names, and the way back for messages. */
export interface CanonicalValue {
  readonly value: Readonly<Record<string, unknown>>;
  /** The path as it is written in the file. */
  writtenPath(path: KeyPath): KeyPath;
}

/**
 * Puts our names in place of those of Hermes Agent, and drops sections that are present but empty (`agent:` with nothing
 * below). A name that is there under both is left under both, and so refused later.
 */
export function toCanonical(value: Readonly<Record<string, unknown>>): CanonicalValue {
  const written = new Map<string, string>();
  const sections = Object.entries(value)
    .filter(([, section]) => section !== null)
    .map(
      ([name, section]) => [name, isJsonObject(section) ? renamed(name, section, written) : section] as const,
    );
  return {
    value: Object.fromEntries(sections),
    writtenPath: ([section, key, ...rest]) => {
      const path = [section, key, ...rest].filter((step) => step !== undefined);
      const theirs =
        typeof section === 'string' && typeof key === 'string' ? written.get(`${section}.${key}`) : undefined;
      return theirs === undefined ? path : path.with(1, theirs);
    },
  };
}

/** The name this program knows a key of Hermes Agent by; undefined for all other keys. */
export function ourName(path: KeyPath): string | undefined {
  const [section, key] = path;
  if (typeof section !== 'string' || path.length !== 2) return undefined;
  return SYNONYMS.get(section)?.find(([theirs]) => theirs === key)?.[1];
}

function renamed(
  name: string,
  section: Readonly<Record<string, unknown>>,
  written: Map<string, string>,
): Readonly<Record<string, unknown>> {
  const entries = new Map(Object.entries(section));
  for (const [theirs, ours] of SYNONYMS.get(name) ?? []) {
    if (!entries.has(theirs) || entries.has(ours)) continue;
    entries.set(ours, entries.get(theirs));
    entries.delete(theirs);
    written.set(`${name}.${ours}`, theirs);
  }
  return Object.fromEntries(entries);
}
