import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import type { CommandAnalysis, CommandPlace } from '../../../shell/index.ts';

/** What of a call a policy judges. */
export type PolicyCall = Pick<ToolCall, 'tool' | 'args' | 'cwd' | 'paths' | 'effect'>;

/** Finds out what a command would do; see `src/shell`. Looks at nothing but through the ports of the place. */
export type CommandAnalyser = (command: string, place: CommandPlace) => CommandAnalysis;
