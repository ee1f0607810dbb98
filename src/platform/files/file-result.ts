import { describeFileError, type FileFailure, isFileError } from '../paths/index.ts';

/** The outcome of a file operation. */
export type FileResult<Value> = { readonly ok: true; readonly value: Value } | FileFailure;

/** Runs `work`, and turns what the file system throws into a failure about `path`. Anything else it throws is a bug and passes. */
export async function attemptFile<Value>(
  action: string,
  path: string,
  work: () => Promise<Value> | Value,
): Promise<FileResult<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!isFileError(error)) throw error;
    return describeFileError(error, path, action);
  }
}
