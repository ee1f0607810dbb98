export { createFolders } from './create-folders.ts';
export {
  describeFileError,
  errnoOf,
  type FileErrorCode,
  type FileFailure,
  isFileError,
} from './describe-file-error.ts';
export { displayPath } from './display-path.ts';
export { type EnsuredHome, ensureHome } from './ensure-home.ts';
export { expandTilde } from './expand-tilde.ts';
export { decodeFileName, fileSystemPath, InvalidPathError } from './file-name-bytes.ts';
export { type HomePaths, hermaHome, homePaths, userHome } from './home-paths.ts';
export { isInProject, projectRoot } from './project-root.ts';
export { type InsidePath, isInside, resolveInside } from './resolve-inside.ts';
export { resolvePath } from './resolve-path.ts';
