import type { PathState } from '../model/path-state.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** The project as it is. */
export interface CurrentTree {
  stateOf(path: string): PathState;
  /** Of a file, or the text of a link; undefined when it is not there or cannot be read. */
  contentOf(path: string): Uint8Array | undefined;
  /** Asked only when the checkpoint has a snapshot. Undefined when the project cannot be scanned. */
  scanNow?(): Snapshot | undefined;
}
