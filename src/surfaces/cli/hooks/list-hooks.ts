import type { JsonObject } from '../../../kernel/json/index.ts';
import type { OutboundHookConfig } from '../../../platform/config/index.ts';
import type { Environment } from '../../../platform/environment/index.ts';
import { type ConsentCheck, consentStatus, type ShellHook, signingKey } from '../../../safety/hooks/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import { checkConsent } from './check-consent.ts';
import { byEvent, hookText } from './hook-text.ts';
import { type LiveProcess, type OpenedHooks, processName, registeredIn } from './open-hooks.ts';

interface ListedHook extends ShellHook {
  readonly check: ConsentCheck;
  readonly processes: readonly LiveProcess[];
}

/** `hooks list`: what is configured, what of it may run, and which processes have it. */
export async function listHooks(context: VerbContext, { shell, config }: OpenedHooks): Promise<ExitCode> {
  const live = await shell.live();
  const listed: ListedHook[] = [];
  for (const hook of shell.hooks) {
    const check = await checkConsent(shell, hook, context.signal);
    listed.push({ ...hook, check, processes: registeredIn(hook, live) });
  }
  const { outbound } = config.hooks;
  const { environment } = context;
  if (context.json) {
    context.printJson({
      consent: shell.mode,
      hooks: listed.map(documentOf),
      outbound: outbound.map((target) => outboundDocument(target, environment)),
    });
    return EXIT.done;
  }
  if (listed.length === 0 && outbound.length === 0) {
    context.note('no hooks are configured');
    return EXIT.done;
  }
  context.print(`Shell hooks (${String(listed.length)} in total):`);
  for (const [event, hooks] of byEvent(listed)) {
    context.print(`\n[${event}]`);
    for (const hook of hooks) {
      context.print(`  - ${hookText(hook, consentStatus(hook.check))}`);
      for (const line of detailsOf(hook, live)) context.print(`      ${printableLine(line)}`);
    }
  }
  if (outbound.length > 0) context.print(`\n[outbound]`);
  for (const target of outbound) context.print(`  - ${printableLine(outboundText(target, environment))}`);
  return EXIT.done;
}

function detailsOf({ check, processes }: ListedHook, live: readonly LiveProcess[]): readonly string[] {
  const { record, drift } = check;
  const lines = record?.approvedAt === undefined ? [] : [`approved ${record.approvedAt}`];
  if (drift !== undefined)
    lines.push(`⚠ ${drift.what} modified since approval (was ${drift.was}, now ${drift.now})`);
  else if (!check.mayRun && record !== undefined) lines.push(`✗ ${check.reason}`);
  if (processes.length > 0) lines.push(`live in ${processes.map(processName).join(', ')}`);
  else lines.push(live.length === 0 ? 'not live: no agent is running' : 'not live in any running agent');
  return lines;
}

function documentOf(hook: ListedHook): JsonObject {
  const { check, processes, event, command, matcher, timeoutMs, failClosed, env } = hook;
  const { state, mayRun, reason, record, drift, notes } = check;
  return {
    event,
    command,
    matcher: matcher ?? null,
    timeout: timeoutMs / 1000,
    fail_closed: failClosed,
    env,
    state,
    may_run: mayRun,
    reason,
    notes,
    approved_at: record?.approvedAt ?? null,
    drift: drift === undefined ? null : { ...drift },
    live: processes.map(({ pid, surface }) => ({ pid, surface })),
  };
}

function outboundText(target: OutboundHookConfig, environment: Environment): string {
  const { name, events, matcher, timeoutMs } = target;
  const only = matcher === undefined ? '' : ` matcher='${matcher}'`;
  const label = name === undefined ? '' : `${name}: `;
  const key = signingKey(target, environment);
  const signed = key.ok && key.value === undefined ? 'UNSIGNED' : 'signed';
  const state = key.ok ? signed : `✗ off: ${key.message}`;
  const facts = [events.join(' '), `timeout=${String(timeoutMs / 1000)}s`, state];
  return `${label}${withoutSecrets(target.url)}${only} (${facts.join(', ')})`;
}

function outboundDocument(target: OutboundHookConfig, environment: Environment): JsonObject {
  const { name, events, matcher, timeoutMs, raw } = target;
  const key = signingKey(target, environment);
  return {
    name: name ?? null,
    url: withoutSecrets(target.url),
    events,
    matcher: matcher ?? null,
    timeout: timeoutMs / 1000,
    raw,
    signed: key.ok && key.value !== undefined,
    off: key.ok ? null : key.message,
  };
}

/** An address without what may be a key in it. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
}
