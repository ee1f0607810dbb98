import { getOwn, getString, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';
import { isEffect, type ToolCall } from '../../kernel/tool-call/index.ts';
import type { ProcessIdentity } from '../../platform/process/index.ts';

/** A foreign agent's call between its `before` and its `after`. */
export interface OpenCall {
  readonly ticket: string;
  /** Its arguments are redacted: they are for observers of its end; the fingerprint is of the real ones. */
  readonly call: ToolCall;
  readonly state: 'running' | 'awaiting_approval';
  /** The process that can still settle the call. */
  readonly owner?: ProcessIdentity;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly openedAt: number;
}

const FORMAT = 1;

export function encodeOpenCall({ ticket, call, state, owner, openedAt }: OpenCall): JsonObject {
  const {
    callId,
    sessionId,
    rootSessionId,
    parentSessionId,
    turnId,
    ordinal,
    tool,
    args,
    effect,
    paths,
    fingerprint,
    cwd,
    origin,
  } = call;
  return {
    version: FORMAT,
    ticket,
    state,
    opened_at: openedAt,
    owner: owner === undefined ? null : { ...owner },
    call: {
      tool_call_id: callId,
      session_id: sessionId,
      root_session_id: rootSessionId,
      parent_session_id: parentSessionId ?? null,
      turn_id: turnId,
      ordinal,
      tool_name: tool,
      tool_input: args,
      effect,
      paths: [...paths],
      fingerprint,
      cwd,
      agent: origin.kind === 'foreign' ? origin.agent : origin.surface,
    },
  };
}

/** Undefined when the value is not of this format. */
export function decodeOpenCall(value: JsonValue): OpenCall | undefined {
  if (!isJsonObject(value) || getOwn(value, 'version') !== FORMAT) return undefined;
  const [ticket, state, openedAt] = [
    getString(value, 'ticket'),
    getOwn(value, 'state'),
    getOwn(value, 'opened_at'),
  ];
  const call = decodeCall(getOwn(value, 'call'));
  if (ticket === undefined || call === undefined || typeof openedAt !== 'number') return undefined;
  if (state !== 'running' && state !== 'awaiting_approval') return undefined;
  const owner = decodeOwner(getOwn(value, 'owner'));
  return { ticket, call, state, openedAt, ...(owner === undefined ? {} : { owner }) };
}

function decodeCall(value: JsonValue | undefined): ToolCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const text = (name: string): string => getString(value, name) ?? '';
  const [args, effect, paths, ordinal] = ['tool_input', 'effect', 'paths', 'ordinal'].map((name) =>
    getOwn(value, name),
  );
  if (!isJsonObject(args) || !isEffect(effect) || !Array.isArray(paths)) return undefined;
  if (text('fingerprint') === '' || text('tool_name') === '') return undefined;
  const parentSessionId = getString(value, 'parent_session_id');
  return {
    callId: text('tool_call_id'),
    sessionId: text('session_id'),
    rootSessionId: text('root_session_id'),
    ...(parentSessionId === undefined ? {} : { parentSessionId }),
    turnId: text('turn_id'),
    ordinal: typeof ordinal === 'number' ? ordinal : 0,
    tool: text('tool_name'),
    args,
    effect,
    paths: paths.flatMap((path: unknown) => (typeof path === 'string' ? [path] : [])),
    fingerprint: text('fingerprint'),
    cwd: text('cwd'),
    origin: { kind: 'foreign', agent: text('agent') },
  };
}

function decodeOwner(value: JsonValue | undefined): ProcessIdentity | undefined {
  if (!isJsonObject(value)) return undefined;
  const pid = getOwn(value, 'pid');
  const [startTime, bootId, pidNamespace] = ['startTime', 'bootId', 'pidNamespace'].map((name) =>
    getString(value, name),
  );
  if (
    typeof pid !== 'number' ||
    startTime === undefined ||
    bootId === undefined ||
    pidNamespace === undefined
  )
    return undefined;
  return { pid, startTime, bootId, pidNamespace };
}
