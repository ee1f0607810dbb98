import type { Clock } from '../../../platform/clock/index.ts';
import { describeHttpError } from '../../../platform/http/index.ts';
import type { DeliveryRequest } from './delivery.ts';

const ATTEMPTS = 2;

/** Milliseconds to wait after the first attempt, twice that after the second, and so on. */
const BACK_OFF_MS = 1000;

export type DeliveryOutcome =
  | { readonly type: 'delivered' }
  /** `reason` continues a sentence about the target and holds no secret of its address. */
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'cancelled' };

interface DeliverPorts {
  /** Sends once and gives back the status of the answer. */
  readonly post: (request: DeliveryRequest, signal: AbortSignal) => Promise<number>;
  /** Scheme and host of the target, which is all of its address that may be shown. */
  readonly origin: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type Attempt = DeliveryOutcome | { readonly type: 'retry'; readonly reason: string };

/**
 * Sends a request, and once more where the server could not be reached, did not answer in time, or had a failure of its own
 * (5xx). Never rejects.
 */
export async function deliver(request: DeliveryRequest, ports: DeliverPorts): Promise<DeliveryOutcome> {
  const { clock, signal } = ports;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attemptOnce(request, ports);
    if (outcome.type !== 'retry') return outcome;
    if (attempt === ATTEMPTS)
      return { type: 'failed', reason: `${outcome.reason} (${String(ATTEMPTS)} attempts)` };
    try {
      await clock.sleep(BACK_OFF_MS * attempt, signal);
    } catch {
      return { type: 'cancelled' };
    }
  }
}

async function attemptOnce(
  request: DeliveryRequest,
  { post, origin, signal }: DeliverPorts,
): Promise<Attempt> {
  try {
    return judge(await post(request, signal));
  } catch (error) {
    if (signal.aborted) return { type: 'cancelled' };
    const { code, message } = describeHttpError(error, origin);
    return { type: code === 'forbidden' ? 'failed' : 'retry', reason: message };
  }
}

function judge(status: number): Attempt {
  const answered = `it answered with the status ${String(status)}`;
  if (status >= 500) return { type: 'retry', reason: answered };
  if (status >= 400) return { type: 'failed', reason: answered };
  if (status >= 300) return { type: 'failed', reason: `${answered}, a redirect, which is never followed` };
  return { type: 'delivered' };
}
