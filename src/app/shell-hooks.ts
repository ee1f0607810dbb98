import type { Environment } from '../platform/environment/index.ts';
import type { Logger } from '../platform/logging/index.ts';
import { resolvePath, userHome } from '../platform/paths/index.ts';
import {
  AllowlistFile,
  type CallbackRegistry,
  type ConsentSubject,
  commandWords,
  HookConsent,
  refusalForModel,
  registerShellHooks,
  type ShellHook,
  type ShellHookPorts,
} from '../safety/hooks/index.ts';
import { commandEnvironment } from './command-environment.ts';
import { type LiveHook, type LiveHooks, LiveHooksFolder } from './live-hooks.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export interface ShellHooksParts {
  readonly options: RuntimeOptions;
  readonly callbacks: CallbackRegistry;
  readonly logger: Logger;
  /** The working directory of a session. */
  readonly cwdOf: (sessionId: string) => string | undefined;
  /** Told of every change of the allowlist that this process makes. */
  readonly announce: <Value>(path: string, write: () => Promise<Value>) => Promise<Value>;
}

/** Variables by which a person approves new scripts for one command. */
const ACCEPT_VARIABLES = ['HERMA_ACCEPT_HOOKS', 'HERMES_ACCEPT_HOOKS'] as const;

/** The shell hooks of the configuration: the one place where they are registered, whatever surface an agent runs on. */
export class ShellHooks {
  readonly hooks: readonly ShellHook[];
  readonly mode: 'content' | 'path';
  readonly consent: HookConsent;
  readonly ports: ShellHookPorts;
  readonly #parts: ShellHooksParts;
  readonly #live: LiveHooksFolder;
  #ready: Promise<readonly string[]> | undefined;
  #isPublished = false;

  constructor(parts: ShellHooksParts) {
    const { options, logger, cwdOf, announce } = parts;
    const { paths, clock, environment, config } = options;
    this.#parts = parts;
    this.hooks = config.hooks.shell;
    this.mode = config.hooks.consent;
    this.#live = new LiveHooksFolder(resolvePath(paths.run, 'hooks'));
    this.consent = new HookConsent({
      allowlist: new AllowlistFile({
        path: paths.shellHooksAllowlist,
        lockPath: resolvePath(paths.locks, 'shell-hooks-allowlist'),
        clock,
        announce,
      }),
      mode: this.mode,
      clock,
      isInsideAgent: (environment['HERMA_SESSION'] ?? '') !== '',
      log: logger,
    });
    this.ports = {
      permit: async (hook, { program, args, cwd, searchPath }, signal) => {
        const subject = { ...aboutHook(hook), words: [program, ...args], cwd, searchPath };
        const reason = refusalForModel(await this.consent.check(subject, signal));
        return reason === undefined ? { ok: true } : { ok: false, reason };
      },
      environment: (names) => this.#environment(names),
      home: paths.home,
      userHome: userHome(environment),
      cwdOf,
    };
  }

  /** Registers them, once, and decides about those that are new; lines for the person. Every way to a call awaits it. */
  async ready(): Promise<readonly string[]> {
    this.#ready ??= this.#register();
    return this.#ready;
  }

  /** What consent is asked about; undefined when the command is none. */
  subjectOf(hook: ShellHook, cwd = this.#parts.options.cwd): ConsentSubject | undefined {
    const words = commandWords(hook.command, this.ports.userHome);
    if (!words.ok) return undefined;
    const { program, args } = words.value;
    const searchPath = this.#environment(hook.env)['PATH'];
    return { ...aboutHook(hook), words: [program, ...args], cwd, searchPath };
  }

  /** What running processes of this home say they have registered. */
  async live(): Promise<readonly LiveHooks[]> {
    return this.#live.all();
  }

  async close(): Promise<void> {
    if (this.#isPublished) await this.#live.withdraw();
  }

  async #register(): Promise<readonly string[]> {
    const { options, callbacks } = this.#parts;
    if (this.hooks.length === 0) return [];
    registerShellHooks(callbacks, this.hooks, this.ports);
    const warnings: string[] = [];
    const live: LiveHook[] = [];
    for (const hook of this.hooks) {
      const decided = await this.#decide(hook);
      warnings.push(...decided.warnings);
      live.push({ event: hook.event, command: hook.command, isPermitted: decided.isPermitted });
    }
    const { surface, clock } = options;
    warnings.push(...(await this.#live.publish({ surface, startedAt: clock.now(), hooks: live })));
    this.#isPublished = true;
    return warnings;
  }

  async #decide(
    hook: ShellHook,
  ): Promise<{ readonly isPermitted: boolean; readonly warnings: readonly string[] }> {
    const { environment, config, acceptHooks, approveHook } = this.#parts.options;
    const subject = this.subjectOf(hook);
    if (subject === undefined)
      return { isPermitted: false, warnings: [`The hook ${JSON.stringify(hook.command)} is no command.`] };
    const decided = await this.consent.decideFirstUse({
      hook: subject,
      hatches: {
        acceptHooks: acceptHooks ?? false,
        environment: ACCEPT_VARIABLES.map((name) => environment[name]),
        autoAccept: config.hooks.autoAccept,
      },
      ...(approveHook === undefined ? {} : { prompt: approveHook }),
    });
    return decided.allowed
      ? { isPermitted: true, warnings: decided.warnings }
      : { isPermitted: false, warnings: [decided.warning] };
  }

  #environment(names: readonly string[]): Environment {
    return commandEnvironment(this.#parts.options, names);
  }
}

function aboutHook({
  event,
  command,
  matcher,
  timeoutMs,
  failClosed,
}: ShellHook): Omit<ConsentSubject, 'words' | 'cwd' | 'searchPath'> {
  return {
    event,
    command,
    ...(matcher === undefined ? {} : { matcher }),
    timeoutSeconds: timeoutMs / 1000,
    failClosed,
  };
}
