/** Why `signal` was aborted, as an error that can be thrown. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason : new Error(String(reason), { cause: reason });
}
