import type { JsonObject } from '../../../kernel/json/index.ts';
import type { ListedRule, PolicyState } from '../../../safety/policy/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Column, formatTable } from '../output/format-table.ts';
import type { VerbContext } from '../verb.ts';
import { openChecker } from './checker.ts';
import { noteWarnings } from './run-check.ts';
import { paintDecision } from './verdict-text.ts';

/** `herma policy list`: every rule, the floors first. */
export async function runList(context: VerbContext): Promise<ExitCode> {
  const checker = await openChecker(context, { cwd: context.paths.home, homeDir: undefined });
  if (!checker.ok) return context.fail(checker);
  noteWarnings(context, checker.value);
  const { engine, state } = checker.value;
  const rules = await engine.rules();
  if (context.json) {
    context.printJson({ mode: state.mode, source: state.source, rules: rules.map(documentOf) });
    return EXIT.done;
  }
  context.print(headOf(state));
  context.print();
  for (const line of tableOf(rules, context)) context.print(line);
  return EXIT.done;
}

const SOURCES = {
  builtin: 'the built-in rules',
  file: 'policy.json',
  last_good: 'the last policy.json that could be used',
};

function headOf({ mode, source }: PolicyState): string {
  const rest = mode === 'off' ? '; only the floors hold' : '';
  return `mode ${mode}${rest}; rules of ${SOURCES[source]}`;
}

function documentOf({ rule, source, isActive }: ListedRule): JsonObject {
  const { id, decision, severity, tools, message, tests } = rule;
  return {
    id,
    source,
    decision,
    severity,
    active: isActive,
    tools: [...tools],
    message,
    tests: { hit: tests.hit.length, miss: tests.miss.length },
  };
}

function tableOf(
  rules: readonly ListedRule[],
  { colours, stdout }: Pick<VerbContext, 'colours' | 'stdout'>,
): readonly string[] {
  const columns: readonly Column<ListedRule>[] = [
    { title: 'RULE', text: ({ rule }) => rule.id },
    { title: 'SOURCE', text: ({ source }) => source },
    {
      title: 'DECISION',
      text: ({ rule }) => rule.decision,
      paint: (text, { rule, isActive }) =>
        isActive ? paintDecision(rule.decision, colours)(text) : colours.faint(text),
    },
    { title: 'SEVERITY', text: ({ rule }) => rule.severity },
    { title: 'ACTIVE', text: ({ isActive }) => (isActive ? 'yes' : 'no') },
    { title: 'MESSAGE', text: ({ rule }) => rule.message, shrinks: true },
  ];
  return formatTable(rules, columns, { columns: stdout.columns, paintTitle: colours.strong });
}
