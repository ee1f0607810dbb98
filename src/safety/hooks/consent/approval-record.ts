import {
  getOwn,
  getString,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../kernel/json/index.ts';

/** The program that runs a script, as it was when that was approved. */
export interface BoundInterpreter {
  /** Absolute, every link followed. */
  readonly path: string;
  readonly uid: number;
  /** See `SeenFile`; undefined when it proves nothing, and the content is to be read each time. */
  readonly stamp?: string;
  readonly sha256: string;
}

/** What an approval says about content. */
export type RecordedContent =
  /** Nothing: written by hand or by Hermes. */
  | { readonly type: 'none' }
  /** Without `interpreter` when the system runs the script itself. Both have the same path when there is no script, only a program. */
  | {
      readonly type: 'bound';
      readonly sha256: string;
      readonly script?: string;
      readonly interpreter?: BoundInterpreter;
    }
  /** Something that is no binding: nothing equals it. */
  | { readonly type: 'invalid'; readonly reason: string };

/** One entry of the allowlist. */
export interface ApprovalRecord {
  readonly event: string;
  readonly command: string;
  /** As in the file: ISO 8601 in UTC, unless somebody wrote something else. */
  readonly approvedAt?: string;
  /** As `approvedAt`; undefined when it is not known. */
  readonly scriptMtime?: string;
  readonly content: RecordedContent;
  readonly matcher?: string;
  readonly timeoutSeconds?: number;
  readonly failClosed?: boolean;
}

/** The members that a new approval of the same hook replaces; others, of other writers, stay. */
export const OWN_MEMBERS: readonly string[] = [
  'event',
  'command',
  'approved_at',
  'script_mtime_at_approval',
  'sha256',
  'script',
  'interpreter',
  'matcher',
  'timeout',
  'fail_closed',
];

/** Undefined when the value is no approval at all. */
export function readApprovalRecord(value: JsonValue): ApprovalRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const event = getString(value, 'event');
  const command = getString(value, 'command');
  if (event === undefined || command === undefined) return undefined;
  const approvedAt = getString(value, 'approved_at');
  const recordedMtime = getOwn(value, 'script_mtime_at_approval') ?? undefined;
  // A time that is no text is kept as one that nobody can read, so that it is not taken for "not known".
  const scriptMtime =
    recordedMtime === undefined || typeof recordedMtime === 'string'
      ? recordedMtime
      : JSON.stringify(recordedMtime);
  const matcher = getString(value, 'matcher');
  const timeout = getOwn(value, 'timeout');
  const failClosed = getOwn(value, 'fail_closed');
  return {
    event,
    command,
    ...(approvedAt === undefined ? {} : { approvedAt }),
    ...(scriptMtime === undefined ? {} : { scriptMtime }),
    content: readContent(value),
    ...(matcher === undefined ? {} : { matcher }),
    ...(typeof timeout === 'number' ? { timeoutSeconds: timeout } : {}),
    ...(typeof failClosed === 'boolean' ? { failClosed } : {}),
  };
}

const SHA256 = /^[0-9a-f]{64}$/;

function readContent(value: JsonObject): RecordedContent {
  const recorded = getOwn(value, 'sha256') ?? undefined;
  const interpreterValue = getOwn(value, 'interpreter') ?? undefined;
  if (recorded === undefined && interpreterValue === undefined) return { type: 'none' };
  const sha256 = readSha256(recorded);
  if (sha256 === undefined) return { type: 'invalid', reason: 'its sha256 is not 64 hexadecimal digits' };
  const interpreter = interpreterValue === undefined ? undefined : readInterpreter(interpreterValue);
  if (interpreterValue !== undefined && interpreter === undefined)
    return { type: 'invalid', reason: 'its interpreter needs path, uid and sha256' };
  const script = getString(value, 'script');
  return {
    type: 'bound',
    sha256,
    ...(script === undefined ? {} : { script }),
    ...(interpreter === undefined ? {} : { interpreter }),
  };
}

function readInterpreter(value: JsonValue): BoundInterpreter | undefined {
  if (!isJsonObject(value)) return undefined;
  const path = getString(value, 'path');
  const uid = getOwn(value, 'uid');
  const stamp = getString(value, 'stamp');
  const sha256 = readSha256(getOwn(value, 'sha256'));
  if (path === undefined || typeof uid !== 'number' || sha256 === undefined) return undefined;
  return { path, uid, sha256, ...(stamp === undefined ? {} : { stamp }) };
}

function readSha256(value: JsonValue | undefined): string | undefined {
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  return SHA256.test(text) ? text : undefined;
}

/** The entry as it is written to the file. */
export function toApprovalJson(record: ApprovalRecord): JsonObject {
  const { event, command, approvedAt, scriptMtime, content, matcher, timeoutSeconds, failClosed } = record;
  return {
    event,
    command,
    approved_at: approvedAt ?? null,
    script_mtime_at_approval: scriptMtime ?? null,
    ...(content.type === 'bound' ? toContentJson(content) : {}),
    ...(matcher === undefined ? {} : { matcher }),
    ...(timeoutSeconds === undefined ? {} : { timeout: timeoutSeconds }),
    ...(failClosed === undefined ? {} : { fail_closed: failClosed }),
  };
}

function toContentJson({
  sha256,
  script,
  interpreter,
}: Extract<RecordedContent, { type: 'bound' }>): JsonObject {
  return {
    sha256,
    ...(script === undefined ? {} : { script }),
    ...(interpreter === undefined
      ? {}
      : { interpreter: { ...interpreter, stamp: interpreter.stamp ?? null } }),
  };
}
