import { frozenCopy, isJsonObject, type JsonObject } from '../../kernel/json/index.ts';
import { createFolders } from '../../platform/paths/index.ts';
import type { PluginContext, PluginLogger } from './plugin-api.ts';
import type { Registrar } from './registration-recorder.ts';

/** What a plugin is given besides the means to register. */
export interface ContextParts {
  readonly name: string;
  readonly config: JsonObject;
  /** Absolute; need not exist. */
  readonly dataDir: string;
  readonly logger: PluginLogger;
}

export function createPluginContext(
  { name, config, dataDir, logger }: ContextParts,
  registrar: Registrar,
): PluginContext {
  const copy = frozenCopy(config);
  if (!copy.ok || !isJsonObject(copy.value))
    throw new Error(`the configuration of ${name} is no JSON object`);
  return {
    ...registrar,
    name,
    config: copy.value,
    logger,
    get dataDir() {
      createFolders(dataDir, 0o700);
      return dataDir;
    },
  };
}
