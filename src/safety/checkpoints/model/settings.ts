/** The `checkpoints:` section of the configuration, as the store needs it. Megabytes are 1024 × 1024 bytes. */
export interface CheckpointSettings {
  /** Entries kept for each project, at least 1. */
  readonly maxSnapshots: number;
  /** Size of the whole store in bytes; 0 for no limit. */
  readonly maxTotalBytes: number;
  /** Larger files are not captured by a scan; 0 for no limit. In bytes. */
  readonly maxFileBytes: number;
  readonly autoPrune: boolean;
  /** Entries that are older go at the next sweep, and projects nobody has touched for so long. */
  readonly retentionMs: number;
  /** How long the content of private files is kept. */
  readonly privateRetentionMs: number;
  /** Time between two automatic sweeps. */
  readonly minIntervalMs: number;
  /** What becomes of a call whose checkpoint could not be taken. */
  readonly onFailure: 'warn' | 'block';
}

/** More files than this are not scanned as a whole. */
export const MAX_SCANNED_FILES = 50_000;
