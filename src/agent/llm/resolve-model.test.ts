import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../platform/clock/index.ts';
import { type ModelSpec, PROVIDER_NAMES, resolveModel } from './index.ts';

const KEYS = {
  OPENAI_API_KEY: 'k-openai',
  ANTHROPIC_API_KEY: 'k-anthropic',
  GEMINI_API_KEY: 'k-gemini',
  OPENROUTER_API_KEY: 'k-openrouter',
};

const resolve = (spec: ModelSpec, environment: Readonly<Record<string, string>> = KEYS) =>
  resolveModel(spec, {
    environment,
    fetch: () => Promise.reject(new Error('no request may be made')),
    readScript: () => Promise.reject(new Error('no script may be read')),
    clock: new FakeClock(),
  });

async function failureOf(spec: ModelSpec, environment?: Readonly<Record<string, string>>): Promise<string> {
  const model = await resolve(spec, environment);
  if (model.ok) throw new Error(`${model.value.label} was accepted`);
  return `${model.code}: ${model.message} ${model.remedy ?? ''}`;
}

describe('resolveModel', () => {
  it.each([
    ['openai:gpt-5', 'openai', 'gpt-5', 'https://api.openai.com/v1'],
    ['anthropic:claude-sonnet-4', 'anthropic', 'claude-sonnet-4', 'https://api.anthropic.com/v1'],
    ['google:gemini-3-pro', 'google', 'gemini-3-pro', 'https://generativelanguage.googleapis.com/v1beta'],
    ['openrouter:a/b:free', 'openrouter', 'a/b:free', 'https://openrouter.ai/api/v1'],
    ['ollama:llama3.2:3b', 'ollama', 'llama3.2:3b', 'http://127.0.0.1:11434/v1'],
    [' ollama:x ', 'ollama', 'x', 'http://127.0.0.1:11434/v1'],
    [
      { name: 'openai-compatible:m', base_url: 'http://127.0.0.1:8080/v1/' },
      'openai-compatible',
      'm',
      'http://127.0.0.1:8080/v1',
    ],
    [
      { name: 'openai:gpt-5', base_url: 'https://proxy.example/openai/v1' },
      'openai',
      'gpt-5',
      'https://proxy.example/openai/v1',
    ],
    [
      { name: 'openai-compatible:m', base_url: 'http://me:secret@host/v1?k=secret' },
      'openai-compatible',
      'm',
      'http://host/v1',
    ],
  ])('finds %j', async (spec, provider, model, baseUrl) => {
    const resolved = await resolve(spec);
    const label = (typeof spec === 'string' ? spec : spec.name).trim();
    expect(resolved).toMatchObject({ ok: true, value: { label, provider, model, baseUrl } });
  });

  it.each([
    ['openai:gpt-5', 400_000],
    ['anthropic:claude-x', 200_000],
    ['openrouter:google/gemini-2', 1_048_576],
    ['ollama:llama3', 128_000],
    [{ name: 'ollama:llama3', context_window: 4096 }, 4096],
  ])('knows the context window of %j', async (spec, contextWindow) => {
    expect(await resolve(spec)).toMatchObject({ ok: true, value: { contextWindow } });
  });

  it.each([
    ['gpt-5', /^unknown_provider: "gpt-5" names a model and no provider. Did you mean openai:gpt-5\?/],
    ['claude-sonnet-4', /Did you mean anthropic:claude-sonnet-4\?/],
    ['gemini-3', /Did you mean google:gemini-3\?/],
    ['meta/llama', /Did you mean openrouter:meta\/llama\?/],
    ['llama3:8b', /"llama3" is no provider of models. Did you mean ollama:llama3:8b\?/],
    ['qwen', /Did you mean openai-compatible:qwen\?/],
    ['demo.json', /Did you mean scripted:demo.json\?/],
    ['opnai:gpt-5', /Did you mean openai:gpt-5\?/],
    ['gemini:pro', /Did you mean google:pro\?/],
    ['constructor:x', /"constructor" is no provider/],
    ['', /^model_missing: No model is named/],
    ['openai:', /^model_missing: "openai:" names a provider and no model. Write openai:NAME/],
  ])('refuses "%s" with a suggestion', async (spec, message) => {
    const failure = await failureOf(spec);
    expect(failure).toMatch(message);
    if (failure.startsWith('unknown_provider'))
      for (const name of PROVIDER_NAMES) expect(failure).toContain(name);
  });

  it.each([
    [
      'openai:gpt-5',
      /^key_missing: openai:gpt-5 needs a key, and OPENAI_API_KEY is not set. Set OPENAI_API_KEY, or/,
    ],
    ['anthropic:claude', /ANTHROPIC_API_KEY is not set/],
    [
      'google:gemini',
      /GOOGLE_GENERATIVE_AI_API_KEY is not set. Set GOOGLE_GENERATIVE_AI_API_KEY \(or GEMINI_API_KEY, GOOGLE_API_KEY\)/,
    ],
    ['openrouter:x', /OPENROUTER_API_KEY is not set/],
    [{ name: 'openai:gpt-5', api_key_env: 'MY_KEY' }, /and MY_KEY is not set. Set MY_KEY/],
    [{ name: 'ollama:x', api_key_env: 'MY_KEY' }, /and MY_KEY is not set/],
    [{ name: 'openai:gpt-5', api_key_env: '__proto__' }, /and __proto__ is not set/],
  ])('misses the key of %j before any request', async (spec, message) => {
    expect(await failureOf(spec, {})).toMatch(message);
    expect(await failureOf(spec, { OPENAI_API_KEY: ' \n', ANTHROPIC_API_KEY: '' })).toMatch(message);
  });

  it.each(['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'])(
    'takes a key of Google from %s',
    async (name) => {
      expect(await resolve('google:gemini', { [name]: 'k' })).toMatchObject({ ok: true });
    },
  );

  it('refuses a key that cannot be one, without showing it', async () => {
    const failure = await failureOf('openai:gpt-5', { OPENAI_API_KEY: 'sk-secret and more' });
    expect(failure).toMatch(/^bad_key: The key in OPENAI_API_KEY/);
    expect(failure).not.toContain('secret');
  });

  it.each([
    [undefined, /^base_url_missing: openai-compatible:m needs the address of its server. Pass --base-url/],
    ['', /^base_url_missing/],
    ['localhost:8080', /^bad_base_url: The base URL "localhost:8080" is no address of http/],
    ['127.0.0.1:8080/v1', /^bad_base_url/],
    ['http://host/v1/chat/completions', /^bad_base_url: .* Leave off \/chat\/completions/],
  ])('refuses the base URL %j', async (base_url, message) => {
    expect(await failureOf({ name: 'openai-compatible:m', base_url })).toMatch(message);
  });
});
