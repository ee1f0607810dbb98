import type { EventName, EventPayload } from '../../../kernel/events/index.ts';
import type { Redactor } from '../../../kernel/redact/index.ts';
import { type Clock, within } from '../../../platform/clock/index.ts';
import type { OutboundHookConfig } from '../../../platform/config/index.ts';
import type { Environment } from '../../../platform/environment/index.ts';
import type { PostOptions } from '../../../platform/http/index.ts';
import type { CallbackRegistry } from '../callback-registry.ts';
import { hookPayload } from '../shell/hook-payload.ts';
import { compileMatcher, type ToolMatcher } from '../shell/matcher/compile-matcher.ts';
import { type Delivery, deliveryRequest } from './delivery.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { outboundLabel } from './outbound-label.ts';
import { signingKey } from './signing-key.ts';

/** How long closing waits for what is still to be sent. */
const FLUSH_MS = 5000;

export interface OutboundPorts {
  readonly clock: Clock;
  readonly environment: Environment;
  readonly redactor: Redactor;
  /** An id that no other delivery has. */
  readonly newId: () => string;
  /** The working directory of a session, where its event does not name one. */
  readonly cwdOf: (sessionId: string) => string | undefined;
  /** Gets a line that the person should see. */
  readonly warn: (line: string) => void;
  /** Gets a line for the log alone. */
  readonly note: (line: string) => void;
  /** By default the resolver of the machine. */
  readonly resolve?: PostOptions['resolve'];
}

interface LiveTarget {
  readonly label: string;
  readonly queue: DeliveryQueue<Delivery>;
}

/**
 * Tells the addresses below `hooks.outbound` of events. An event costs its caller a copy of the payload and nothing else:
 * each target has a queue of its own, and nothing that happens to a delivery reaches the agent.
 */
export class OutboundHooks {
  readonly #ports: OutboundPorts;
  readonly #ended = new AbortController();
  readonly #live: LiveTarget[] = [];
  readonly #removers: (() => void)[] = [];
  #closing: Promise<void> | undefined;

  constructor(ports: OutboundPorts) {
    this.#ports = ports;
  }

  /**
   * Adds the targets behind the callbacks already registered. A target whose key is missing is left out. The value is one
   * line for each thing that is not as configured.
   */
  async register(
    registry: CallbackRegistry,
    targets: readonly OutboundHookConfig[],
  ): Promise<readonly string[]> {
    const warnings: string[] = [];
    const seen = new Set<string>();
    for (const target of targets) {
      const label = outboundLabel(target);
      const key = signingKey(target, this.#ports.environment);
      if (!key.ok) {
        warnings.push(`outbound webhook ${label} is off: ${key.message}`);
        continue;
      }
      const matcher = await matcherOf(target);
      if (matcher.warning !== undefined) warnings.push(`outbound webhook ${label}: ${matcher.warning}`);
      const events = [...new Set(target.events)].filter((event) => isNew(seen, event, target));
      if (events.length < new Set(target.events).size)
        warnings.push(`outbound webhook ${label} is there twice for the same event, and told once`);
      const queue = this.#queueOf(target, { label, key: key.value });
      this.#live.push({ label, queue });
      for (const event of events)
        this.#removers.push(this.#listen(registry, event, { label, matches: matcher.matches, queue }));
    }
    return warnings;
  }

  /** Sends what waits, for 5 s at most, and says what was not sent. Can be repeated. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  #listen(
    registry: CallbackRegistry,
    event: EventName,
    { label, matches, queue }: LiveTarget & { readonly matches: ToolMatcher },
  ): () => void {
    const { clock, newId, cwdOf } = this.#ports;
    const options = { name: label, onFailure: 'ignore', recheck: false, isConcurrent: true } as const;
    return registry.register(event, options, (payload) => {
      const tool = toolOf(payload);
      if (tool !== undefined && !matches(tool)) return;
      queue.offer(() => {
        const document = hookPayload(event, payload, { cwd: undefined });
        const cwd = document.cwd === '' ? (cwdOf(document.session_id) ?? '') : document.cwd;
        return { id: newId(), happenedAt: clock.now(), document: { ...document, cwd } };
      });
    });
  }

  #queueOf(
    { url, timeoutMs, raw }: OutboundHookConfig,
    { label, key }: { readonly label: string; readonly key: string | undefined },
  ): DeliveryQueue<Delivery> {
    const { clock, redactor, warn, note, resolve } = this.#ports;
    const { signal } = this.#ended;
    const dressing = { redactor: raw ? undefined : redactor, key };
    let hasFailed = false;
    return new DeliveryQueue<Delivery>({
      deliver: async (delivery) => {
        // Loaded with the first event that is sent: most processes send none.
        const { deliver } = await import('./deliver.ts');
        const { postOnce } = await import('../../../platform/http/index.ts');
        return deliver(deliveryRequest(delivery, dressing), {
          post: async (request, limit) =>
            postOnce(
              { url, ...request },
              { clock, timeoutMs, signal: limit, ...(resolve === undefined ? {} : { resolve }) },
            ),
          origin: new URL(url).origin,
          clock,
          signal,
        });
      },
      onFailed: (reason) => {
        const line = `outbound webhook ${label} was not told of an event: ${reason}`;
        if (hasFailed) note(line);
        else warn(`${line}; later failures are in the log`);
        hasFailed = true;
      },
      onFull: (limit) =>
        warn(`outbound webhook ${label}: ${String(limit)} events wait for it, new ones are dropped`),
    });
  }

  async #close(): Promise<void> {
    for (const remove of this.#removers.splice(0)) remove();
    const idle = async (): Promise<unknown> =>
      Promise.all(this.#live.map(async ({ queue }) => queue.whenIdle()));
    const never = new AbortController().signal;
    const flushed = await within(this.#ports.clock, FLUSH_MS, never, idle);
    if (!flushed.inTime) {
      for (const { queue } of this.#live) queue.stop();
      this.#ended.abort();
      await idle();
    }
    for (const { label, queue } of this.#live) {
      const lost = [
        queue.cancelled === 0
          ? ''
          : `${String(queue.cancelled)} not sent within ${String(FLUSH_MS / 1000)} s`,
        queue.dropped === 0 ? '' : `${String(queue.dropped)} dropped because too many waited`,
      ].filter((text) => text !== '');
      if (lost.length > 0) this.#ports.warn(`outbound webhook ${label} lost events: ${lost.join(', ')}`);
    }
  }
}

/** As in Hermes Agent, what is no pattern stands for the tool of that very name. */
async function matcherOf({
  matcher,
}: OutboundHookConfig): Promise<{ readonly matches: ToolMatcher; readonly warning?: string }> {
  const compiled = await compileMatcher(matcher);
  return compiled.ok
    ? { matches: compiled.value }
    : { matches: (tool) => tool === matcher?.trim(), warning: compiled.message };
}

function isNew(seen: Set<string>, event: EventName, { url, matcher }: OutboundHookConfig): boolean {
  const identity = JSON.stringify([event, url, matcher ?? '']);
  if (seen.has(identity)) return false;
  seen.add(identity);
  return true;
}

function toolOf(payload: EventPayload<EventName>): string | undefined {
  return 'toolName' in payload && typeof payload.toolName === 'string' ? payload.toolName : undefined;
}
