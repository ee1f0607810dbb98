export { compressConversation } from './compress-conversation.ts';
export { Conversation } from './conversation.ts';
export { type AgentParts, runTurn, type TurnOptions } from './run-turn.ts';
export type { TurnEnd, TurnEvent, TurnResult } from './turn-event.ts';
