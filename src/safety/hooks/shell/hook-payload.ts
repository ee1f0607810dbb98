import { type EventName, type EventPayload, toWire } from '../../../kernel/events/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import { toHookObject } from './hook-value.ts';

/** What a script reads on its standard input, in this order of keys. */
export interface HookDocument extends JsonObject {
  readonly hook_event_name: string;
  /** Null where the event is not about a tool; so is `tool_input`. */
  readonly tool_name: string | null;
  readonly tool_input: JsonObject | null;
  readonly session_id: string;
  /** Empty when it is not known. */
  readonly cwd: string;
  readonly profile: string;
  /** Every other field of the event, with `telemetry_schema_version`. */
  readonly extra: JsonObject;
}

export interface HookDocumentOptions {
  /** The working directory where the event does not name one. */
  readonly cwd: string | undefined;
  /** `default` outside of profiles. */
  readonly profile?: string;
}

/** The document for an event of the runtime. */
export function hookPayload<E extends EventName>(
  event: E,
  payload: EventPayload<E>,
  options: HookDocumentOptions,
): HookDocument {
  return hookDocument(event, toWire(event, payload), options);
}

/**
 * The document of an event whose fields are given by their names on the wire. Values that JSON cannot hold are stringified.
 * `session_id` is the event's own, else the parent's, else empty; a parent that is another session stays in `extra`.
 */
export function hookDocument(
  event: string,
  fields: Readonly<Record<string, unknown>>,
  { cwd, profile = 'default' }: HookDocumentOptions,
): HookDocument {
  const {
    tool_name: toolName,
    args,
    session_id: ownSession,
    parent_session_id: parentSession,
    cwd: ownCwd,
    ...extra
  } = toHookObject(fields);
  const sessionId = textOf(ownSession) || textOf(parentSession);
  const hasOtherParent = textOf(parentSession) !== '' && parentSession !== sessionId;
  return {
    hook_event_name: event,
    tool_name: typeof toolName === 'string' ? toolName : null,
    tool_input: args !== undefined && isJsonObject(args) ? args : null,
    session_id: sessionId,
    cwd: textOf(ownCwd) || (cwd ?? ''),
    profile,
    extra: hasOtherParent ? { parent_session_id: textOf(parentSession), ...extra } : extra,
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
