/** What is to stand at a path after a call: a regular file with that content, a folder, nothing, or something not known beforehand. */
export type FileFact =
  | { readonly type: 'file'; readonly sha256: string; readonly size: number }
  | { readonly type: 'folder' }
  | { readonly type: 'other'; readonly stamp: string }
  | { readonly type: 'absent' };

/** One path a call is to change. */
export interface ForeseenFile {
  /** Absolute. */
  readonly path: string;
  /** What stood there immediately before the call; absent when it could not be read. */
  readonly before?: FileFact;
  /** What is to stand there after it; absent when only that it changes is known. */
  readonly after?: FileFact;
}

/** The commit a repository had checked out, and its branches, before a command. */
export interface ForeseenRepository {
  /** Absolute path of the working tree. */
  readonly path: string;
  readonly head: string;
  readonly act: 'commit' | 'branch' | 'init' | 'clone';
  /** Name of the new branch. */
  readonly branch?: string;
}

/** What is known before a call of what the world looks like, and is to look like. Plain data, stored with the intent: no content. */
export interface Foreseen {
  readonly files: readonly ForeseenFile[];
  readonly repositories?: readonly ForeseenRepository[];
  /** Where the shell of the call leaves its exit code; absolute. */
  readonly exitFile?: string;
}
