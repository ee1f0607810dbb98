export {
  type ChildReport,
  type ChildRole,
  type ChildTask,
  createDelegateTaskTool,
  type DelegationPorts,
} from './delegate-task-tool.ts';
