export type { ChildReport, ChildStatus } from './child-report.ts';
export type { Child, ChildRunnerParts } from './child-runner.ts';
export type { ChildRole, ChildTask } from './child-task.ts';
export { createDelegation, type DelegationParts } from './create-delegation.ts';
