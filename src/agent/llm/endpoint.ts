import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { getOwn } from '../../kernel/json/index.ts';
import { displayUrl } from '../../platform/http/index.ts';
import type { ReadSpec } from './model-spec.ts';
import { PROVIDERS, type Provider } from './provider.ts';

/** Where a model is reached, with which key. */
export interface Endpoint {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** The variable the key comes from. */
  readonly keyVariable: string | undefined;
}

export type EndpointErrorCode = 'base_url_missing' | 'bad_base_url' | 'key_missing' | 'bad_key';

/** Settles address and key of a specification, without a request. Fails when either is missing or cannot be right. */
export function findEndpoint(
  spec: ReadSpec & { readonly provider: keyof typeof PROVIDERS },
  environment: Readonly<Record<string, string>>,
): Result<Endpoint, EndpointErrorCode> {
  const provider = PROVIDERS[spec.provider];
  const baseUrl = findBaseUrl(spec, provider);
  if (!baseUrl.ok) return baseUrl;
  const key = findKey(spec, provider, environment);
  if (!key.ok) return key;
  return succeed({ provider, baseUrl: baseUrl.value, ...key.value });
}

function findBaseUrl(
  { label, base_url }: ReadSpec,
  provider: Provider,
): Result<string, 'base_url_missing' | 'bad_base_url'> {
  const given = base_url?.trim() ?? '';
  const text = given === '' ? provider.baseUrl : given;
  if (text === undefined)
    return fail(
      'base_url_missing',
      `${label} needs the address of its server.`,
      'Pass --base-url http://HOST:PORT/v1, or set model.base_url in the configuration.',
    );
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return fail(
      'bad_base_url',
      `The base URL "${displayUrl(text)}" is no address of http or https.`,
      'Write it as http://HOST:PORT/v1.',
    );
  const operation = /\/(chat\/completions|completions|responses|messages|models)\/?$/.exec(url.pathname)?.[0];
  if (operation !== undefined)
    return fail(
      'bad_base_url',
      `The base URL ${displayUrl(text)} is the address of one operation.`,
      `Leave off ${operation}.`,
    );
  return succeed(text.replace(/\/+$/, ''));
}

type Key = Pick<Endpoint, 'apiKey' | 'keyVariable'>;

function findKey(
  { label, api_key_env }: ReadSpec,
  { keyVariables, needsKey }: Provider,
  environment: Readonly<Record<string, string>>,
): Result<Key, 'key_missing' | 'bad_key'> {
  const named = api_key_env?.trim() ?? '';
  const variables = named === '' ? keyVariables : [named];
  const keyVariable = variables.find((name) => (getOwn(environment, name)?.trim() ?? '') !== '');
  if (keyVariable === undefined) {
    if (!needsKey && named === '') return succeed({ apiKey: undefined, keyVariable: undefined });
    const others = variables.slice(1);
    return fail(
      'key_missing',
      `${label} needs a key, and ${variables[0] ?? ''} is not set.`,
      `Set ${variables[0] ?? ''}${others.length > 0 ? ` (or ${others.join(', ')})` : ''}, or name another variable with model.api_key_env.`,
    );
  }
  const apiKey = (getOwn(environment, keyVariable) ?? '').trim();
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    return fail(
      'bad_key',
      `The key in ${keyVariable} holds white space or characters that no key has.`,
      `Set ${keyVariable} to the key alone.`,
    );
  return succeed({ apiKey, keyVariable });
}
