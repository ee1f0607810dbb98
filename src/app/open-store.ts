import { openSessionStore, type SessionStore } from '../agent/sessions/index.ts';
import type { Result } from '../kernel/errors/index.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** Opens `state.db`. */
export function openStore({ paths, clock }: Pick<RuntimeOptions, 'paths' | 'clock'>): Result<SessionStore> {
  return openSessionStore({ path: paths.stateDatabase, clock });
}
