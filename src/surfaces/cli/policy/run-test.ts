import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { counted } from '../rollback/text-style.ts';
import type { VerbContext } from '../verb.ts';
import { openChecker } from './checker.ts';
import { noteWarnings } from './run-check.ts';

interface Wrong {
  readonly rule: string;
  readonly message: string;
}

/**
 * `herma policy test`: runs the tests of every rule. What keeps `policy.json` from being used is a failure too: its rules, and
 * their tests, are not those in force.
 */
export async function runTest(context: VerbContext): Promise<ExitCode> {
  const checker = await openChecker(context, { cwd: context.paths.home, homeDir: undefined });
  if (!checker.ok) return context.fail(checker);
  const { engine, state } = checker.value;
  const results = await engine.testRules();
  const failures: readonly Wrong[] = [
    ...state.problems.map(({ where, message }) => ({ rule: where, message })),
    ...results.filter(({ ok }) => !ok).map(({ rule, message }) => ({ rule, message })),
  ];
  const rules = new Set(results.map(({ rule }) => rule)).size;
  if (context.json) {
    context.printJson({ tests: results.length, rules, failures });
  } else {
    if (state.problems.length === 0) noteWarnings(context, checker.value);
    for (const { rule, message } of failures)
      context.print(`${context.colours.bad('failed')}  ${printableLine(`${rule}: ${message}`)}`);
    const outcome = failures.length === 0 ? 'all pass' : counted(failures.length, 'failure');
    context.print(`${counted(results.length, 'test')} of ${counted(rules, 'rule')}: ${outcome}`);
  }
  return failures.length === 0 ? EXIT.done : EXIT.no;
}
