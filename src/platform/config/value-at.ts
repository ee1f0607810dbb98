import { isJsonObject } from '../../kernel/json/index.ts';
import type { KeyPath } from './key-path.ts';

/** The value at `path`; undefined when there is none. */
export function valueAt(path: KeyPath, value: unknown): unknown {
  let current = value;
  for (const step of path) {
    if (typeof step === 'number') current = Array.isArray(current) ? current[step] : undefined;
    else current = isJsonObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  }
  return current;
}
