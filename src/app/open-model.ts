import { type ChatModel, resolveModel } from '../agent/llm/index.ts';
import { fail, type Result, succeed } from '../kernel/errors/index.ts';
import type { Clock } from '../platform/clock/index.ts';
import type { ModelConfig } from '../platform/config/index.ts';
import type { Environment } from '../platform/environment/index.ts';
import { readTextFile } from '../platform/files/index.ts';
import { createFetch } from '../platform/http/index.ts';
import { resolvePath } from '../platform/paths/index.ts';

/** Bytes a script of a scripted model may have. */
const MAX_SCRIPT_BYTES = 64 * 1024 * 1024;

export interface OpenModelOptions {
  readonly model: ModelConfig | undefined;
  readonly environment: Environment;
  readonly cwd: string;
  readonly clock: Clock;
}

/** The model that is configured. Fails, with what to do, when there is none or it cannot be used. */
export async function openModel({
  model,
  environment,
  cwd,
  clock,
}: OpenModelOptions): Promise<Result<ChatModel>> {
  if (model === undefined) {
    return fail(
      'no_model',
      'No model is configured.',
      'Set one with `herma config set model openai:NAME` or --model; `herma tour` needs none.',
    );
  }
  const spec = {
    name: model.name,
    base_url: model.baseUrl,
    api_key_env: model.apiKeyEnv,
    context_window: model.contextWindow,
  };
  return resolveModel(spec, {
    environment,
    clock,
    fetch: createFetch(model.timeoutMs === undefined ? {} : { firstByteMs: model.timeoutMs }),
    readScript: async (path) => {
      const read = await readTextFile(resolvePath(cwd, path), { maxBytes: MAX_SCRIPT_BYTES });
      return read.ok ? succeed(read.value.text) : read;
    },
  });
}
