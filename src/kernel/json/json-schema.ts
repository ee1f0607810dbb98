import { type OutputUnit, Validator } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from './json-value.ts';

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
 * itself reported as a problem, so a value is never taken as fitting a schema that was not checked.
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

function sentence({ keyword, error }: OutputUnit): string {
  if (keyword === 'false') return 'is not known';
  const type = /^Instance type "(.+)" is invalid\. Expected "(.+)"\.$/.exec(error);
  if (type !== null) return `must be ${type[2] ?? ''}, not ${type[1] ?? ''}`;
  const required = /^Instance does not have required property "(.+)"\.$/.exec(error);
  if (required !== null) return `lacks "${required[1] ?? ''}"`;
  return error.replace(/^Instance /, '').replace(/\.$/, '');
}
