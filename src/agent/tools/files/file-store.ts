import {
  listDirectory,
  makeDirectory,
  readFileBytes,
  removeFile,
  removeTree,
  stageFile,
  statPath,
  writeFileAtomic,
} from '../../../platform/files/index.ts';
import { SerialQueue } from '../serial-queue.ts';

/** What the tools that write need of the disk; see `platform/files` for each. */
export interface FileStore {
  readonly stat: typeof statPath;
  readonly read: typeof readFileBytes;
  readonly list: typeof listDirectory;
  readonly stage: typeof stageFile;
  readonly write: typeof writeFileAtomic;
  readonly remove: typeof removeFile;
  readonly makeDirectory: typeof makeDirectory;
  readonly removeTree: typeof removeTree;
  /** Runs work that reads files and writes them again, never two at a time: calls of one turn run side by side. */
  readonly exclusively: <Value>(work: () => Promise<Value>) => Promise<Value>;
}

const queue = new SerialQueue();

/** The disk of this machine. */
export const diskFiles: FileStore = {
  stat: statPath,
  read: readFileBytes,
  list: listDirectory,
  stage: stageFile,
  write: writeFileAtomic,
  remove: removeFile,
  makeDirectory,
  removeTree,
  exclusively: (work) => queue.run(work),
};
