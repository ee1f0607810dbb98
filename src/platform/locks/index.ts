export {
  acquireLock,
  type Lock,
  type LockHeld,
  type LockOptions,
  type LockResult,
  withLock,
} from './acquire-lock.ts';
export type { ProcessPort } from './take-lock.ts';
