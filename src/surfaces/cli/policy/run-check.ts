import { fail } from '../../../kernel/errors/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import { checkLines } from './check-lines.ts';
import { type Checked, type Checker, type CheckPlace, openChecker } from './checker.ts';
import { verdictDocument, verdictLines } from './verdict-text.ts';

/** One check, as it was typed. */
export interface CheckRequest extends CheckPlace {
  /** Undefined when none was given. */
  readonly command: string | undefined;
  readonly tool: string;
  readonly unattended: boolean;
}

/** `herma policy check`: what the policy says of a call that is not made. */
export async function runCheck(
  context: VerbContext,
  request: CheckRequest & { readonly isStdin: boolean },
): Promise<ExitCode> {
  if (request.isStdin) return checkInput(context, request);
  return judgeOne(context, request, ({ verdict }) => {
    if (context.json) context.printJson(verdictDocument(verdict));
    else for (const line of verdictLines(verdict, context.colours)) context.print(line);
  });
}

/** Judges the one command of a request and has it told; the exit code says whether it may run. */
export async function judgeOne(
  context: VerbContext,
  request: CheckRequest,
  tell: (checked: Checked) => void,
): Promise<ExitCode> {
  const { command, tool, unattended } = request;
  if (command === undefined)
    return context.fail(fail('usage', 'no command is given', "herma policy check 'rm -rf build'"));
  const checker = await openChecker(context, request);
  if (!checker.ok) return context.fail(checker);
  noteWarnings(context, checker.value);
  const checked = await checker.value.check({ text: command, tool, cwd: checker.value.cwd }, unattended);
  if (!checked.ok) return context.fail(checked);
  tell(checked.value);
  return checked.value.verdict.raw === 'allow' ? EXIT.done : EXIT.no;
}

async function checkInput(context: VerbContext, request: CheckRequest): Promise<ExitCode> {
  if (request.command !== undefined)
    return context.fail(
      fail('usage', '--stdin and a command are both given', 'give the command as a line of the input'),
    );
  const checker = await openChecker(context, request);
  if (!checker.ok) return context.fail(checker);
  noteWarnings(context, checker.value);
  const { tool, unattended } = request;
  return checkLines(context, checker.value, { tool, unattended });
}

/** What a person should know of the policy that judges. */
export function noteWarnings(context: VerbContext, { state }: Pick<Checker, 'state'>): void {
  for (const line of state.warnings) context.note(printableLine(line));
}
