import { type CallReport, Gate, hookAudience, performCall, type Tool } from '../../gate/index.ts';
import { valueOrThrow } from '../../kernel/errors/index.ts';
import type { JsonObject } from '../../kernel/json/index.ts';
import { systemClock } from '../../platform/clock/index.ts';
import {
  credentialFreeEnvironment,
  type Environment,
  freezeVariables,
} from '../../platform/environment/index.ts';
import { makeDirectory, temporaryDirectory, writeFileAtomic } from '../../platform/files/index.ts';
import { createLogger, type Logger } from '../../platform/logging/index.ts';
import { type HomePaths, homePaths, resolvePath } from '../../platform/paths/index.ts';
import { CallbackRegistry } from '../../safety/hooks/index.ts';
import { type LoadedPlugins, type LoadPluginsOptions, loadPlugins } from './load-plugins.ts';

/** A home with plugins in it, for one test. */
export interface PluginBench extends AsyncDisposable {
  readonly paths: HomePaths;
  readonly callbacks: CallbackRegistry;
  readonly environment: Environment;
  readonly logger: Logger;
  /** A folder beside the home. */
  readonly elsewhere: string;
  /** Writes files, by their path below `folder`. */
  write(folder: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Writes `plugins/<name>` with a manifest and an `index.js`; more lines of the manifest, and other files, as wanted. */
  plugin(name: string, module: string, more?: PluginMore): Promise<string>;
  load(enabled: readonly string[], options?: Partial<LoadPluginsOptions>): Promise<LoadedPlugins>;
  /** Takes a call through a gate with the hooks of this bench and these tools, and one tool of its own: `echo`. */
  call(tools: readonly Tool[], request: BenchCall): Promise<CallReport>;
}

export interface BenchCall {
  readonly tool: string;
  readonly args?: JsonObject;
  readonly signal?: AbortSignal;
  readonly onProgress?: (line: string) => void;
}

export interface PluginMore {
  readonly manifest?: string;
  readonly entry?: string;
  readonly files?: Readonly<Record<string, string>>;
}

const signal = new AbortController().signal;

export async function createPluginBench(): Promise<PluginBench> {
  const root = valueOrThrow(await temporaryDirectory('herma-plugins-'));
  const paths = homePaths(resolvePath(root.path, 'home'));
  const elsewhere = resolvePath(root.path, 'elsewhere');
  for (const folder of [paths.plugins, elsewhere]) valueOrThrow(await makeDirectory(folder));
  const callbacks = new CallbackRegistry(systemClock);
  const environment = freezeVariables([]);
  const logger = createLogger({ path: paths.log, level: 'debug', redact: (text) => text });
  const opened: LoadedPlugins[] = [];
  const write: PluginBench['write'] = async (folder, files) => {
    for (const [name, text] of Object.entries(files)) {
      const path = resolvePath(folder, name);
      valueOrThrow(await makeDirectory(resolvePath(path, '..')));
      valueOrThrow(await writeFileAtomic(path, text, { fsync: false }));
    }
    return folder;
  };
  return {
    paths,
    callbacks,
    environment,
    logger,
    elsewhere,
    write,
    plugin: async (name, module, { manifest = '', entry = 'index.js', files = {} } = {}) =>
      write(resolvePath(paths.plugins, name), {
        'plugin.yaml': manifestOf(name, manifest),
        [entry]: module,
        ...files,
      }),
    load: async (enabled, options = {}) => {
      const loaded = await loadPlugins({
        paths,
        enabled,
        settings: new Map(),
        callbackTimeoutMs: 10_000,
        callbacks,
        clock: systemClock,
        logger,
        environment,
        environmentFor: (names) => credentialFreeEnvironment(options.environment ?? environment, [], names),
        reservedTools: [],
        reservedCommands: [],
        signal,
        ...options,
      });
      opened.push(loaded);
      return loaded;
    },
    call: async (tools, request) => callThroughGate(callbacks, [ECHO, ...tools], request),
    [Symbol.asyncDispose]: async () => {
      for (const loaded of opened) await loaded.close();
      logger.close();
      await root.remove();
    },
  };
}

const ECHO: Tool = {
  name: 'echo',
  description: 'says what it was told',
  parameters: { type: 'object' },
  effect: 'none',
  idempotent: true,
  pathArguments: [],
  execute: async ({ call }) => Promise.resolve({ status: 'ok', result: JSON.stringify(call.args) }),
};

async function callThroughGate(
  callbacks: CallbackRegistry,
  tools: readonly Tool[],
  { tool, args = {}, signal: given = signal, onProgress = () => undefined }: BenchCall,
): Promise<CallReport> {
  const toolOf = (name: string): Tool | undefined => tools.find((each) => each.name === name);
  const gate = new Gate({
    catalog: { lookup: toolOf, names: () => tools.map(({ name }) => name) },
    unknownTools: 'refuse',
    guards: () => callbacks.guards(),
    approver: {
      decide: async () => Promise.resolve({ type: 'refused', choice: 'deny', message: 'nobody is here' }),
    },
    audience: hookAudience(callbacks),
    clock: systemClock,
    newTicketId: () => 'ticket',
  });
  return performCall(
    {
      tool,
      args,
      cwd: '/work',
      origin: { kind: 'herma', surface: 'test' },
      callId: 'call',
      sessionId: 'session',
      rootSessionId: 'session',
      turnId: 'turn',
      ordinal: 0,
    },
    { gate, toolOf, clock: systemClock, signal: given, onProgress },
  );
}

export function manifestOf(name: string, more = ''): string {
  return `name: ${name}\nversion: 1.10\ndescription: a plugin for tests\n${more}\n`;
}
