import { z } from 'zod';

const MS_PER_SECOND = 1000;
const DAY_SECONDS = 24 * 60 * 60;

/** Text that can be a file name, an argument or a header: not empty, and without NUL. */
export function text(expected = 'text'): z.ZodString {
  return z
    .string()
    .regex(/^[^\0]+$/)
    .meta({ expected });
}

/** Text that may be empty, without NUL. */
export function anyText(): z.ZodString {
  return z
    .string()
    .regex(/^[^\0]*$/)
    .meta({ expected: 'text' });
}

export function wholeNumber(minimum: number, maximum: number): z.ZodInt {
  return z.int().min(minimum).max(maximum);
}

/** A duration, in seconds. */
export function seconds(): z.ZodNumber {
  return z
    .number()
    .min(0.1)
    .max(DAY_SECONDS)
    .meta({ expected: `a number of seconds from 0.1 to ${DAY_SECONDS}` });
}

export function toMs(durationSeconds: number): number {
  return Math.round(durationSeconds * MS_PER_SECOND);
}

export function fromMs(durationMs: number): number {
  return durationMs / MS_PER_SECOND;
}

export function variableName(): z.ZodString {
  return z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .meta({ expected: 'the name of an environment variable, such as OPENAI_API_KEY' });
}

export function httpUrl(): z.ZodURL {
  return z
    .url({ protocol: /^https?$/ })
    .meta({ expected: 'an address that begins with http:// or https://' });
}
