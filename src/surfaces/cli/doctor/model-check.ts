import { probeModel } from '../../../agent/llm/index.ts';
import { succeed } from '../../../kernel/errors/index.ts';
import { loadConfig } from '../../../platform/config/index.ts';
import { readTextFile } from '../../../platform/files/index.ts';
import { createFetch } from '../../../platform/http/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import { type DoctorCheck, finding } from './doctor-check.ts';

/** Asks the server of the configured model for its list of models; the model itself is not asked. */
export const modelCheck: DoctorCheck = {
  name: 'model',
  run: async ({ paths, environment, clock, workingDirectory }, signal) => {
    const loaded = await loadConfig(paths.home, environment);
    if (!loaded.ok) return finding('problem', 'unknown, because the configuration cannot be used', undefined);
    const { model } = loaded.config;
    if (model === undefined) {
      const remedy = 'set one with `herma config set model openai:NAME`; `herma tour` needs none';
      return finding('warn', 'no model is configured', remedy);
    }
    const spec = {
      name: model.name,
      base_url: model.baseUrl,
      api_key_env: model.apiKeyEnv,
      context_window: model.contextWindow,
    };
    const readScript: Parameters<typeof probeModel>[1]['readScript'] = async (path) => {
      const read = await readTextFile(resolvePath(workingDirectory, path));
      return read.ok ? succeed(read.value.text) : read;
    };
    const dependencies = { environment, clock, fetch: createFetch({ clock }), readScript };
    const { status, message, remedy } = await probeModel(spec, dependencies, signal);
    if (status !== 'reachable') return finding('problem', `${model.name}: ${message}`, remedy);
    return finding(remedy === undefined ? 'ok' : 'warn', `${model.name}: ${message}`, remedy);
  },
};
