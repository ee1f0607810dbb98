import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { MAX_LEVELS } from './json-flaw.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = JsonObject;

/** One way in which a value does not fit its schema: where (`args.path`) and what was expected. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/**
 * The ways in which `value` does not fit `schema`, outermost first; none when it fits.
 *
 * A schema that cannot be applied (a reference that leads nowhere, a pattern that is no regular expression) is
 * itself reported as a problem, so a value is never taken as fitting a schema that was not checked. How long a check may
 * take depends on the schema alone: see {@link isCostlySchema}.
 *
 * @param root the name the value goes by in messages, such as `args`.
 */
export function validateJson(schema: JsonSchema, value: JsonValue, root: string): readonly SchemaProblem[] {
  try {
    const { valid, errors } = validatorOf(schema).validate(value);
    return valid ? [] : explain(errors, root);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [
      { path: root, message: `cannot be checked, its schema is broken: ${reason.split('\n')[0] ?? reason}` },
    ];
  }
}

/** Keywords by which a small schema and a small value can take hours: regular expressions, and whatever looks twice. */
const COSTLY_KEYWORDS: ReadonlyMap<string, string> = new Map([
  ['pattern', 'string'],
  ['format', 'string'],
  ['$ref', 'string'],
  ['$dynamicRef', 'string'],
  ['$recursiveRef', 'string'],
  ['uniqueItems', 'boolean'],
  ['patternProperties', 'object'],
  ['propertyNames', 'object'],
  ['dependentSchemas', 'object'],
  ['dependencies', 'object'],
  ['allOf', 'object'],
  ['anyOf', 'object'],
  ['oneOf', 'object'],
  ['not', 'object'],
  ['if', 'object'],
  ['contains', 'object'],
  ['unevaluatedItems', 'object'],
  ['unevaluatedProperties', 'object'],
]);

const costly = new WeakMap<JsonSchema, boolean>();

/**
 * Whether checking against a schema may take more time than the sizes of schema and value tell, so that a check against one
 * that others wrote needs a time limit. Errs towards true.
 */
export function isCostlySchema(schema: JsonSchema): boolean {
  const known = costly.get(schema);
  if (known !== undefined) return known;
  const found = holdsCostlyKeyword(schema, 0);
  costly.set(schema, found);
  return found;
}

function holdsCostlyKeyword(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels >= MAX_LEVELS) return true;
  if (!isJsonObject(value)) return value.some((item) => holdsCostlyKeyword(item, levels + 1));
  return Object.entries(value).some(
    ([key, item]) => COSTLY_KEYWORDS.get(key) === typeof item || holdsCostlyKeyword(item, levels + 1),
  );
}

const validators = new WeakMap<JsonSchema, Validator>();

function validatorOf(schema: JsonSchema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const created = new Validator({ ...schema }, '2020-12', false);
  validators.set(schema, created);
  return created;
}

/** Keywords whose error only repeats that something inside failed. */
const WRAPPERS = new Set([
  'properties',
  'patternProperties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'additionalProperties',
]);

function explain(errors: readonly OutputUnit[], root: string): readonly SchemaProblem[] {
  const causes = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
  return (causes.length > 0 ? causes : errors).map((unit) => ({
    path: pathFrom(root, unit.instanceLocation),
    message: sentence(unit),
  }));
}

function pathFrom(root: string, pointer: string): string {
  const steps = pointer.replace(/^#\/?/, '').split('/').filter(Boolean);
  return [root, ...steps.map(unescapePointer)].join('.');
}

/** RFC 6901, section 6: percent-decoding first, then `~1` and `~0`. */
function unescapePointer(step: string): string {
  return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Characters of a message: schemas, which others write, are quoted in it. */
const MAX_SENTENCE = 300;

function sentence(unit: OutputUnit): string {
  const text = wholeSentence(unit);
  return text.length <= MAX_SENTENCE ? text : `${text.slice(0, MAX_SENTENCE - 1).toWellFormed()}…`;
}

function wholeSentence({ keyword, error }: OutputUnit): string {
  if (keyword === 'false') return 'is not known';
  const type = /^Instance type "(.+)" is invalid\. Expected "(.+)"\.$/.exec(error);
  if (type !== null) return `must be ${type[2] ?? ''}, not ${type[1] ?? ''}`;
  const required = /^Instance does not have required property "(.+)"\.$/.exec(error);
  if (required !== null) return `lacks "${required[1] ?? ''}"`;
  return error.replace(/^Instance /, '').replace(/\.$/, '');
}
