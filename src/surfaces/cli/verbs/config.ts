import type { JsonValue } from '../../../kernel/json/index.ts';
import {
  type ConfigProblem,
  describeProblem,
  getConfigValue,
  loadConfig,
  setConfigValue,
} from '../../../platform/config/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { optionalArgument, textArgument } from '../inputs.ts';
import { printableLine } from '../output/printable.ts';
import { personOnly } from '../runtime/person-only.ts';
import type { Verb, VerbContext } from '../verb.ts';

const key = textArgument('key', 'the setting, such as agent.max_iterations', { completion: 'config-keys' });
const anyKey = optionalArgument('key', 'the setting, such as agent.max_iterations; all when left out', {
  completion: 'config-keys',
});
const newValue = textArgument('value', 'the new value: 5, true, ["npm test"]');

const get: Verb = {
  name: 'get',
  summary: 'print a setting',
  details: 'Prints what the file says, or else the default. Exit code 4: it is not set and has no default.',
  example: 'herma config get agent.max_iterations',
  arguments: [anyKey],
  run: async (context) => {
    const found = await getConfigValue(context.paths.home, context.get(anyKey), context.environment);
    if (!found.ok) return context.fail(found);
    const { value, source } = found;
    if (context.json) context.printJson({ value: value ?? null, source });
    else if (value !== undefined) for (const line of linesOf(value, '')) context.print(line);
    else context.note(`${context.get(anyKey) ?? ''} is not set`);
    return value === undefined ? EXIT.nothing : EXIT.done;
  },
};

const set: Verb = {
  name: 'set',
  summary: 'change a setting',
  details: 'Comments and the order of the file stay. The result is checked before it is written.',
  example: 'herma config set model openai:gpt-5',
  arguments: [key, newValue],
  run: personOnly({ what: 'settings', verb: 'change' }, async (context) => {
    const { home } = context.paths;
    const done = await setConfigValue(home, context.get(key), context.get(newValue), context.environment);
    if (!done.ok) return context.fail(done);
    const { file, isChanged, problems } = done;
    for (const problem of problems) noteProblem(context, problem);
    if (context.json) context.printJson({ file, changed: isChanged, problems });
    else context.print(isChanged ? `${context.get(key)} is set in ${file}` : `${file} says so already`);
    return EXIT.done;
  }),
};

const check: Verb = {
  name: 'check',
  summary: 'list what is wrong with the configuration',
  details: 'Exit code 1 when there is anything, warnings included.',
  example: 'herma config check',
  run: async (context) => {
    const loaded = await loadConfig(context.paths.home, context.environment);
    const { file, problems } = loaded;
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    if (context.json) context.printJson({ file, exists: loaded.ok ? loaded.exists : true, errors, problems });
    else printCheck(context, file, problems);
    return problems.length === 0 ? EXIT.done : EXIT.no;
  },
};

const path: Verb = {
  name: 'path',
  summary: 'print where the configuration is',
  example: 'herma config path',
  run: (context) => {
    if (context.json) context.printJson({ path: context.paths.config });
    else context.print(context.paths.config);
    return Promise.resolve<ExitCode>(EXIT.done);
  },
};

export const verb: Verb = {
  name: 'config',
  summary: 'read, change and check the configuration',
  example: 'herma config set agent.verify \'["npm test"]\'',
  subcommands: [get, set, check, path],
};

function printCheck(context: VerbContext, file: string, problems: readonly ConfigProblem[]): void {
  const { bad, warning, faint } = context.colours;
  for (const problem of problems) {
    const label = problem.severity === 'error' ? bad('error') : warning('warning');
    context.print(`${label}  ${printableLine(describeProblem(problem))}`);
    context.print(`  ${faint(printableLine(problem.remedy))}`);
  }
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  context.print(problems.length === 0 ? `${file}: no problems` : `${count} in ${file}`);
}

function noteProblem(context: VerbContext, problem: ConfigProblem): void {
  context.note(`${problem.severity}: ${printableLine(describeProblem(problem))}`);
  context.note(`  ${printableLine(problem.remedy)}`);
}

/** A single text as it is; a mapping as `key = value` lines. */
function linesOf(value: JsonValue, prefix: string): readonly string[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([name, item]) =>
      linesOf(item, prefix === '' ? name : `${prefix}.${name}`),
    );
  }
  const text = typeof value === 'string' && prefix === '' ? value : JSON.stringify(value);
  return [prefix === '' ? text : `${prefix} = ${text}`];
}
