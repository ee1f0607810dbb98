import { COMMAND_CLASSES, type CommandClass, USUAL_VERDICTS } from '../../../shell/index.ts';
import { BUILTIN_TESTS } from './builtin-tests.ts';
import { CLASS_TEXTS, classMessage } from './class-texts.ts';
import type { PolicyRule, RuleExample, Taint } from './policy-rule.ts';
import { FLOOR_PREFIX } from './read-policy.ts';

const DISASTERS: readonly CommandClass[] = [
  'delete-root',
  'delete-home',
  'delete-system',
  'device',
  'fork-bomb',
  'kill-all',
  'power',
];

/** How many calls a taint lasts. */
const TAINT_CALLS = 20;

/**
 * The rules that no rule, no mode and no answer of a person lifts. Without `disasters` (for a container that is thrown away) only
 * the one that keeps the agent from changing Herma itself is left.
 */
export function floorRules({ disasters }: { readonly disasters: boolean }): readonly PolicyRule[] {
  const classes: readonly CommandClass[] = disasters ? [...DISASTERS, 'self-tamper'] : ['self-tamper'];
  return classes.map((name) => ({
    ...classRule(name, 'block'),
    id: `${FLOOR_PREFIX}${name}`,
    severity: 'critical',
  }));
}

/** The rules in force where no file says otherwise: one for every class of danger, and two for dangers in two steps. */
export const BUILTIN_RULES: readonly PolicyRule[] = [
  ...COMMAND_CLASSES.flatMap((name) => {
    const usual = USUAL_VERDICTS[name];
    return usual === 'allow' ? [] : [classRule(name, usual)];
  }),
  taintRule(
    'downloaded-run',
    'downloaded-then-run',
    'It runs a file that an earlier call downloaded. Read the file first and tell the person what it does.',
  ),
  taintRule(
    'secret-sent',
    'secret-then-sent',
    'An earlier call read or moved a secret, and this one can send it away. Say what is sent and where to.',
  ),
];

function classRule(name: CommandClass, decision: 'ask' | 'block'): PolicyRule {
  const { hit, miss } = BUILTIN_TESTS[name];
  return {
    id: name,
    severity: CLASS_TEXTS[name].severity,
    decision,
    tools: ['*'],
    when: [{ kind: 'shell.class', classes: [name] }],
    where: undefined,
    message: classMessage(name),
    tests: { hit: hit.map((text) => series(text)), miss: miss.map((text) => series(text)) },
  };
}

function taintRule(taint: Exclude<Taint, 'written-run'>, id: string, message: string): PolicyRule {
  const { hit, miss } = BUILTIN_TESTS[taint];
  return {
    id,
    severity: 'high',
    decision: 'ask',
    tools: ['*'],
    when: [{ kind: 'sequence', within: TAINT_CALLS, after: { taints: [taint] } }],
    where: undefined,
    message,
    tests: { hit: hit.map((texts) => series(...texts)), miss: miss.map((texts) => series(...texts)) },
  };
}

function series(...commands: readonly string[]): RuleExample {
  return {
    text: commands.join(' ⏎ '),
    calls: commands.map((command) => ({ tool: 'terminal', args: { command }, unattended: false })),
  };
}
