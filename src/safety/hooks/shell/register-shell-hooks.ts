import type { EventName, EventPayload } from '../../../kernel/events/index.ts';
import type { Callback, CallbackOptions } from '../callback.ts';
import type { CallbackRegistry } from '../callback-registry.ts';
import { ReportedAnswer } from '../reported-answer.ts';
import { consultShellHook } from './consult-shell-hook.ts';
import type { HookDirective } from './hook-directive.ts';
import { hookLabel } from './hook-label.ts';
import { hookPayload } from './hook-payload.ts';
import { compileMatcher } from './matcher/compile-matcher.ts';
import { brokenGuard } from './read-answer.ts';
import { failsClosed, MAX_HOOK_TIMEOUT_MS, type ShellHook } from './shell-hook.ts';
import type { ShellHookPorts } from './shell-hook-ports.ts';

/** What ending a script, and asking for permission, may take beyond its own time limit. */
const TIME_LIMIT_MARGIN_MS = 10_000;

/**
 * Adds shell hooks behind the callbacks already registered, in their order. The function that is returned takes all of them
 * away again. Their consent is not looked at here but before every start, so an approval or a revocation counts at once.
 *
 * A hook that cannot run, or whose matcher is no valid pattern, blocks the calls it guards when it is `failClosed` (with an invalid
 * matcher: all calls); others are skipped with a warning, an invalid matcher then stands for the tool of that very name.
 */
export function registerShellHooks(
  registry: CallbackRegistry,
  hooks: readonly ShellHook[],
  ports: ShellHookPorts,
): () => void {
  const removers = hooks.map((hook) =>
    registry.register(hook.event, optionsOf(hook), shellCallback(hook, ports)),
  );
  return () => {
    for (const remove of removers) remove();
  };
}

function optionsOf(hook: ShellHook): CallbackOptions {
  return {
    name: hookLabel(hook.command),
    timeLimitMs: Math.min(hook.timeoutMs, MAX_HOOK_TIMEOUT_MS) + TIME_LIMIT_MARGIN_MS,
    onFailure: failsClosed(hook) ? 'block' : 'ignore',
    recheck: hook.recheck ?? true,
    isConcurrent: true,
  };
}

function shellCallback(hook: ShellHook, ports: ShellHookPorts): Callback<EventName> {
  const label = hookLabel(hook.command);
  const isStrict = failsClosed(hook);
  const told = new Set<string>();
  const once = (warning: string): readonly string[] => {
    if (told.has(warning)) return [];
    told.add(warning);
    return [warning];
  };
  const refuse = (text: string): ReportedAnswer =>
    new ReportedAnswer(
      isStrict ? callbackValue(brokenGuard(label, [{ text }])) : undefined,
      once(`hook ${label} ${text}`),
    );
  let matcher: ReturnType<typeof compileMatcher> | undefined;

  return async (payload, signal) => {
    const tool = toolOf(payload);
    if (tool !== undefined && hook.matcher !== undefined) {
      matcher ??= compileMatcher(hook.matcher);
      const compiled = await matcher;
      if (compiled.ok) {
        if (!compiled.value(tool)) return undefined;
      } else if (isStrict || hook.matcher.trim() !== tool) {
        return refuse(`has an invalid matcher: ${compiled.message}`);
      }
    }
    const cwd = ports.cwdOf(sessionOf(payload));
    const document = hookPayload(hook.event, payload, {
      cwd,
      ...(ports.profile === undefined ? {} : { profile: ports.profile }),
    });
    const outcome = await consultShellHook(hook, document, ports, signal);
    if (outcome.type === 'not_permitted') return refuse(outcome.reason);
    const { directive } = outcome.answer;
    return new ReportedAnswer(
      directive === undefined ? undefined : callbackValue(directive),
      outcome.warnings,
    );
  };
}

function toolOf(payload: EventPayload<EventName>): string | undefined {
  return 'toolName' in payload && typeof payload.toolName === 'string' ? payload.toolName : undefined;
}

function sessionOf(payload: EventPayload<EventName>): string {
  if ('sessionId' in payload && typeof payload.sessionId === 'string') return payload.sessionId;
  return 'parentSessionId' in payload && typeof payload.parentSessionId === 'string'
    ? payload.parentSessionId
    : '';
}

/** A directive as callbacks return it. */
function callbackValue(directive: HookDirective): unknown {
  switch (directive.type) {
    case 'block':
      return { action: 'block', message: directive.message };
    case 'ask': {
      const { message, ruleKey, args } = directive;
      return {
        action: 'approve',
        message,
        ...(ruleKey === undefined ? {} : { rule_key: ruleKey }),
        ...(args === undefined ? {} : { args }),
      };
    }
    case 'modify':
      return { action: 'modify', args: directive.args };
    case 'context':
      return { context: directive.text };
    case 'continue':
      return { action: 'continue', message: directive.message };
  }
}
