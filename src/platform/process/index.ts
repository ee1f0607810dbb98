export { type Ancestor, chooseOwner, type OwnerQuestion } from './choose-owner.ts';
export { endWhenPipeCloses, type PipeWatch } from './end-when-pipe-closes.ts';
export { type FindOwnerOptions, findOwner } from './find-owner.ts';
export {
  HeadTailBuffer,
  type HeadTailBufferOptions,
  type KeptOutput,
  type OutputSince,
  type TextSince,
} from './head-tail-buffer.ts';
export { type KillOptions, type KillOutcome, killProcessTree } from './kill-process-tree.ts';
export { type OwnProgram, ownProgram } from './own-program.ts';
export {
  currentProcessIdentity,
  isAlive,
  type Liveness,
  type ProcessIdentity,
  processIdentity,
} from './process-identity.ts';
export { processesWithArgument } from './processes-with-argument.ts';
export { type OutputPart, renderOutput } from './render-output.ts';
export { type ProcessResult, type RunOptions, runProcess } from './run-process.ts';
export type { OnOutput, OutputStream, ProcessExit, RunningProcess } from './running-process.ts';
export type { SpawnError, SpawnErrorCode } from './spawn-error.ts';
export { type DetachedOptions, startDetached } from './start-detached.ts';
export { type StartOptions, type StartResult, startProcess } from './start-process.ts';
