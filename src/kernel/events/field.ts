import type { JsonObject, JsonSchema, JsonValue } from '../json/index.ts';

/**
 * One field of an event's payload, from which its type, its JSON Schema, its documentation and its synthetic value
 * are derived.
 */
export interface Field<Value extends JsonValue, Optional extends boolean = false> {
  readonly schema: JsonSchema;
  readonly doc: string;
  readonly example: Value;
  readonly optional: Optional;
}

export type AnyField = Field<JsonValue, boolean>;
export type Fields = Readonly<Record<string, AnyField>>;

/** The payload type of a set of fields. */
export type ValuesOf<F extends Fields> = {
  readonly [K in keyof F as F[K]['optional'] extends true ? never : K]: ValueOf<F[K]>;
} & {
  readonly [K in keyof F as F[K]['optional'] extends true ? K : never]?: ValueOf<F[K]>;
};

type ValueOf<F> = F extends Field<infer Value, boolean> ? Value : never;

export function text(doc: string, example: string): Field<string> {
  return { schema: { type: 'string' }, doc, example, optional: false };
}

export function oneOf<const Values extends readonly string[]>(
  doc: string,
  values: Values,
): Field<Values[number]> {
  const [first] = values;
  if (first === undefined) throw new Error(`"${doc}" offers no value`);
  return { schema: { type: 'string', enum: values }, doc, example: first, optional: false };
}

export function integer(doc: string, example: number): Field<number> {
  return { schema: { type: 'integer' }, doc, example, optional: false };
}

export function flag(doc: string, example: boolean): Field<boolean> {
  return { schema: { type: 'boolean' }, doc, example, optional: false };
}

export function object(doc: string, example: JsonObject): Field<JsonObject> {
  return { schema: { type: 'object' }, doc, example, optional: false };
}

export function list(doc: string, example: readonly JsonValue[]): Field<readonly JsonValue[]> {
  return { schema: { type: 'array' }, doc, example, optional: false };
}

/** The same field, which a payload may lack. */
export function optional<Value extends JsonValue>(field: Field<Value>): Field<Value, true> {
  return { ...field, optional: true };
}
