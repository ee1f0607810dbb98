import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { type Failure, fail, messageOf, type Result, succeed } from '../../kernel/errors/index.ts';
import { isJsonObject } from '../../kernel/json/index.ts';
import type { Environment } from '../environment/index.ts';
import { type FileErrorCode, writeFileAtomic } from '../files/index.ts';
import { withLock } from '../locks/index.ts';
import { ensureHome, homePaths } from '../paths/index.ts';
import type { ConfigProblem } from './config-problem.ts';
import { editYaml } from './edit-yaml.ts';
import type { KeyPath } from './key-path.ts';
import { findSetting, type KnownSetting, type SettingErrorCode } from './known-setting.ts';
import { type ConfigFile, readConfigFile } from './read-config-file.ts';
import { withByteOrderMark } from './read-config-text.ts';
import { expectsText } from './schema/schema-tree.ts';
import { validateConfig } from './validate-config.ts';
import { valueAt } from './value-at.ts';
import { YAML_OPTIONS } from './yaml-document.ts';

/** Another `config set` takes milliseconds. */
const LOCK_WAIT_MS = 5000;

export type SetErrorCode =
  | SettingErrorCode
  | FileErrorCode
  | 'held'
  | 'bad_config'
  | 'bad_value'
  | 'not_editable';

export interface SetConfigValue {
  readonly ok: true;
  readonly file: string;
  /** False: the file already said so, and was left alone. */
  readonly isChanged: boolean;
  /** What is still wrong in the file, or worth a warning about the new value. */
  readonly problems: readonly ConfigProblem[];
}

export interface ConfigChange {
  readonly home: string;
  readonly key: string;
  readonly text: string;
  readonly environment: Environment;
}

export async function changeConfigFile(
  change: ConfigChange,
): Promise<SetConfigValue | Failure<SetErrorCode>> {
  const setting = findSetting(change.key);
  if (!setting.ok) return setting;
  const value = readValue(change.text, setting.value);
  if (!value.ok) return value;
  const home = ensureHome(change.home);
  if (!home.ok) return home;
  const lock = join(homePaths(change.home).locks, 'config.lock');
  const changed = await withLock(lock, { waitMs: LOCK_WAIT_MS }, () =>
    applyChange(change, setting.value, value.value),
  );
  return changed.ok ? changed.value : changed;
}

async function applyChange(
  change: ConfigChange,
  setting: KnownSetting,
  value: unknown,
): Promise<SetConfigValue | Failure<SetErrorCode>> {
  const file = homePaths(change.home).config;
  const current = await readConfigFile(file, change.environment);
  if (!current.ok) return current;
  const edit = targetOf(current, setting.path, value);
  const edited = editYaml({ yaml: current.yaml, ...edit });
  if (!edited.ok) return edited;
  const { problems } = validateConfig(edited.value, file, change.environment);
  const refused = newError(current.problems, problems);
  if (refused !== undefined) return fail('bad_value', refused.message, refused.remedy);
  const isChanged = edited.value !== current.text.text;
  if (isChanged) {
    const content = withByteOrderMark(edited.value, current.text);
    const written = await writeFileAtomic(file, content, { mode: 0o600, followLink: true });
    if (!written.ok) return written;
  }
  return { ok: true, file, isChanged, problems };
}

/** Text is taken literally where text is expected: `012` and `no` are then what was typed. */
function readValue(text: string, { node }: KnownSetting): Result<unknown, 'bad_value'> {
  if (expectsText(node) && !/^\s*\{/.test(text)) return succeed(text);
  const document = parseDocument(text, { ...YAML_OPTIONS, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  const remedy =
    'write a plain value (5, true), a list (["a", "b"]) or a mapping ({a: b}), in quotes for your shell';
  if (error !== undefined)
    return fail('bad_value', `${JSON.stringify(text)} is not valid YAML: ${error.message}`, remedy);
  try {
    const value: unknown = document.toJS();
    return succeed(value);
  } catch (thrown) {
    return fail('bad_value', `${JSON.stringify(text)} is not valid YAML: ${messageOf(thrown)}`, remedy);
  }
}

/** Where the value goes in the file: under the name that is there already, and beside a model that is only a name. */
function targetOf(
  { canonical }: ConfigFile,
  path: KeyPath,
  value: unknown,
): { readonly path: KeyPath; readonly value: unknown } {
  const model = valueAt(['model'], canonical.value);
  const [section, key] = path;
  if (section === 'model' && typeof key === 'string' && typeof model === 'string') {
    return { path: ['model'], value: { name: model, [key]: value } };
  }
  if (path.length === 1 && section === 'model' && typeof value === 'string' && isJsonObject(model)) {
    return { path: canonical.writtenPath(['model', 'name']), value };
  }
  return { path: canonical.writtenPath(path), value };
}

/** An error that was not there before. Errors elsewhere in the file do not keep a person from mending it step by step. */
function newError(
  before: readonly ConfigProblem[],
  after: readonly ConfigProblem[],
): ConfigProblem | undefined {
  const known = new Set(before.map(({ key, message }) => `${key ?? ''}\n${message}`));
  return after.find(
    ({ severity, key, message }) => severity === 'error' && !known.has(`${key ?? ''}\n${message}`),
  );
}
