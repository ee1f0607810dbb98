/** Whether a child may delegate in its turn. */
export type ChildRole = 'leaf' | 'orchestrator';

/** One task for one child. */
export interface ChildTask {
  readonly goal: string;
  /** What the child needs to know. */
  readonly context?: string;
  readonly role: ChildRole;
}
