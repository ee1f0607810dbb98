import type { Gate } from '../../gate/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { CallbackRegistry } from '../../safety/hooks/index.ts';
import type { CompressionSettings } from '../compression/index.ts';
import type { ChatModel } from '../llm/index.ts';
import type { ToolBox } from '../tools/index.ts';

/** What the turns of an agent are run with. */
export interface AgentParts {
  readonly model: ChatModel;
  /** Every call takes it; its catalog holds the tools of {@link toolBox}. */
  readonly gate: Gate;
  readonly toolBox: ToolBox;
  readonly callbacks: CallbackRegistry;
  readonly clock: Clock;
  /** A new id each time, beginning with `prefix`. */
  readonly newId: (prefix: string) => string;
  /** The system prompt. The same for all turns of a session, so that providers can cache it. */
  readonly system: string;
  /** Absolute; where calls begin. */
  readonly cwd: string;
  readonly surface: string;
  /** Whether `cwd` lies in a project of code; told to hooks. */
  readonly isCodeProject: boolean;
  /** Model requests one turn may make; at least 1. */
  readonly maxIterations: number;
  /** Commands that must succeed before a turn that edited files may end. */
  readonly verify: readonly string[];
  /** Times a turn may be sent on because of them. */
  readonly maxVerifyNudges: number;
  readonly compression: CompressionSettings;
  /**
   * What the model is to know before a turn of that lineage, besides what hooks say. `isStillTold` says whether it can still read a
   * text it was given that way. Never rejects.
   */
  readonly briefing?: (
    rootSessionId: string,
    isStillTold: (mark: string) => boolean,
  ) => Promise<{ readonly text: string; readonly warnings: readonly string[] }>;
}
