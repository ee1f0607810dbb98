import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import { credentialFreeEnvironment, type Environment } from '../../platform/environment/index.ts';
import { temporaryDirectory } from '../../platform/files/index.ts';
import type { Logger } from '../../platform/logging/index.ts';
import type { PluginFolder } from './discover-plugins.ts';
import { IsolatedPlugin } from './isolated-plugin.ts';
import type { Registered } from './registration.ts';

export interface PreviewParts {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long a plugin may take to register when it is only looked at. */
const LIMIT_MS = 10_000;

const NO_LOG: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => NO_LOG,
  status: () => ({ written: 0, dropped: 0, problem: undefined }),
  close: () => undefined,
};

/**
 * What a plugin registers, found out by letting it register in a thread of its own, for a limited time and with nothing in
 * effect; without its configuration, and with a data folder that is gone afterwards. Its code runs for that.
 */
export async function previewPlugin(
  { name, entry, manifest }: Pick<PluginFolder, 'name' | 'entry' | 'manifest'>,
  { clock, environment, signal }: PreviewParts,
): Promise<Result<Registered>> {
  const data = await temporaryDirectory('herma-plugin-');
  if (!data.ok) return data;
  await using folder = data.value;
  const started = await IsolatedPlugin.start({
    name,
    entry,
    config: {},
    dataDir: folder.path,
    logger: NO_LOG,
    clock,
    registerLimitMs: LIMIT_MS,
    environment: credentialFreeEnvironment(environment, [], manifest.env),
    signal,
  });
  if (!started.ok)
    return fail('does_not_register', `The plugin ${name} cannot be loaded: ${started.message}`);
  await started.plugin.close();
  return succeed(started.plugin.registered);
}
