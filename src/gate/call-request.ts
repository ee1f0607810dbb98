import type { JsonValue } from '../kernel/json/index.ts';
import type { CallIds, CallOrigin } from '../kernel/tool-call/index.ts';

/** A tool call as it was asked for: nothing in it is checked yet. */
export interface CallRequest extends CallIds {
  readonly tool: string;
  readonly args: JsonValue;
  /** Absolute path. */
  readonly cwd: string;
  readonly origin: CallOrigin;
}
