export { systemClock } from '../platform/clock/index.ts';
export { defaultConfig, loadConfig } from '../platform/config/index.ts';
export { readEnvironment } from '../platform/environment/index.ts';
export { ensureHome, hermaHome, homePaths } from '../platform/paths/index.ts';
export { createRuntime } from './create-runtime.ts';
export type { OpenSession, SessionChoice } from './open-session.ts';
export type { Runtime, TurnRequest } from './runtime.ts';
export type { AskPerson, RuntimeOptions } from './runtime-options.ts';
export { VERSION } from './version.ts';
