import { describe, expect, it } from 'vitest';
import { chosenModel, otherModel } from './model-choice.ts';

const local = {
  name: 'openai-compatible:big',
  baseUrl: 'http://127.0.0.1:8080/v1',
  apiKeyEnv: 'LOCAL_KEY',
  contextWindow: 8000,
  timeoutMs: 5000,
};

describe('chosenModel', () => {
  it('is the configured one when none is asked for', () => {
    expect(chosenModel(local, undefined)).toBe(local);
    expect(chosenModel(undefined, undefined)).toBeUndefined();
  });

  it('keeps what is configured for the very model that is asked for', () => {
    expect(chosenModel(local, { name: local.name, baseUrl: 'http://127.0.0.1:1/v1' })).toEqual({
      ...local,
      baseUrl: 'http://127.0.0.1:1/v1',
    });
  });

  it('takes nothing over to another model', () => {
    expect(chosenModel(local, { name: 'openai:gpt' })).toEqual({ name: 'openai:gpt' });
  });
});

describe('otherModel', () => {
  it('keeps the way to the same provider, and not what was known of the other model', () => {
    const { contextWindow: _window, ...reach } = local;
    expect(otherModel(local, 'openai-compatible:small')).toEqual({
      ...reach,
      name: 'openai-compatible:small',
    });
  });

  it.each(['anthropic:claude', 'openai:gpt', 'nonsense', ''])(
    'gives %j neither address nor key of another provider',
    (name) => {
      expect(otherModel(local, name)).toEqual({ name });
    },
  );

  it('needs no model before it', () => {
    expect(otherModel(undefined, 'openai:gpt')).toEqual({ name: 'openai:gpt' });
  });
});
