import { fail, type Result, succeed, suggest } from '../../kernel/errors/index.ts';

/** A model as the configuration names it (`model:`), with where to find it when that is not known. */
export interface ModelSettings {
  /** `provider:model`, as {@link ModelSpec} when it is a string. */
  readonly name: string;
  /** Address of the API, up to and including its version: `http://127.0.0.1:8080/v1`. */
  readonly base_url?: string | undefined;
  /** Name of the environment variable that holds the key. */
  readonly api_key_env?: string | undefined;
  /** Tokens, where what is known of the model is wrong or nothing is known. */
  readonly context_window?: number | undefined;
}

/**
 * Which model: `openai:NAME`, `anthropic:NAME`, `google:NAME`, `openrouter:NAME`, `ollama:NAME`,
 * `openai-compatible:NAME` (needs a base URL) or `scripted:FILE` (`scripted:FILE#N` starts at step N, from 0).
 */
export type ModelSpec = string | ModelSettings;

export const PROVIDER_NAMES = [
  'openai',
  'anthropic',
  'google',
  'openai-compatible',
  'openrouter',
  'ollama',
  'scripted',
] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** A specification whose provider is known. */
export interface ReadSpec extends Omit<ModelSettings, 'name'> {
  /** `provider:model`, for people. */
  readonly label: string;
  readonly provider: ProviderName;
  readonly model: string;
}

export type SpecErrorCode = 'model_missing' | 'unknown_provider';

/** Splits `provider:model`. The model's name may hold further colons (`ollama:llama3.2:3b`). */
export function readSpec(spec: ModelSpec): Result<ReadSpec, SpecErrorCode> {
  const { name, ...rest } = typeof spec === 'string' ? { name: spec } : spec;
  const label = name.trim();
  if (label === '') return fail('model_missing', 'No model is named.', `Name one as ${EXAMPLES}.`);
  const colon = label.indexOf(':');
  const given = colon === -1 ? '' : label.slice(0, colon);
  const provider = PROVIDER_NAMES.find((known) => known === given);
  if (provider === undefined) return unknownProvider(label, given);
  const model = label.slice(colon + 1).trim();
  if (model === '')
    return fail('model_missing', `"${label}" names a provider and no model.`, `Write ${provider}:NAME.`);
  return succeed({ ...rest, label, provider, model });
}

const EXAMPLES = 'openai:NAME, anthropic:NAME, google:NAME, openai-compatible:NAME or ollama:NAME';

function unknownProvider(label: string, given: string): Result<never, 'unknown_provider'> {
  const names = PROVIDER_NAMES.join(', ');
  // What holds a digit is the name of a model (`llama3:8b`), not of a provider.
  const near = /\d/.test(given)
    ? undefined
    : (OTHER_NAMES.get(given.toLowerCase()) ?? suggest(given, PROVIDER_NAMES));
  if (given !== '' && near !== undefined)
    return fail(
      'unknown_provider',
      `"${given}" is no provider of models.`,
      `Did you mean ${near}:${label.slice(given.length + 1)}? Known: ${names}.`,
    );
  return fail(
    'unknown_provider',
    given === '' ? `"${label}" names a model and no provider.` : `"${given}" is no provider of models.`,
    `Did you mean ${likelyProvider(label)}:${label}? Known: ${names}.`,
  );
}

/** What people call a provider, besides its name. */
const OTHER_NAMES: ReadonlyMap<string, ProviderName> = new Map([
  ['claude', 'anthropic'],
  ['gemini', 'google'],
  ['google-genai', 'google'],
  ['gpt', 'openai'],
  ['chatgpt', 'openai'],
  ['compatible', 'openai-compatible'],
  ['custom', 'openai-compatible'],
  ['vllm', 'openai-compatible'],
  ['llama.cpp', 'openai-compatible'],
  ['llamacpp', 'openai-compatible'],
  ['lmstudio', 'openai-compatible'],
  ['script', 'scripted'],
]);

function likelyProvider(name: string): ProviderName {
  if (/^(gpt-|o\d|chatgpt)/i.test(name)) return 'openai';
  if (/^claude/i.test(name)) return 'anthropic';
  if (/^gemini/i.test(name)) return 'google';
  if (/\.json(#\d+)?$/i.test(name)) return 'scripted';
  if (name.includes('/')) return 'openrouter';
  return name.includes(':') ? 'ollama' : 'openai-compatible';
}
