import type { CallReport } from '../../../gate/index.ts';
import { describeCall, printable, type ToolCall } from '../../../kernel/tool-call/index.ts';
import type { ChatTheme } from './theme.ts';

export function startedLine(call: ToolCall, theme: ChatTheme): string {
  return `${theme.accent('●')} ${describeCall(call)}`;
}

export function finishedLine(call: ToolCall, report: CallReport, theme: ChatTheme): string {
  const what = describeCall(call);
  const seconds = theme.dim(` ${(report.durationMs / 1000).toFixed(1)} s`);
  const why = printable(report.message).slice(0, 160);
  switch (report.status) {
    case 'ok':
      return `${theme.good('✓')} ${what}${seconds}`;
    case 'error':
      return `${theme.bad('✗')} ${what}${seconds} ${theme.bad(why)}`;
    case 'blocked':
      return `${theme.warn('⛔')} ${what} ${theme.warn(`blocked: ${why}`)}`;
    case 'cancelled':
      return `${theme.warn('■')} ${what}${seconds} ${theme.warn('interrupted; its effect is unknown')}`;
  }
}

/** The arguments of a call, whole, one per line: what a person is asked about. */
export function exactArguments(call: ToolCall): string {
  return Object.entries(call.args)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const lines = text.split('\n').map(printable);
      return lines.length === 1
        ? `  ${printable(name)}: ${lines[0] ?? ''}`
        : `  ${printable(name)}:\n${lines.map((line) => `    ${line}`).join('\n')}`;
    })
    .join('\n');
}
