import { messageOf } from '../../../kernel/errors/index.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json/index.ts';
import {
  compileMatcher,
  consultShellHook,
  failsClosed,
  type HookDocument,
  type HookRun,
  type ShellHook,
  type ShellHookPorts,
} from '../../../safety/hooks/index.ts';

export type FinishedRun = Extract<HookRun, { type: 'ran' }>;
export type Directive = NonNullable<FinishedRun['answer']['directive']>;

/** What came of trying one hook. */
export type Trial =
  | { readonly type: 'ran'; readonly hook: ShellHook; readonly outcome: FinishedRun }
  /** Its matcher does not match the tool. */
  | { readonly type: 'not_matched'; readonly hook: ShellHook }
  /** It has an invalid matcher, for which it is skipped, or, when it fails closed, blocks everything. */
  | { readonly type: 'broken'; readonly hook: ShellHook; readonly reason: string };

export interface TrialOptions {
  readonly document: HookDocument;
  readonly ports: ShellHookPorts;
  /** The tool that the matcher is held against; undefined to run the hook whatever its matcher. */
  readonly tool: string | undefined;
  readonly signal: AbortSignal;
}

/** Runs one hook as an agent would, except that nobody's consent is asked for. */
export async function tryHook(
  hook: ShellHook,
  { document, ports, tool, signal }: TrialOptions,
): Promise<Trial> {
  if (tool !== undefined) {
    const compiled = await compileMatcher(hook.matcher);
    if (compiled.ok && !compiled.value(tool)) return { type: 'not_matched', hook };
    const isName = hook.matcher?.trim() === tool;
    if (!compiled.ok && (failsClosed(hook) || !isName))
      return { type: 'broken', hook, reason: compiled.message };
  }
  const permitted: ShellHookPorts = { ...ports, permit: async () => Promise.resolve({ ok: true }) };
  const outcome = await consultShellHook(hook, document, permitted, signal);
  if (outcome.type === 'not_permitted') throw new Error(messageOf(outcome.reason));
  return { type: 'ran', hook, outcome };
}

/** Whether the hook did not do its work: it did not run to its end, or gave an answer that is none. */
export function isFailure(trial: Trial): boolean {
  if (trial.type === 'not_matched') return false;
  if (trial.type === 'broken') return true;
  const { answer } = trial.outcome;
  return answer.isFailedClosed || answer.problems.some(({ isQuiet }) => isQuiet !== true);
}

/** What the hook wants that its event honours. */
export function directiveOf(trial: Trial): Directive | undefined {
  if (trial.type === 'ran') return trial.outcome.answer.directive;
  const isBlocking = trial.type === 'broken' && failsClosed(trial.hook);
  return isBlocking ? { type: 'block', message: trial.reason } : undefined;
}

/** A directive as it is shown. */
export function directiveDocument(directive: Directive): JsonObject {
  const entries = Object.entries(directive).map(([key, value]): [string, JsonValue] => [
    key === 'ruleKey' ? 'rule_key' : key,
    value,
  ]);
  return Object.fromEntries(entries);
}
