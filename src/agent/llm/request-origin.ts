import { createRedactor } from '../../kernel/redact/index.ts';
import { displayUrl } from '../../platform/http/index.ts';
import type { Endpoint } from './endpoint.ts';
import type { ReadSpec } from './model-spec.ts';

/** Who a failure is about, as far as its message names it. */
export interface RequestOrigin {
  readonly label: string;
  readonly model: string;
  /** For people: without user name, password and query string. */
  readonly baseUrl: string;
  readonly keyVariable: string | undefined;
  /** What a correct base URL ends in. */
  readonly pathSuffix: string;
  readonly startHint: string;
  /** One line, at most 300 characters, of what a server said: secrets removed, the key of this request above all. */
  readonly excerpt: (text: string) => string;
}

const MAX_EXCERPT_CHARS = 300;

export function createOrigin(
  { label, model }: Pick<ReadSpec, 'label' | 'model'>,
  { provider, baseUrl, apiKey, keyVariable }: Endpoint,
): RequestOrigin {
  const redactor = createRedactor({ extraSecrets: apiKey === undefined ? [] : [apiKey] });
  return {
    label,
    model,
    baseUrl: displayUrl(baseUrl),
    keyVariable,
    pathSuffix: provider.pathSuffix,
    startHint: provider.startHint,
    excerpt: (text) =>
      redactor
        .redactAndCut(text, MAX_EXCERPT_CHARS, { note: true })
        .replace(/[\s\p{Cc}]+/gu, ' ')
        .trim(),
  };
}
