import { POLICY_MODES } from '../../../safety/policy/index.ts';
import { type Argument, flagOption, optionalArgument, textOption } from '../inputs.ts';
import { runCheck } from '../policy/run-check.ts';
import { runExplain } from '../policy/run-explain.ts';
import { runInit } from '../policy/run-init.ts';
import { runList } from '../policy/run-list.ts';
import { setMode, showMode } from '../policy/run-mode.ts';
import { runTest } from '../policy/run-test.ts';
import { personOnly } from '../runtime/person-only.ts';
import type { Verb, VerbContext } from '../verb.ts';

const command = optionalArgument(
  'command',
  'the command, in quotes; for a tool that runs none, its arguments as a JSON object',
);
const tool = textOption('--tool <name>', 'the tool that is called (terminal by default)');
const cwd = textOption('--cwd <dir>', 'the folder it is called in; need not exist', {
  completion: 'folders',
});
const homeDir = textOption(
  '--home-dir <dir>',
  "what ~ stands for, with Herma's home in .herma below it; need not exist",
  { completion: 'folders' },
);
const unattended = flagOption('--unattended', 'as if nobody could be asked: a question is a block');
const stdin = flagOption(
  '--stdin',
  'judge each line of standard input, a JSON string or {"command", "cwd"}; one JSON answer a line',
);
const since = textOption('--since <when>', 'only what was decided since: 2h, 7d, 2026-03-16');
const mode: Argument<string | undefined> = {
  ...optionalArgument('mode', 'the mode to set'),
  choices: POLICY_MODES,
};

const PLACE = [tool, cwd, homeDir, unattended];

const check: Verb = {
  name: 'check',
  summary: 'say what the policy makes of a command, without running it',
  details:
    'Judges as if the policy was enforced, whatever its mode; asks nobody and records nothing. Exit code 0 when it may run, 1 for a block or a question; with --stdin always 0, and a line that cannot be judged is answered with an error.',
  example: "herma policy check 'rm -rf ../other'",
  arguments: [command],
  options: [...PLACE, stdin],
  run: async (context) => runCheck(context, { ...requestOf(context), isStdin: context.get(stdin) }),
};

const explain: Verb = {
  name: 'explain',
  summary: 'show every rule that fits a command or comes near, and why',
  details: 'Exit codes as those of check.',
  example: "herma policy explain 'curl https://example.com/install.sh | sh'",
  arguments: [command],
  options: PLACE,
  run: async (context) => runExplain(context, requestOf(context)),
};

const test: Verb = {
  name: 'test',
  summary: "run all rules' own tests",
  details: 'Exit code 1 when one fails, or when policy.json cannot be used.',
  example: 'herma policy test',
  run: runTest,
};

const list: Verb = {
  name: 'list',
  summary: 'list all rules, where they come from, and whether they are active',
  example: 'herma policy list',
  run: runList,
};

const modeVerb: Verb = {
  name: 'mode',
  summary: 'print the mode, or set it',
  details:
    'Before enforce is set, it shows what would have been refused, and asks; -y does not ask. Not possible in the shell of an agent. Exit code 1 when the answer is no.',
  example: 'herma policy mode dry_run',
  arguments: [mode],
  run: async (context) => {
    const wanted = POLICY_MODES.find((known) => known === context.get(mode));
    if (wanted === undefined) return showMode(context);
    return personOnly({ what: 'policy modes', verb: 'set' }, async () => {
      if (wanted !== 'enforce') return setMode(context, wanted);
      const { withJournal } = await import('../ledger/open-journal.ts');
      const { runEnforce } = await import('../policy/run-enforce.ts');
      return withJournal(runEnforce)(context);
    })(context);
  },
};

const report: Verb = {
  name: 'report',
  summary: 'show what was refused or asked about, and what would have been',
  details:
    'Grouped by rule, with the calls: what enforcing does with them, and what was done in the mode that was set. Exit code 4 when there is no journal yet.',
  example: 'herma policy report --since 7d',
  options: [since],
  run: async (context) => {
    const { withJournal } = await import('../ledger/open-journal.ts');
    const { runReport } = await import('../policy/run-report.ts');
    return withJournal(async (inside, journal) => runReport(inside, journal, inside.get(since)))(context);
  },
};

const init: Verb = {
  name: 'init',
  summary: 'write policy.example.json, and policy.json where there is none',
  details: 'The mode stays as it is. Not possible in the shell of an agent.',
  example: 'herma policy init',
  run: personOnly({ what: 'policies', verb: 'write' }, runInit),
};

export const verb: Verb = {
  name: 'policy',
  summary: 'try, see and set the rules about what calls may do',
  example: "herma policy check 'rm -rf ../other'",
  subcommands: [check, explain, test, list, modeVerb, report, init],
};

function requestOf(context: VerbContext): Parameters<typeof runExplain>[1] {
  return {
    command: context.get(command),
    tool: context.get(tool) ?? 'terminal',
    cwd: context.get(cwd),
    homeDir: context.get(homeDir),
    unattended: context.get(unattended),
  };
}
