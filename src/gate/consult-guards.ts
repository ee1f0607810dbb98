import { messageOf } from '../kernel/errors/index.ts';
import type { ToolCall } from '../kernel/tool-call/index.ts';
import { ABSTAIN, type CallGuard, type GuardAnswer, type Opinion } from '../kernel/verdict/index.ts';
import { type Clock, within } from '../platform/clock/index.ts';
import { type ToolCatalog, withArguments } from './normalise.ts';

/** What the guards made of a call: the call with its final arguments, and what each of them said. */
export interface Consultation {
  readonly call: ToolCall;
  readonly opinions: readonly Opinion[];
  /** Failures of guards that were told to be ignored: one line each, for the person. */
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
 * answer ends the round early: every guard sees every call.
 *
 * Fails closed: a guard that throws, exceeds its time, or rewrites arguments into some that do not fit the tool
 * blocks, unless (for the first two) it is declared to be ignored.
 */
export async function consultGuards(asked: ToolCall, options: ConsultOptions): Promise<Consultation> {
  const first = await askInOrder(asked, options);
  if (first.lastChange === undefined) return first;
  const second = await askAgain(
    first.call,
    options.guards.slice(0, first.lastChange.index),
    first.lastChange.by,
    options,
  );
  return {
    call: first.call,
    opinions: [...first.opinions, ...second.opinions],
    warnings: [...first.warnings, ...second.warnings],
  };
}

interface Round extends Consultation {
  readonly lastChange?: { readonly index: number; readonly by: string };
}

async function askInOrder(asked: ToolCall, options: ConsultOptions): Promise<Round> {
  const opinions: Opinion[] = [];
  const warnings: string[] = [];
  let call = asked;
  let lastChange: Round['lastChange'];
  for (const [index, guard] of options.guards.entries()) {
    const answer = await ask(guard, call, false, options);
    opinions.push({ by: guard.name, verdict: answer.verdict });
    if (answer.warning !== undefined) warnings.push(answer.warning);
    if (answer.args === undefined) continue;
    const rewritten = withArguments(call, answer.args, options);
    if (!rewritten.ok) {
      opinions.push(
        block(
          guard.name,
          `${guard.name} rewrote the arguments into some that do not fit: ${rewritten.message}`,
        ),
      );
    } else if (rewritten.value.fingerprint !== call.fingerprint) {
      call = rewritten.value;
      lastChange = { index, by: guard.name };
    }
  }
  return { call, opinions, warnings, ...(lastChange === undefined ? {} : { lastChange }) };
}

async function askAgain(
  call: ToolCall,
  guards: readonly CallGuard[],
  changedBy: string,
  options: ConsultOptions,
): Promise<Omit<Consultation, 'call'>> {
  const opinions: Opinion[] = [];
  const warnings: string[] = [];
  for (const guard of guards) {
    if (!guard.recheck) continue;
    const answer = await ask(guard, call, true, options);
    opinions.push({ by: guard.name, verdict: answer.verdict });
    if (answer.warning !== undefined) warnings.push(answer.warning);
    if (answer.args === undefined) continue;
    const rewritten = withArguments(call, answer.args, options);
    if (rewritten.ok && rewritten.value.fingerprint === call.fingerprint) continue;
    opinions.push(block(guard.name, `${guard.name} and ${changedBy} rewrite each other's arguments`));
  }
  return { opinions, warnings };
}

async function ask(
  guard: CallGuard,
  call: ToolCall,
  recheck: boolean,
  { clock, signal }: ConsultOptions,
): Promise<GuardAnswer & { readonly warning?: string }> {
  try {
    const answer = await within(clock, guard.timeLimitMs, signal, (limited) =>
      guard.consult(call, { recheck, signal: limited }),
    );
    return answer.inTime
      ? answer.value
      : failed(guard, `did not answer within ${String(guard.timeLimitMs / 1000)} s`);
  } catch (error) {
    signal.throwIfAborted();
    return failed(guard, `failed: ${messageOf(error)}`);
  }
}

function failed(guard: CallGuard, what: string): GuardAnswer & { readonly warning?: string } {
  const message = `${guard.name} ${what}`;
  if (guard.onFailure === 'block') return { verdict: { type: 'block', message } };
  return { verdict: ABSTAIN, warning: message };
}

function block(by: string, message: string): Opinion {
  return { by, verdict: { type: 'block', message } };
}
