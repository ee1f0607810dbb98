export type {
  CallCapture,
  CapturedPlace,
  CaptureFailure,
  CaptureReport,
  ChangedFile,
  CheckpointDiff,
  CheckpointList,
  CheckpointStore,
  DiffOptions,
  ListedCheckpoint,
  ProjectState,
  ProjectStatus,
  PruneOptions,
  PruneReport,
  RepairReport,
  RestoreOptions,
  RestoreReport,
  RestoreTarget,
  SettleReport,
  SkippedFile,
  StoreStatus,
  TakenCheckpoint,
  VerifyReport,
} from './api.ts';
export type { CallOwner, Footprint } from './model/record.ts';
export type { CheckpointSettings } from './model/settings.ts';
export { type OpenCheckpointOptions, openCheckpointStore } from './open-checkpoint-store.ts';
