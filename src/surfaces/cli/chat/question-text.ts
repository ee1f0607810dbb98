import type { ApprovalRequest } from '../../../gate/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import { exactArguments } from './call-line-text.ts';
import { screenText } from './screen-text.ts';
import type { ChatTheme } from './theme.ts';

/** Lines of arguments that surely stand on a screen together with the question. */
const SHORT_LINES = 12;

/**
 * What a person is asked to approve: why, the tool, and its arguments, whole. Where they may not fit on the screen, the last
 * line says how much there is above, so that nothing scrolls away unnoticed.
 */
export function approvalText({ call, message }: ApprovalRequest, theme: ChatTheme): string {
  const folder = theme.dim(`  in ${printable(call.cwd)}`);
  const shown = exactArguments(call);
  const lines = shown.split('\n').length;
  const isLong = lines > SHORT_LINES || shown.length > SHORT_LINES * 80;
  const size = `The arguments above have ${String(lines)} lines and ${String(shown.length)} characters: read them from the start.`;
  return [
    theme.warn(screenText(message)),
    `${theme.bold(printable(call.tool))}${folder}`,
    shown,
    ...(isLong ? [theme.warn(size)] : []),
  ].join('\n');
}

/** A question of the model's with its suggestions, numbered from 1. */
export function questionText(question: string, choices: readonly string[], theme: ChatTheme): string {
  const listed = choices.map((choice, index) => `  ${String(index + 1)}. ${printable(choice)}`);
  return [theme.accent(screenText(question)), ...listed].join('\n');
}

/** What was answered: a number stands for its suggestion. Undefined when it is empty. */
export function answerIn(typed: string, choices: readonly string[]): string | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  return /^\d+$/.test(text) ? (choices[Number(text) - 1] ?? text) : text;
}
