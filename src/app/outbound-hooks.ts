import type { Redactor } from '../kernel/redact/index.ts';
import type { Config } from '../platform/config/index.ts';
import type { Environment } from '../platform/environment/index.ts';
import type { Logger } from '../platform/logging/index.ts';
import { randomBytes } from '../platform/random/index.ts';
import { type CallbackRegistry, OutboundHooks, signingKey } from '../safety/hooks/index.ts';
import type { RuntimeOptions } from './runtime-options.ts';

const ID_BYTES = 16;

/** Variables that switch outbound webhooks off for one command. */
const SAFE_MODE_VARIABLES = ['HERMA_SAFE_MODE', 'HERMES_SAFE_MODE'] as const;

const YES: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);

interface OutboundWebhooksParts {
  readonly options: RuntimeOptions;
  readonly callbacks: CallbackRegistry;
  readonly redactor: Redactor;
  readonly logger: Logger;
}

/** The addresses below `hooks.outbound`, from their registration to the last delivery. */
export class OutboundWebhooks {
  readonly #parts: OutboundWebhooksParts;
  readonly #hooks: OutboundHooks;

  constructor(parts: OutboundWebhooksParts) {
    const { options, redactor, logger } = parts;
    this.#parts = parts;
    this.#hooks = new OutboundHooks({
      clock: options.clock,
      environment: options.environment,
      redactor,
      newId: () => Buffer.from(randomBytes(ID_BYTES)).toString('hex'),
      cwdOf: () => options.cwd,
      warn: options.onWarning,
      note: (line) => logger.warn(line),
    });
  }

  /** Registers them behind all other hooks; lines for the person. */
  async ready(): Promise<readonly string[]> {
    const { callbacks, options } = this.#parts;
    const { outbound } = options.config.hooks;
    if (outbound.length === 0) return [];
    const off = SAFE_MODE_VARIABLES.find((name) => isOn(options.environment[name]));
    if (off !== undefined) return [`outbound webhooks are off: ${off} is set`];
    return this.#hooks.register(callbacks, outbound);
  }

  async close(): Promise<void> {
    await this.#hooks.close();
  }
}

/** The variables that hold keys of outbound webhooks. */
export function outboundKeyNames({ hooks }: Config): readonly string[] {
  return hooks.outbound.flatMap(({ secretEnv }) => secretEnv ?? []);
}

/** The keys of outbound webhooks, also those in the configuration that a variable takes the place of. */
export function outboundKeys({ hooks }: Config, environment: Environment): readonly string[] {
  return hooks.outbound.flatMap((target) => {
    const key = signingKey(target, environment);
    return [key.ok ? key.value : undefined, target.secret].filter((value) => value !== undefined);
  });
}

function isOn(value: string | undefined): boolean {
  return YES.has(value?.trim().toLowerCase() ?? '');
}
