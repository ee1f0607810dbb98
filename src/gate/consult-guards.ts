import { messageOf } from '../kernel/errors/index.ts';
import type { ToolCall } from '../kernel/tool-call/index.ts';
import {
  ABSTAIN,
  type CallGuard,
  type GuardAnswer,
  type Opinion,
  readVerdict,
} from '../kernel/verdict/index.ts';
import { type Clock, within } from '../platform/clock/index.ts';
import { type ToolCatalog, withArguments } from './normalise.ts';

/** What the guards made of a call: the call with its final arguments, and what each of them said. */
export interface Consultation {
  readonly call: ToolCall;
  readonly opinions: readonly Opinion[];
  /** What guards warn of, and failures of those that were told to be ignored: one line each, for the person. */
  readonly warnings: readonly string[];
}

export interface ConsultOptions {
  readonly guards: readonly CallGuard[];
  readonly catalog: ToolCatalog;
  readonly unknownTools: 'refuse' | 'external';
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Step 2 of the gate: asks every guard, in order, each about the arguments as rewritten so far.
 *
 * When the arguments changed, the guards that ran before the last change see the final ones once more; one that
 * changes them again blocks the call, since two guards that undo each other's work cannot both be satisfied. No
 * answer ends the round early: every guard sees every call. A question that was about earlier arguments stays one, but
 * its rule does not speak for the final ones: unless its guard asks again, only a yes to exactly this call answers it.
 *
 * Fails closed: a guard that throws, exceeds its time, answers something that is no verdict, or rewrites arguments into
 * some that do not fit the tool blocks, unless (for all but the last) it is declared to be ignored.
 */
export async function consultGuards(asked: ToolCall, options: ConsultOptions): Promise<Consultation> {
  const first = await askInOrder(asked, options);
  const { call, lastChange } = first;
  if (lastChange === undefined) return { call, opinions: first.opinions, warnings: first.warnings };
  const second = await askAgain(call, lastChange, options);
  return {
    call,
    opinions: [...withoutOutdatedRules(first.opinions, second.opinions, lastChange), ...second.opinions],
    warnings: [...first.warnings, ...second.warnings],
  };
}

/** An opinion with the place of its guard: names may repeat. */
interface PlacedOpinion extends Opinion {
  readonly place: number;
}

interface Change {
  /** Place of the guard that changed the arguments last. */
  readonly place: number;
  readonly by: string;
}

interface Round {
  readonly opinions: readonly PlacedOpinion[];
  readonly warnings: readonly string[];
}

async function askInOrder(
  asked: ToolCall,
  options: ConsultOptions,
): Promise<Round & { readonly call: ToolCall; readonly lastChange: Change | undefined }> {
  const opinions: PlacedOpinion[] = [];
  const warnings: string[] = [];
  let call = asked;
  let lastChange: Change | undefined;
  for (const [place, guard] of options.guards.entries()) {
    const by = guard.name;
    const answer = await ask(guard, call, false, options);
    opinions.push({ place, by, verdict: answer.verdict });
    warnings.push(...(answer.warnings ?? []));
    if (answer.args === undefined) continue;
    const rewritten = withArguments(call, answer.args, options);
    if (!rewritten.ok) {
      const message = `${by} rewrote the arguments into some that do not fit: ${rewritten.message}`;
      opinions.push({ place, by, verdict: { type: 'block', message } });
    } else if (rewritten.value.fingerprint !== call.fingerprint) {
      call = rewritten.value;
      lastChange = { place, by };
    }
  }
  return { call, opinions, warnings, lastChange };
}

async function askAgain(call: ToolCall, change: Change, options: ConsultOptions): Promise<Round> {
  const opinions: PlacedOpinion[] = [];
  const warnings: string[] = [];
  for (const [place, guard] of options.guards.slice(0, change.place).entries()) {
    if (!guard.recheck) continue;
    const by = guard.name;
    const answer = await ask(guard, call, true, options);
    opinions.push({ place, by, verdict: answer.verdict });
    warnings.push(...(answer.warnings ?? []));
    if (answer.args === undefined) continue;
    const rewritten = withArguments(call, answer.args, options);
    if (rewritten.ok && rewritten.value.fingerprint === call.fingerprint) continue;
    const message = `${by} and ${change.by} rewrite each other's arguments`;
    opinions.push({ place, by, verdict: { type: 'block', message } });
  }
  return { opinions, warnings };
}

function withoutOutdatedRules(
  first: readonly PlacedOpinion[],
  second: readonly PlacedOpinion[],
  change: Change,
): readonly Opinion[] {
  const asksAgain = new Set(second.filter(({ verdict }) => verdict.type === 'ask').map(({ place }) => place));
  return first.flatMap((opinion): Opinion[] => {
    const { place, by, verdict } = opinion;
    if (verdict.type !== 'ask' || place >= change.place) return [opinion];
    return asksAgain.has(place) ? [] : [{ by, verdict: { type: 'ask', message: verdict.message } }];
  });
}

async function ask(
  guard: CallGuard,
  call: ToolCall,
  recheck: boolean,
  { clock, signal }: ConsultOptions,
): Promise<GuardAnswer> {
  try {
    const answer = await within(clock, guard.timeLimitMs, signal, async (limited) =>
      guard.consult(call, { recheck, signal: limited }),
    );
    if (!answer.inTime) return failed(guard, `did not answer within ${String(guard.timeLimitMs / 1000)} s`);
    const verdict = readVerdict(answer.value.verdict);
    if (verdict === undefined) return failed(guard, 'answered something that is no verdict');
    return { ...answer.value, verdict, warnings: [...(answer.value.warnings ?? [])] };
  } catch (error) {
    signal.throwIfAborted();
    return failed(guard, `failed: ${messageOf(error)}`);
  }
}

function failed(guard: CallGuard, what: string): GuardAnswer {
  const message = `${guard.name} ${what}`;
  if (guard.onFailure === 'ignore') return { verdict: ABSTAIN, warnings: [message] };
  return { verdict: { type: 'block', message } };
}
