export { describeFileError, type FileErrorCode, type FileFailure } from '../paths/index.ts';
export { appendLine } from './append-line.ts';
export {
  type DirectoryEntry,
  listDirectory,
  makeDirectory,
  removeTree,
  type TemporaryDirectory,
  temporaryDirectory,
} from './directories.ts';
export type { FileResult } from './file-result.ts';
export type { FileKind, FileStat } from './file-stat.ts';
export { readLink, realPath, removeFile, renamePath, setMode } from './links-and-names.ts';
export {
  type FileBytes,
  type ReadErrorCode,
  type ReadFailure,
  type ReadOptions,
  type ReadResult,
  readFileBytes,
  readFileRange,
} from './read-file.ts';
export {
  type CorruptFile,
  type JsonFileErrorCode,
  type JsonFileResult,
  readJsonFile,
} from './read-json-file.ts';
export { type FileText, looksBinary, readTextFile } from './read-text-file.ts';
export { type SetAsideOptions, setAside } from './set-aside.ts';
export { statPath } from './stat-path.ts';
export {
  type StagedFile,
  stageFile,
  type WriteOptions,
  type WrittenFile,
  writeFileAtomic,
} from './write-file-atomic.ts';
