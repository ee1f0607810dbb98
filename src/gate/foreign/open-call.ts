import { getOwn, getString, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';
import { isEffect, type ToolCall } from '../../kernel/tool-call/index.ts';
import type { ProcessIdentity } from '../../platform/process/index.ts';

/** A foreign agent's call between its `before` and its `after`. */
export interface OpenCall {
  readonly ticket: string;
  /** Its arguments are redacted: they are for observers of its end; the fingerprint is of the real ones. */
  readonly call: ToolCall;
  /** `awaiting_approval`: the agent was told to ask its person, and may go on without coming back. */
  readonly state: 'running' | 'awaiting_approval';
  /** The process that can still settle the call. */
  readonly owner?: ProcessIdentity;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly openedAt: number;
  /** Names what was captured before it; empty when nothing was. */
  readonly checkpoint: string;
  /** Names its row in the journal; empty when it has none. */
  readonly entry: string;
}

/** Version of the file format. */
const FORMAT = 1;

export function encodeOpenCall({
  ticket,
  call,
  state,
  owner,
  openedAt,
  checkpoint,
  entry,
}: OpenCall): JsonObject {
  return {
    version: FORMAT,
    ticket,
    state,
    opened_at: openedAt,
    checkpoint,
    entry,
    owner: owner === undefined ? null : encodeOwner(owner),
    call: {
      tool_call_id: call.callId,
      session_id: call.sessionId,
      root_session_id: call.rootSessionId,
      turn_id: call.turnId,
      ordinal: call.ordinal,
      tool_name: call.tool,
      tool_input: call.args,
      effect: call.effect,
      paths: [...call.paths],
      fingerprint: call.fingerprint,
      cwd: call.cwd,
      agent: call.origin.kind === 'foreign' ? call.origin.agent : call.origin.surface,
    },
  };
}

/** Undefined when the value is not of this format, in whole. */
export function decodeOpenCall(value: JsonValue): OpenCall | undefined {
  if (!isJsonObject(value) || getOwn(value, 'version') !== FORMAT) return undefined;
  const [ticket, state, openedAt] = [
    getString(value, 'ticket'),
    getOwn(value, 'state'),
    getOwn(value, 'opened_at'),
  ];
  const call = decodeCall(getOwn(value, 'call'));
  const owner = decodeOwner(getOwn(value, 'owner'));
  if (ticket === undefined || call === undefined || typeof openedAt !== 'number') return undefined;
  if (state !== 'running' && state !== 'awaiting_approval') return undefined;
  if (owner === 'damaged') return undefined;
  const checkpoint = getString(value, 'checkpoint');
  const entry = getString(value, 'entry');
  if (checkpoint === undefined || entry === undefined) return undefined;
  return { ticket, call, state, openedAt, checkpoint, entry, ...(owner === undefined ? {} : { owner }) };
}

const TEXTS = [
  'tool_call_id',
  'session_id',
  'root_session_id',
  'turn_id',
  'tool_name',
  'fingerprint',
  'cwd',
  'agent',
] as const;

function decodeCall(value: JsonValue | undefined): ToolCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const texts = TEXTS.map((name) => getString(value, name));
  if (!texts.every((text) => text !== undefined)) return undefined;
  const [callId = '', sessionId = '', rootSessionId = '', turnId = ''] = texts;
  const [tool = '', fingerprint = '', cwd = '', agent = ''] = texts.slice(4);
  const [args, effect] = [getOwn(value, 'tool_input'), getOwn(value, 'effect')];
  const [paths, ordinal] = [textsOf(getOwn(value, 'paths')), getOwn(value, 'ordinal')];
  if (!isJsonObject(args) || !isEffect(effect)) return undefined;
  if (paths === undefined || typeof ordinal !== 'number') return undefined;
  const ids = { callId, sessionId, rootSessionId, turnId, ordinal };
  return { ...ids, tool, args, effect, paths, fingerprint, cwd, origin: { kind: 'foreign', agent } };
}

function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item: unknown) => typeof item === 'string');
  return texts.length === value.length ? texts : undefined;
}

function encodeOwner({ pid, startTime, bootId, pidNamespace }: ProcessIdentity): JsonObject {
  return { pid, start_time: startTime, boot_id: bootId, pid_namespace: pidNamespace };
}

function decodeOwner(value: JsonValue | undefined): ProcessIdentity | undefined | 'damaged' {
  if (value === null) return undefined;
  if (!isJsonObject(value)) return 'damaged';
  const pid = getOwn(value, 'pid');
  const [startTime, bootId, pidNamespace] = ['start_time', 'boot_id', 'pid_namespace'].map((name) =>
    getString(value, name),
  );
  if (typeof pid !== 'number' || startTime === undefined) return 'damaged';
  if (bootId === undefined || pidNamespace === undefined) return 'damaged';
  return { pid, startTime, bootId, pidNamespace };
}
