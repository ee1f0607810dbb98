import type { CheckpointStore } from '../api.ts';

/** The methods of a store, as a worker is asked for them. */
export type StoreMethods = {
  readonly [Name in keyof CheckpointStore]: {
    readonly args: Parameters<CheckpointStore[Name]>;
    readonly result: Awaited<ReturnType<CheckpointStore[Name]>>;
  };
};
