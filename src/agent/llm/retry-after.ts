/**
 * How long a provider asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date
 * (RFC 9110, section 10.2.3). Undefined when neither is there or neither makes sense; never negative.
 *
 * @param nowMs milliseconds since 1970-01-01 UTC.
 */
export function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const milliseconds = numberIn(headers.get('retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const text = headers.get('retry-after');
  const seconds = numberIn(text);
  if (seconds !== undefined) return seconds * 1000;
  const dateMs = Date.parse(text ?? '');
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}
