import type { Tool } from '../../gate/index.ts';
import { type ChildRunnerParts, createChildRunner } from './child-runner.ts';
import { createDelegateTaskTool } from './delegate-task-tool.ts';

export interface DelegationParts extends ChildRunnerParts {
  /** How deep children may be: 1 lets the person's own agent delegate and no child, 0 nobody. */
  readonly maxDepth: number;
  /** Children one call may start; they run side by side. */
  readonly maxChildren: number;
}

/**
 * The `delegate_task` of an agent, or undefined when agents at its depth may not delegate.
 *
 * @param depth 0 for the person's own agent, 1 for its children, and so on.
 */
export function createDelegation(parts: DelegationParts, depth = 0): Tool | undefined {
  if (depth >= parts.maxDepth) return undefined;
  const runChild = createChildRunner({
    ...parts,
    depth: depth + 1,
    delegateTask: () => createDelegation(parts, depth + 1),
  });
  return createDelegateTaskTool({ runChild, maxChildren: parts.maxChildren });
}
