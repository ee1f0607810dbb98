import { fingerprint, type JsonObject } from '../json/index.ts';
import type { Effect } from './effect.ts';

/** Which agent a call comes from: our own, by one of its surfaces, or a foreign one by its name. */
export type CallOrigin =
  | { readonly kind: 'herma'; readonly surface: string }
  | { readonly kind: 'foreign'; readonly agent: string };

/** The ids a call is found by. All are opaque; none may be parsed. */
export interface CallIds {
  /** Given by the model's provider; may repeat from turn to turn. */
  readonly callId: string;
  readonly sessionId: string;
  /** The first session of the lineage: it survives compaction and resume. */
  readonly rootSessionId: string;
  /** The session that delegated to this one. */
  readonly parentSessionId?: string;
  readonly turnId: string;
  /** Position of the call within its turn, from 0. */
  readonly ordinal: number;
}

/** One normalised tool call. Immutable: a rewrite of its arguments makes another call. */
export interface ToolCall extends CallIds {
  readonly tool: string;
  readonly args: JsonObject;
  readonly effect: Effect;
  /** File paths named by the arguments, as given. */
  readonly paths: readonly string[];
  /** Whether its effects are calls of their own, which pass the gate themselves. */
  readonly actsThroughGate?: true;
  /** {@link fingerprintOfCall} of tool, arguments and working directory. */
  readonly fingerprint: string;
  /** Absolute. */
  readonly cwd: string;
  readonly origin: CallOrigin;
}

/** SHA-256 over tool, working directory and arguments, in the version this label names. */
export function fingerprintOfCall(call: Pick<ToolCall, 'tool' | 'args' | 'cwd'>): string {
  return fingerprint(['herma-call-1', call.tool, call.cwd, call.args]);
}
