/** The errno name (`ENOENT`) or Node.js error code (`ERR_…`) an error carries; undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
