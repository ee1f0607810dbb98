import { z } from 'zod';
import type { ModelConfig } from '../config.ts';
import { httpUrl, seconds, text, toMs, variableName, wholeNumber } from './fields.ts';

const name = text('the name of a model, such as openai:gpt-5');

const settings = z
  .strictObject({
    name: name.describe('Provider and model: openai:gpt-5, openai-compatible:<name>, scripted:<file>.'),
    base_url: httpUrl().optional().describe('Address of an OpenAI-compatible endpoint.'),
    api_key_env: variableName().optional().describe('Environment variable that holds the key.'),
    context_window: wholeNumber(1_000, 100_000_000)
      .optional()
      .describe('Size of the context window, in tokens.'),
    timeout: seconds().optional().describe('Seconds the beginning of an answer may take; 60 when absent.'),
  })
  .transform(
    (value): ModelConfig => ({
      name: value.name,
      ...(value.base_url === undefined ? {} : { baseUrl: value.base_url }),
      ...(value.api_key_env === undefined ? {} : { apiKeyEnv: value.api_key_env }),
      ...(value.context_window === undefined ? {} : { contextWindow: value.context_window }),
      ...(value.timeout === undefined ? {} : { timeoutMs: toMs(value.timeout) }),
    }),
  );

/** `model:`, a name or a mapping. */
export const modelSchema = z
  .union([name.transform((value): ModelConfig => ({ name: value })), settings])
  .meta({
    expected: 'the name of a model, or a mapping with name, base_url, api_key_env, context_window, timeout',
  })
  .describe('The model: a name, or a mapping.');
