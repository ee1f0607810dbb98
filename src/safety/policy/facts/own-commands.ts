import {
  COMMAND_CLASSES,
  type CommandAnalysis,
  type CommandFinding,
  type ProgramRun,
} from '../../../shell/index.ts';

/** Commands of Herma that are for a person: they change what the agent may do, or what is known of it. */
const FOR_A_PERSON: ReadonlyMap<string, readonly string[]> = new Map([
  ['policy', ['mode', 'init']],
  ['config', ['set', 'unset', 'edit']],
  ['hooks', ['approve', 'revoke']],
  ['approvals', ['revoke', 'clear']],
  ['plugins', ['enable', 'disable', 'install', 'remove']],
  ['ledger', ['prune', 'ack']],
]);
/** These do nothing without a further word but show what is set. */
const SHOWS_ALONE = ['mode'];
const RUNNERS = ['node', 'npx', 'bunx', 'pnpx', 'bun', 'deno', 'npm', 'pnpm', 'yarn', 'tsx'];
const OWN_PROGRAM = /(?:^|\/)herma(?:\.m?js)?$/;

/** The findings of a command, with what it would change through Herma's own program. */
export function withOwnCommands({ findings, programs }: CommandAnalysis): readonly CommandFinding[] {
  const own = programs.flatMap((program) => (isForAPerson(program) ? [findingOf(program)] : []));
  if (own.length === 0) return findings;
  return [...findings, ...own].sort(
    (a, b) => COMMAND_CLASSES.indexOf(a.class) - COMMAND_CLASSES.indexOf(b.class),
  );
}

function isForAPerson({ argv }: ProgramRun): boolean {
  const words = argv.map((word) => word ?? '');
  const at = words.findIndex((word) => OWN_PROGRAM.test(word));
  if (at < 0 || (at > 0 && !RUNNERS.includes(words[0] ?? ''))) return false;
  const plain = words.slice(at + 1).filter((word) => !word.startsWith('-'));
  return plain.some((noun, index) => {
    const verb = plain[index + 1] ?? '';
    if (FOR_A_PERSON.get(noun)?.includes(verb) !== true) return false;
    return !SHOWS_ALONE.includes(verb) || plain.length > index + 2;
  });
}

function findingOf({ argv }: ProgramRun): CommandFinding {
  const evidence = argv.map((word) => word ?? '…').join(' ');
  return { class: 'self-tamper', evidence: evidence.slice(0, 200).toWellFormed(), targets: [] };
}
