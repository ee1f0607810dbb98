export type { CallGuard, GuardAnswer } from './call-guard.ts';
export { foldOpinions } from './fold.ts';
export { ABSTAIN, type Decision, type Opinion, readVerdict, type Verdict } from './verdict.ts';
