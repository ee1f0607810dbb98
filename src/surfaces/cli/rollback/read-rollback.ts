import { fail, type Result, succeed, suggest } from '../../../kernel/errors/index.ts';
import { printableLine } from '../output/printable.ts';
import type { RollbackCommand, RollbackFlags } from './rollback-command.ts';

/** The words of a command line, options taken out. */
export interface RollbackWords {
  /** `[N|id|diff N|undo] [FILE…]` */
  readonly words: readonly string[];
  readonly flags: RollbackFlags;
  /** How the command is called where it was typed, for what is said of it: `herma rollback`, `/rollback`. */
  readonly command: string;
}

type Read = Result<RollbackCommand, 'usage'>;

const NUMBER = /^[+-]?\d+$/;
/** A number of the list, or the beginning of an id. */
const REFERENCE = /^(?:[1-9]\d*|[0-9a-f]{4,40})$/i;
const MAX_SHOWN = 80;

/** What is asked for; `usage`, with the word that is wrong and what to type instead, when it is not clear. */
export function readRollback(given: RollbackWords): Read {
  const [first, ...rest] = given.words;
  const conflict = conflictOf(given);
  if (conflict !== undefined) return conflict;
  if (given.flags.call !== undefined) return readCall(given, given.flags.call);
  switch (first) {
    case undefined:
      return readList(given);
    case 'diff':
      return readDiff(given, rest);
    case 'undo':
      return readUndo(given, rest);
    default:
      return readRestore(given, first, rest);
  }
}

/** Options that exclude each other, or that have no meaning for what is asked. */
function conflictOf({ words: [first], flags, command }: RollbackWords): Read | undefined {
  if (flags.all && flags.exact)
    return usage('--all and --exact exclude each other', 'give one of them; --exact also deletes');
  if (flags.allCalls && (first === 'undo' || flags.call !== undefined))
    return usage('--all-calls is about the numbers of the list', `${command} --all-calls`);
  const [stray] = [
    ...(flags.all ? ['--all'] : []),
    ...(flags.exact ? ['--exact'] : []),
    ...(flags.includeAmbiguous ? ['--include-ambiguous'] : []),
    ...(flags.dryRun ? ['--dry-run'] : []),
  ];
  const isList = first === undefined && flags.call === undefined;
  if (flags.raw && first !== 'diff')
    return usage('--raw is about what a difference shows', `${command} diff N --raw`);
  if (stray !== undefined && (isList || first === 'diff')) {
    const what = isList ? 'the list' : 'diff';
    return usage(`${stray} means nothing to ${what}, which changes no file`, `${command} N ${stray}`);
  }
  return undefined;
}

function readList({ flags }: RollbackWords): Read {
  return succeed({ type: 'list', allCalls: flags.allCalls });
}

function readDiff({ command, flags }: RollbackWords, [ref, ...files]: readonly string[]): Read {
  if (ref === undefined)
    return usage('diff needs a checkpoint', `${command} diff 1 shows what changed since the newest`);
  const wrong = wrongReference(ref, command) ?? wrongFiles(files, { command: `${command} diff`, ref });
  return (
    wrong ?? succeed({ type: 'diff', ref, files, ...numbering(flags), ...(flags.raw ? { isRaw: true } : {}) })
  );
}

function readUndo({ flags, command }: RollbackWords, [extra]: readonly string[]): Read {
  if (extra !== undefined)
    return usage(`undo takes back the last restore, and no ${shown(extra)}`, `${command} undo`);
  if (flags.exact || flags.includeAmbiguous)
    return usage(
      `undo takes no ${flags.exact ? '--exact' : '--include-ambiguous'}`,
      `${command} undo, or ${command} undo --all`,
    );
  return succeed({ type: 'undo', mode: flags.all ? 'all' : 'agent', isDryRun: flags.dryRun });
}

function readRestore(given: RollbackWords, ref: string, files: readonly string[]): Read {
  const { command, flags } = given;
  const wrong = wrongReference(ref, command) ?? wrongFiles(files, { command, ref });
  if (wrong !== undefined) return wrong;
  if (flags.exact && files.length > 0)
    return usage(
      `--exact is about the whole tree, and ${shown(files[0] ?? '')} names a part of it`,
      'leave one of them out',
    );
  return succeed(restoreOf(given, { ref }, files));
}

function readCall(given: RollbackWords, callId: string): Read {
  const { words, flags, command } = given;
  const [first = ''] = words;
  if (first === 'diff' || first === 'undo' || NUMBER.test(first))
    return usage(`--call names what to take back, and so does ${shown(first)}`, 'give one of them');
  if (flags.exact) return usage('--exact and --call exclude each other', `${command} --call ID`);
  return wrongFiles(words, { command, ref: '--call ID' }) ?? succeed(restoreOf(given, { callId }, words));
}

function restoreOf(
  { flags }: RollbackWords,
  target: { readonly ref: string } | { readonly callId: string },
  files: readonly string[],
): RollbackCommand {
  const { all, exact, includeAmbiguous, dryRun } = flags;
  const mode = exact ? 'exact' : all ? 'all' : 'agent';
  return {
    type: 'restore',
    target,
    files,
    mode,
    includeAmbiguous,
    isDryRun: dryRun,
    ...numbering(flags),
  };
}

/** Which list the numbers are of. */
function numbering({ allCalls }: RollbackFlags): { readonly allCalls?: true } {
  return allCalls ? { allCalls: true } : {};
}

function wrongReference(ref: string, command: string): Read | undefined {
  if (REFERENCE.test(ref)) return undefined;
  if (NUMBER.test(ref))
    return usage(`there is no checkpoint ${shown(ref)}`, `1 is the newest; ${command} lists them`);
  const near = suggest(ref, ['diff', 'undo']);
  const meant = near === undefined ? '' : `did you mean ${near}? `;
  return usage(
    `${shown(ref)} is neither a checkpoint nor diff nor undo`,
    `${meant}${command} lists the checkpoints, ${command} N FILE restores a file`,
  );
}

function wrongFiles(
  files: readonly string[],
  { command, ref }: { readonly command: string; readonly ref: string },
): Read | undefined {
  if (files.some((file) => file === '' || file.includes('\0')))
    return usage('the name of a file is empty, or has a NUL in it', `${command} ${ref} FILE`);
  const [first = ''] = files;
  if (!NUMBER.test(first)) return undefined;
  return usage(
    `one checkpoint at a time, and ${shown(first)} looks like another`,
    `for a file of that name: ${command} ${ref} ./${first}`,
  );
}

function shown(word: string): string {
  const text = word.length > MAX_SHOWN ? `${word.slice(0, MAX_SHOWN).toWellFormed()}…` : word;
  return JSON.stringify(printableLine(text));
}

function usage(message: string, remedy: string): Read {
  return fail('usage', message, remedy);
}
