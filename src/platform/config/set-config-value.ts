import type { Failure } from '../../kernel/errors/index.ts';
import { type Environment, readEnvironment } from '../environment/index.ts';
import type { SetConfigValue, SetErrorCode } from './change-config-file.ts';

/**
 * Sets `key` in `config.yaml` to what `text` says, and keeps comments and the order of keys. Where text is expected,
 * `text` is taken as it is; elsewhere it is read as YAML 1.1 (`5`, `true`, `["npm test"]`).
 *
 * The result is checked before anything is written; a value that does not fit, and a change the rest of the file does
 * not allow, leave the file alone. Written atomically, 0600; a symbolic link stays one. Changes by several processes at
 * once follow each other.
 */
export async function setConfigValue(
  home: string,
  key: string,
  text: string,
  environment: Environment = readEnvironment(),
): Promise<SetConfigValue | Failure<SetErrorCode>> {
  const { changeConfigFile } = await import('./change-config-file.ts');
  return changeConfigFile({ home, key, text, environment });
}
