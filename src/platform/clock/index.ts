export { abortReason } from './abort-reason.ts';
export type { CancelTimer, Clock } from './clock.ts';
export { FakeClock } from './fake-clock.ts';
export { systemClock } from './system-clock.ts';
export { type Timed, within } from './within.ts';
