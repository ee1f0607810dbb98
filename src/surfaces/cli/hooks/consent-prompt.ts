import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { ConsentPrompt, ConsentQuestion } from '../../../safety/hooks/index.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';

type Asker = Pick<VerbContext, 'isInteractive' | 'stdin' | 'stderr' | 'signal' | 'onInterrupt'>;

/**
 * Asks the person at the terminal whether a hook may run: shows its event, its command and its script. Only a typed `y` or `yes` is
 * a yes; the end of the input and Ctrl-C are a no. Undefined when nobody can be asked.
 */
export function createConsentPrompt(
  context: Asker,
  title = 'A shell hook wants to run for the first time.',
): ConsentPrompt | undefined {
  if (!context.isInteractive) return undefined;
  return async (question, signal = context.signal) => {
    context.stderr.write(`${[title, ...consentText(question)].join('\n')}\n`);
    return isAgreed(context, signal);
  };
}

/** What a person is shown before the question; safe to show. */
function consentText({
  event,
  command,
  scriptPath,
  scriptText,
  warnings,
}: ConsentQuestion): readonly string[] {
  return [
    `  event    ${printableLine(event)}`,
    `  command  ${printableLine(command)}`,
    ...(scriptPath === undefined ? [] : [`  script   ${printableLine(scriptPath)}`]),
    ...(scriptText === undefined ? [] : ['', ...scriptLines(scriptText), '']),
    ...warnings.map((warning) => `⚠ ${printableLine(warning)}`),
    '⚠ What it reads may hold credentials: prompts, arguments of calls and what they print.',
  ];
}

function scriptLines(text: string): readonly string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.map((line) => `  │ ${visible(line)}`);
}

const DISGUISES = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?!\t)\p{Cc}/gu;

/** Everything that steers a terminal, hides, or turns the direction of text is written out. */
function visible(line: string): string {
  return line.replaceAll(DISGUISES, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
  });
}

async function isAgreed(context: Asker, signal: AbortSignal): Promise<boolean> {
  // Not as a terminal: then Ctrl-C stays a signal.
  const lines = createInterface({ input: context.stdin, output: context.stderr.stream, terminal: false });
  const leaving = once(lines, 'close').then(() => '');
  const release = context.onInterrupt(() => {
    context.stderr.write('\n');
    lines.close();
  });
  try {
    const asked = lines.question('Approve it? [y/N] ', { signal });
    const answer = await Promise.race([asked, leaving]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    release();
    lines.close();
  }
}
