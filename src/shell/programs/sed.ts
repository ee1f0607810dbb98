import { type Argument, literalArgument } from './argument.ts';

/** What one call of sed is, when all of it is understood. */
interface SedCall {
  readonly files: readonly string[];
  /** The ending of the copies it keeps; empty when it keeps none; `undefined` when it does not edit files. */
  readonly inPlace: string | undefined;
}

const QUIET_NAMES = ['--quiet', '--silent', '--regexp-extended', '--separate', '--null-data', '--unbuffered'];
const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n[]|\\.)*/I?)`;
const BEFORE = new RegExp(`^[\\s;]*(?:${ADDRESS}(?:\\s*,\\s*[+~]?${ADDRESS})?)?\\s*!?\\s*`);

/**
 * Reads the words behind `sed`. Its script can write files and run commands, so only printing, deleting, quitting and plain
 * substitutions are understood; `undefined` for anything else.
 */
function readSed(args: readonly Argument[]): SedCall | undefined {
  const scripts: string[] = [];
  const operands: string[] = [];
  let inPlace: string | undefined;
  for (let index = 0; index < args.length; index += 1) {
    const text = args[index]?.value;
    if (text === undefined) return undefined;
    if (text === '-' || !text.startsWith('-')) {
      operands.push(text);
      continue;
    }
    const option = readOption(text);
    if (option === undefined) return undefined;
    inPlace = option.inPlace ?? inPlace;
    if (option.script !== undefined) scripts.push(option.script);
    if (!option.takesScript) continue;
    index += 1;
    const script = args[index]?.value;
    if (script === undefined) return undefined;
    scripts.push(script);
  }
  const files = scripts.length === 0 ? operands.slice(1) : operands;
  const script = scripts.length === 0 ? operands[0] : scripts.join('\n');
  return script !== undefined && isHarmlessScript(script) ? { files, inPlace } : undefined;
}

interface SedOption {
  readonly inPlace?: string;
  readonly script?: string;
  readonly takesScript?: boolean;
}

function readOption(text: string): SedOption | undefined {
  if (QUIET_NAMES.includes(text)) return {};
  if (text === '--in-place') return { inPlace: '' };
  if (text.startsWith('--in-place=')) return { inPlace: text.slice('--in-place='.length) };
  if (text.startsWith('--expression=')) return { script: text.slice('--expression='.length) };
  const letters = /^-([nErsuz]*)(?:(e)|i(.*))?$/s.exec(text);
  if (letters === null) return undefined;
  const [, , takesScript, ending] = letters;
  if (takesScript !== undefined) return { takesScript: true };
  return ending === undefined ? {} : { inPlace: ending };
}

function isHarmlessScript(script: string): boolean {
  let rest = script;
  while (/[^\s;]/.test(rest)) {
    rest = rest.slice(BEFORE.exec(rest)?.[0].length ?? 0);
    const end = rest.startsWith('s') ? substitutionLength(rest) : (/^[pdq=]/.exec(rest)?.[0].length ?? 0);
    if (end === 0) return false;
    rest = rest.slice(end);
    if (!/^\s*(?:[;\n]|$)/.test(rest)) return false;
  }
  return true;
}

/** How long the `s` command is, 0 when it is not plain. */
function substitutionLength(text: string): number {
  const delimiter = text.charAt(1);
  if (!/^[/|,#@:%!]$/.test(delimiter)) return 0;
  const pattern = segmentLength(text, 2, delimiter);
  // Versions differ on whether a delimiter inside brackets ends the pattern.
  if (pattern === 0 || (/\[/.test(text.slice(2, pattern)) && !closesBrackets(text.slice(2, pattern - 1))))
    return 0;
  const replacement = segmentLength(text, pattern, delimiter);
  if (replacement === 0) return 0;
  return replacement + (/^[gpiIm0-9]*/.exec(text.slice(replacement))?.[0].length ?? 0);
}

function closesBrackets(pattern: string): boolean {
  return /^(?:[^[\\]|\\.|\[\^?[^\][\\]+\])*$/s.test(pattern);
}

/** The index behind the next delimiter that is not escaped, 0 when there is none on this line. */
function segmentLength(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === delimiter) return at + 1;
    if (letter === '\n') return 0;
    if (letter === '\\') at += 1;
  }
  return 0;
}

/** What `sed -i` changes: the files and the copies it keeps. `undefined` when their names are not certain. */
function filesOfSed({ files, inPlace }: SedCall): readonly string[] | undefined {
  if (inPlace === undefined) return [];
  if (/[*/]/.test(inPlace)) return undefined;
  return inPlace === '' ? files : files.flatMap((file) => [file, `${file}${inPlace}`]);
}

export function readsOnlyWithSed(args: readonly Argument[]): boolean {
  const call = readSed(args);
  return call !== undefined && call.inPlace === undefined;
}

/** The files a call changes; `undefined` when that is not certain. */
export function writesWithSed(args: readonly string[]): readonly string[] | undefined {
  const call = readSed(args.map(literalArgument));
  return call === undefined ? undefined : filesOfSed(call);
}
