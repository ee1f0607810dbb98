import {
  isCostlySchema,
  type JsonSchema,
  type JsonValue,
  type SchemaProblem,
  validateJson,
} from '../kernel/json/index.ts';
import { createLimitedRunner, type RunLimited } from '../platform/run-limited/index.ts';

/** How long one check may take. A good schema takes a thousandth of it. */
const LIMIT_MS = 1000;

let runLimited: RunLimited | undefined;

/**
 * The ways in which arguments do not fit the schema of their tool. Schemas come from MCP servers too, and one pattern in them
 * can keep a regular expression busy for years.
 *
 * Fails closed: arguments that cannot be checked in time do not fit.
 */
export function checkArguments(schema: JsonSchema, args: JsonValue): readonly SchemaProblem[] {
  const check = (): readonly SchemaProblem[] => validateJson(schema, args, 'args');
  if (!isCostlySchema(schema)) return check();
  runLimited ??= createLimitedRunner();
  const checked = runLimited(LIMIT_MS, check);
  if (checked.inTime) return checked.value;
  const limit = String(LIMIT_MS / 1000);
  return [{ path: 'args', message: `could not be checked against the schema of the tool within ${limit} s` }];
}
