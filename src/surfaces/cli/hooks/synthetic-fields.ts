import { type EventName, syntheticPayload } from '../../../kernel/events/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import { compileMatcher } from '../../../safety/hooks/index.ts';

/** The built-in tools, each with arguments a model might give. */
export const TOOL_EXAMPLES: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['terminal', { command: 'echo hello' }],
  ['read_file', { path: 'README.md' }],
  ['write_file', { path: 'notes.txt', content: 'hello\n' }],
  ['patch', { path: 'notes.txt', old_string: 'hello', new_string: 'good morning' }],
  ['search_files', { pattern: 'hello' }],
  ['process', { action: 'list' }],
  ['todo', { todos: [{ id: '1', content: 'say hello', status: 'pending' }] }],
  ['clarify', { question: 'Which one?' }],
  ['delegate_task', { goal: 'say hello' }],
]);

const TOOL = 'terminal';
/** Optional fields that do not go together with the others. */
const LEFT_OUT = new Set(['recheck', 'error_type', 'error_message', 'error', 'cwd']);
/** As Hermes Agent names them in its trial payloads. */
const COMMON: JsonObject = {
  session_id: 'test-session',
  task_id: 'test-task',
  tool_call_id: 'test-call',
};
const BY_EVENT: ReadonlyMap<EventName, JsonObject> = new Map<EventName, JsonObject>([
  ['post_tool_call', { duration_ms: 42 }],
  ['pre_llm_call', { model: 'gpt-4', is_first_turn: true }],
  ['subagent_stop', { parent_session_id: 'parent-sess', duration_ms: 1234 }],
]);

/**
 * Made-up fields of an event, by their names on the wire, for trying a hook; those of a call to `tool` where the event is about
 * one. Of a tool that does not come with Herma the arguments are empty.
 */
export function syntheticFields(event: EventName, tool: string = TOOL): JsonObject {
  const all = syntheticPayload(event);
  const keeps = (name: string): boolean =>
    !LEFT_OUT.has(name) || (name === 'error' && event === 'api_request_error');
  const hasSession = Object.hasOwn(all, 'session_id');
  const fields = Object.entries(all)
    .filter(([name]) => keeps(name) && !(name === 'parent_session_id' && hasSession))
    .map(([name, value]): [string, JsonValue] => [name, COMMON[name] ?? value]);
  const isAboutTool = Object.hasOwn(all, 'tool_name');
  return {
    ...Object.fromEntries(fields),
    ...BY_EVENT.get(event),
    ...(isAboutTool ? { tool_name: tool, args: TOOL_EXAMPLES.get(tool) ?? {} } : {}),
  };
}

/** The tool a hook with this matcher is tried with: one that it matches, as far as one can be found. */
export async function toolToTry(matcher: string | undefined): Promise<string> {
  const compiled = await compileMatcher(matcher);
  if (!compiled.ok) return TOOL;
  const guess = (matcher ?? '').trim().replaceAll('.*', 'example');
  return [...TOOL_EXAMPLES.keys(), guess].find((name) => compiled.value(name)) ?? TOOL;
}

/** The arguments in some fields; undefined where there are none. */
export function argsOf(fields: JsonObject): JsonObject | undefined {
  const args = fields['args'];
  return args !== undefined && isJsonObject(args) ? args : undefined;
}
