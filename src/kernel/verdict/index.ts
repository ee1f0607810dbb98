export type { CallGuard, GuardAnswer } from './call-guard.ts';
export { foldOpinions } from './fold.ts';
export { ABSTAIN, type Decision, type Opinion, type Verdict } from './verdict.ts';
