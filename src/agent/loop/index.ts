export type { AgentParts } from './agent-parts.ts';
export { type CompressConversationOptions, compressConversation } from './compress-conversation.ts';
export { Conversation } from './conversation.ts';
export { runTurn } from './run-turn.ts';
export type { TurnOptions } from './turn-context.ts';
export type { TurnEnd, TurnEvent, TurnResult } from './turn-event.ts';
