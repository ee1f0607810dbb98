import { getOwn, isJsonObject, type JsonValue } from '../../kernel/json/index.ts';
import { redact } from '../../kernel/redact/index.ts';
import type { KeyPath } from './key-path.ts';

/** A string that is merely random is shown: a wrong warning about it would be the commoner case. */
const SURE_MARKER = /\[redacted (?!random )/;

/** Where keys, tokens and passwords stand in plain text. A `${NAME}` is none. */
export function storedSecrets(value: JsonValue): readonly KeyPath[] {
  return changedPaths(value, redact.value(value), []);
}

/** Whether the value of `key` must not be shown, by the name of the key or by the look of the value. */
export function isSecret(key: string, value: string): boolean {
  return storedSecrets({ [key]: value }).length > 0;
}

function changedPaths(value: JsonValue, redacted: JsonValue, path: KeyPath): readonly KeyPath[] {
  if (isJsonObject(value)) {
    const others = isJsonObject(redacted) ? redacted : {};
    return Object.entries(value).flatMap(([key, item]) =>
      changedPaths(item, getOwn(others, key) ?? null, [...path, key]),
    );
  }
  if (typeof value === 'object' && value !== null) {
    const others =
      typeof redacted === 'object' && redacted !== null && !isJsonObject(redacted) ? redacted : [];
    return value.flatMap((item, index) => changedPaths(item, others[index] ?? null, [...path, index]));
  }
  return value !== redacted && typeof redacted === 'string' && SURE_MARKER.test(redacted) ? [path] : [];
}
