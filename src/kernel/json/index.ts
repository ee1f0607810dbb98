export { canonicalJson, fingerprint } from './canonical-json.ts';
export { frozenCopy } from './frozen-copy.ts';
export { isCostlySchema, type JsonSchema, type SchemaProblem, validateJson } from './json-schema.ts';
export {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  toJsonValue,
} from './json-value.ts';
export { type ParsedJson, parseJson } from './parse-json.ts';
