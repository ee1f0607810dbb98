import type { LanguageModel } from 'ai';
import type { Fetch } from '../../platform/http/index.ts';
import type { ProviderName } from './model-spec.ts';

/** A model object of the AI SDK; never its name, which would mean a hosted gateway. */
export type SdkModel = Exclude<LanguageModel, string>;

/** What a provider's package is given; it reads nothing of the environment by itself. */
export interface Connection {
  readonly model: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly fetch: Fetch;
}

export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, string | boolean>>>>;

/** What differs from provider to provider. */
export interface Provider {
  /** Undefined where only the person knows. */
  readonly baseUrl: string | undefined;
  /** Variables a key is looked for in, in order. */
  readonly keyVariables: readonly string[];
  readonly needsKey: boolean;
  /** What a correct base URL ends in. */
  readonly pathSuffix: string;
  /** Loads the provider's package. */
  readonly connect: (connection: Connection) => Promise<SdkModel>;
  /** How the key is sent when it is not the SDK that does. */
  readonly keyHeaders: (apiKey: string) => Readonly<Record<string, string>>;
  /** What the provider accepts as id of a call. */
  readonly callId: RegExp;
  readonly options?: ProviderOptions;
  /** Set on the system prompt and the last message, so that the provider keeps what was read up to there. */
  readonly cacheOptions?: Readonly<Record<string, Readonly<Record<string, { readonly type: 'ephemeral' }>>>>;
  /** What to try when nothing answers at the address. */
  readonly startHint: string;
}

const bearer = (apiKey: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${apiKey}` });

async function connectCompatible({ model, baseUrl, apiKey, fetch }: Connection): Promise<SdkModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const key = apiKey === undefined ? {} : { apiKey };
  return createOpenAICompatible({
    name: 'compatible',
    baseURL: baseUrl,
    fetch,
    includeUsage: true,
    ...key,
  }).chatModel(model);
}

const HOSTED_HINT = 'Check the network connection, and the address.';

const compatible = {
  needsKey: false,
  pathSuffix: '/v1',
  connect: connectCompatible,
  keyHeaders: bearer,
  callId: /^.{1,256}$/s,
} as const;

/** Every provider that is reached over the network. */
export const PROVIDERS: Readonly<Record<Exclude<ProviderName, 'scripted'>, Provider>> = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    keyVariables: ['OPENAI_API_KEY'],
    needsKey: true,
    pathSuffix: '/v1',
    connect: async ({ model, baseUrl, apiKey = '', fetch }) => {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ baseURL: baseUrl, apiKey, fetch }).responses(model);
    },
    keyHeaders: bearer,
    callId: /^[\w-]{1,64}$/,
    options: { openai: { store: false } },
    startHint: HOSTED_HINT,
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariables: ['ANTHROPIC_API_KEY'],
    needsKey: true,
    pathSuffix: '/v1',
    connect: async ({ model, baseUrl, apiKey = '', fetch }) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ baseURL: baseUrl, apiKey, fetch })(model);
    },
    keyHeaders: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    callId: /^[\w-]{1,64}$/,
    cacheOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    startHint: HOSTED_HINT,
  },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    needsKey: true,
    pathSuffix: '/v1beta',
    connect: async ({ model, baseUrl, apiKey = '', fetch }) => {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle({ baseURL: baseUrl, apiKey, fetch })(model);
    },
    keyHeaders: (apiKey) => ({ 'x-goog-api-key': apiKey }),
    callId: /^[\w-]{1,64}$/,
    startHint: HOSTED_HINT,
  },
  'openai-compatible': {
    ...compatible,
    baseUrl: undefined,
    keyVariables: [],
    startHint: 'Is the server running, and is this its address?',
  },
  openrouter: {
    ...compatible,
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariables: ['OPENROUTER_API_KEY'],
    needsKey: true,
    startHint: HOSTED_HINT,
  },
  ollama: {
    ...compatible,
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyVariables: [],
    startHint: 'Is Ollama running? Start it with: ollama serve',
  },
};

const DEFAULT_CONTEXT_WINDOW = 128_000;

/** Context windows, in tokens, by how the name of a model begins. The first that fits counts. */
const CONTEXT_WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^(anthropic\/)?claude-/, 200_000],
  [/^(google\/)?gemini-/, 1_048_576],
  [/^(openai\/)?gpt-4\.1/, 1_047_576],
  [/^(openai\/)?gpt-5/, 400_000],
  [/^(openai\/)?o[134]/, 200_000],
];

/** The context window of a model, in tokens; 128,000 where nothing is known. */
export function contextWindowOf(model: string): number {
  return CONTEXT_WINDOWS.find(([name]) => name.test(model))?.[1] ?? DEFAULT_CONTEXT_WINDOW;
}
