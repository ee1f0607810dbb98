import type { CallReport } from '../../gate/index.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json/index.ts';

const MAX_NAMES = 20;
const MAX_TARGET_CHARS = 200;

/**
 * The calls of a child as `subagent_stop` tells them: which tool, the names of its arguments, the files and addresses it
 * was about, sizes and outcome; never contents.
 */
export function toolCallHistory(calls: readonly CallReport[]): readonly JsonValue[] {
  return calls.map((report) => ({
    tool_name: report.tool,
    tool_input: { arguments: argumentNames(report.args), targets: targetsOf(report) },
    input_bytes: byteLength(JSON.stringify(report.args)),
    output_bytes: byteLength(report.text),
    status: report.status,
  }));
}

function argumentNames(args: JsonValue): readonly string[] {
  return isJsonObject(args) ? Object.keys(args).slice(0, MAX_NAMES).map(bounded) : [];
}

function targetsOf({ call, args }: CallReport): readonly string[] {
  const addresses = isJsonObject(args) ? Object.values(args).flatMap(addressIn) : [];
  return [...(call?.paths ?? []), ...addresses].slice(0, MAX_NAMES).map(bounded);
}

/** An address without user name, password, query and fragment: those may hold secrets. */
function addressIn(value: JsonValue): readonly string[] {
  if (typeof value !== 'string' || !/^https?:\/\//i.test(value) || !URL.canParse(value)) return [];
  const { origin, pathname } = new URL(value);
  return [`${origin}${pathname}`];
}

function bounded(text: string): string {
  return text.length <= MAX_TARGET_CHARS ? text : `${text.slice(0, MAX_TARGET_CHARS - 1).toWellFormed()}…`;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
