import { createHmac } from 'node:crypto';
import { isJsonObject } from '../../../kernel/json/index.ts';
import type { Redactor } from '../../../kernel/redact/index.ts';
import type { HookDocument } from '../shell/hook-payload.ts';

/** An event as it was when it happened, for one target. */
export interface Delivery {
  /** By which a receiver recognises what it already has; the same for all attempts. */
  readonly id: string;
  /** When the event happened, in milliseconds since 1970-01-01 UTC. */
  readonly happenedAt: number;
  readonly document: HookDocument;
}

/** What one request consists of. */
export interface DeliveryRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface Dressing {
  /** What makes the secrets unreadable; undefined where they are sent. */
  readonly redactor: Redactor | undefined;
  /** Undefined for no signature. */
  readonly key: string | undefined;
}

/**
 * The request that tells of an event, in the format of Hermes Agent: the document of a shell hook with `delivery_id` and
 * `timestamp` (ISO 8601 in UTC, whole seconds), and HMAC-SHA256 of exactly these bytes.
 */
export function deliveryRequest(
  { id, happenedAt, document }: Delivery,
  { redactor, key }: Dressing,
): DeliveryRequest {
  const told = redactor === undefined ? document : redactor.value(document);
  const stamp = new Date(happenedAt).toISOString().replace(/\.\d+Z$/, 'Z');
  const members = isJsonObject(told) ? told : {};
  const body = Buffer.from(JSON.stringify({ ...members, delivery_id: id, timestamp: stamp }), 'utf8');
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Hermes-Agent-Outbound-Webhook',
      'X-Hermes-Event': document.hook_event_name,
      'X-Hermes-Delivery': id,
      ...(key === undefined ? {} : { 'X-Hermes-Signature-256': `sha256=${signatureOf(body, key)}` }),
    },
  };
}

function signatureOf(body: Uint8Array, key: string): string {
  return createHmac('sha256', key).update(body).digest('hex');
}
