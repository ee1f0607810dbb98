import type { JsonObject } from '../../../kernel/json/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import { type DoctorLine, type Examined, examineHook } from './examine-hook.ts';
import { byEvent, hookText } from './hook-text.ts';
import type { LiveProcess, OpenedHooks } from './open-hooks.ts';

/** `hooks doctor`: everything that can be said about the configured hooks. Exit code 1 when something is to be mended. */
export async function diagnoseHooks(context: VerbContext, { shell }: OpenedHooks): Promise<ExitCode> {
  const live = await shell.live();
  const { clock, signal } = context;
  const options = { shell, live, clock, signal, cwd: context.workingDirectory() };
  const examined: Examined[] = [];
  for (const [, hooks] of byEvent(shell.hooks))
    for (const hook of hooks) examined.push(await examineHook(hook, options));
  const issues = examined.flatMap(({ lines }) => lines).filter(({ isIssue }) => isIssue).length;
  if (context.json)
    context.printJson({
      consent: shell.mode,
      hooks: examined.map(documentOf),
      live: live.map(({ pid, surface, startedAt }) => ({ pid, surface, started_at: startedAt })),
      issues,
    });
  else if (examined.length === 0) context.print('No shell hooks are configured.');
  else print(context, { examined, live, issues, isByPath: shell.mode === 'path' });
  return issues === 0 ? EXIT.done : EXIT.no;
}

interface Printed {
  readonly examined: readonly Examined[];
  readonly live: readonly LiveProcess[];
  readonly issues: number;
  readonly isByPath: boolean;
}

function print(context: VerbContext, { examined, live, issues, isByPath }: Printed): void {
  const { good, bad, warning, faint } = context.colours;
  const paint = { '✓': good, '✗': bad, '⚠': warning, ℹ: faint };
  const show = ({ mark, text }: Pick<DoctorLine, 'mark' | 'text'>): void =>
    context.print(`  ${paint[mark](mark)} ${printableLine(text)}`);
  for (const { hook, lines } of examined) {
    context.print(`[${hook.event}] ${hookText(hook)}`);
    for (const line of lines) show(line);
    context.print();
  }
  if (isByPath)
    show({
      mark: '⚠',
      text: 'hooks_consent is path: a script runs on whatever was written into it since it was approved',
    });
  if (live.length === 0) show({ mark: 'ℹ', text: 'no agent is running: only the configuration was read' });
  if (isByPath || live.length === 0) context.print();
  context.print(
    issues === 0
      ? 'All shell hooks are healthy.'
      : `${String(issues)} issue(s) found. Fix before relying on these hooks.`,
  );
}

function documentOf({ hook, lines }: Examined): JsonObject {
  return {
    event: hook.event,
    command: hook.command,
    issues: lines.filter(({ isIssue }) => isIssue).length,
    checks: lines.map(({ mark, text, isIssue }) => ({ mark, text, is_issue: isIssue })),
  };
}
