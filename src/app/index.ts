export { createRuntime } from './create-runtime.ts';
export type { OpenSession, SessionChoice } from './open-session.ts';
export type { Runtime, TurnRequest } from './runtime.ts';
export type { AskPerson, RuntimeOptions } from './runtime-options.ts';
export { VERSION } from './version.ts';
