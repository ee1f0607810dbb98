import { basename } from 'node:path';
import type { SearchPlace } from './consent-subject.ts';
import type { FileInspector } from './file-inspector.ts';
import { absolutePath, isTaken } from './find-program.ts';
import { isWrapper, programOf } from './program-of.ts';

/** Which file of a command is the one that decides what it does. */
export type ScriptChoice =
  /** `isProgram`: the system runs it itself, no word before it does. */
  | { readonly type: 'file'; readonly path: string; readonly isProgram: boolean }
  | { readonly type: 'missing'; readonly path: string };

const EXTENSION = /\.(sh|bash|zsh|fish|py|pyw|rb|pl|lua|js|mjs|cjs|ts)$/i;
/** Programs of which an argument says what to run. */
const INTERPRETER =
  /^(ba|da|z|k|mk|a|fi|c|tc)?sh$|^(python|pypy|ruby|perl|lua|luajit|php|node|nodejs|bun|deno|tsx|ts-node|Rscript|pwsh|osascript|busybox|uv)[\d.]*$/;
const OPTION_OR_ASSIGNMENT = /^-|^[A-Za-z_]\w*=/;
const TAKES_CODE = /^-[A-Za-z]*[ce]$|^--(eval|command|print)$|^-p$/;

/**
 * The script of a command, as Hermes chooses it: the first word with the extension of a script, else the first path, else the
 * program itself. Options and assignments (`A=/b`) are no scripts. A path that is handed to a program which runs no scripts, as
 * far as is known (`mylogger --to /var/log/x`, `curl http://…`), is data unless it can be executed; and so is code that happens
 * to have a slash in it (`bash -c '…'`): the program is then what is bound.
 */
export async function scriptOf(
  words: readonly string[],
  place: SearchPlace,
  inspector: FileInspector,
): Promise<ScriptChoice> {
  const [program = ''] = words;
  const index = chosenIndex(words);
  const chosen = words[index] ?? '';
  if (index > 0) {
    const path = absolutePath(place.cwd, chosen);
    const isScript = EXTENSION.test(chosen) || isLauncher(program);
    if (isTaken(path)) {
      if (isScript || (await isRunnable(path, inspector))) {
        const isProgram = isWrapper(program) && path === (await programOf(words, place, inspector));
        return { type: 'file', path, isProgram };
      }
    } else if (isScript && isPlainPath(chosen, words[index - 1] ?? '')) return { type: 'missing', path };
  }
  const path = await programOf(words, place, inspector);
  return path === undefined || !isTaken(path)
    ? { type: 'missing', path: path ?? program }
    : { type: 'file', path, isProgram: true };
}

function isLauncher(program: string): boolean {
  return isWrapper(program) || INTERPRETER.test(basename(program));
}

function chosenIndex(words: readonly string[]): number {
  const isWord = (word: string, index: number): boolean => index === 0 || !OPTION_OR_ASSIGNMENT.test(word);
  const byExtension = words.findIndex((word, index) => isWord(word, index) && EXTENSION.test(word));
  if (byExtension >= 0) return byExtension;
  const launches = isLauncher(words[0] ?? '');
  const byPath = words.findIndex(
    (word, index) => isWord(word, index) && word.includes('/') && !(index === 0 && launches),
  );
  return Math.max(byPath, 0);
}

async function isRunnable(path: string, inspector: FileInspector): Promise<boolean> {
  const seen = await inspector.look(path);
  return seen.ok && (seen.value.stat.mode & 0o111) !== 0;
}

/** Whether a word that names nothing is a path all the same, rather than code or an address. */
function isPlainPath(word: string, before: string): boolean {
  if (TAKES_CODE.test(before) || word.includes('://') || /[\n;|&<>$`"()]/.test(word)) return false;
  return /^\.{0,2}\//.test(word) || !/\s/.test(word);
}
