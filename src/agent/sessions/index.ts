export {
  type AcquiredSession,
  type AcquireSessionOptions,
  acquireSession,
  type SessionHeld,
} from './acquire-session.ts';
export type { Message, RequestedCall, ResultStatus } from './message.ts';
export {
  encodeMessageArray,
  type MessageArray,
  type MessageArrayRepairOptions,
  parseMessageArray,
  repairMessageArray,
} from './message-array.ts';
export { type OpenSessionStoreOptions, openSessionStore } from './open-session-store.ts';
export { type RepairOptions, repairMessages } from './repair-messages.ts';
export type { Session, SessionSummary, StoredMessage, TurnMessage } from './session.ts';
export type { ListOptions, NewSession, SessionErrorCode, SessionStore } from './session-store.ts';
