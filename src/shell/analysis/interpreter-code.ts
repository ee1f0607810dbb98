import type { CommandClass } from './command-analysis.ts';

/** Something that a piece of Python, JavaScript, Perl, Ruby or PHP does, as far as its text shows. */
export interface CodeAction {
  readonly type: 'run' | 'remove' | 'finding' | 'path' | 'host';
  /** The command, the path or the address, when `isKnown`. */
  readonly text: string;
  /** A command that is given as a list. */
  readonly argv?: readonly string[];
  readonly isKnown: boolean;
  readonly isTree?: boolean;
  readonly found?: CommandClass;
  /** The code also changes files. */
  readonly writes?: boolean;
}

const RUNS =
  /\b(?:os\.system|os\.popen|os\.(?:exec|spawn|posix_spawn)[lvpe]{0,3}(?=\s*\()|subprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)|pty\.spawn|commands\.getoutput|(?:execSync|execFileSync|spawnSync|execFile)|(?:child_process|cp|require\([^)\n]{0,40}\))\.(?:exec|spawn|fork)(?:File)?(?:Sync)?|Bun\.spawn(?:Sync)?|Deno\.(?:run|Command)|shell_exec|passthru|proc_open|popen|Open3\.\w+|IO\.popen|Kernel\.(?:system|exec|spawn)|io\.popen|os\.execute)\s*\(?|\)\.(?:system|popen)\s*\(|(?<![\w.$>:])(?:system|exec|spawn)\s*(?:\(|(?=['"[]))|(?<![\w.])(?:qx|%x)\s*(?=[({[/|!])|`(?=[^`\n]+`)/g;
const REMOVES =
  /\b(shutil\.rmtree|os\.(?:remove|unlink|rmdir|removedirs)|(?:fs|fsp|fsPromises|promises|require\([^)\n]{0,40}\)(?:\.promises)?)\.(?:rmSync|rm|rmdirSync|rmdir|unlinkSync|unlink)|fs\.remove(?:Sync)?|rimraf(?:\.sync)?|FileUtils\.(?:rm_rf|rm_r|rm|remove_dir|remove_entry(?:_secure)?|rmtree)|Deno\.remove(?:Sync)?|File\.(?:delete|unlink)|Dir\.(?:delete|rmdir))\s*\(?|(?<![\w.$>:])(rmtree|remove_tree|rmSync|unlink|rmdir)\s*(?:glob\s*)?(?:\(|(?=['"]))/g;
/** Functions of Python's subprocess under another name of it. */
const ALIASED =
  /(?<![\w.])(?:\w+\.)?(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)\s*\(/g;
/** A person's home, in the words of each language. */
const HOME =
  /^(?:process\.env\.HOME|os\.homedir\(\)|require\([^)\n]{0,12}\)\.homedir\(\)|(?:pathlib\.)?Path\.home\(\)|ENV\[['"]HOME['"]\]|\$ENV\{HOME\}|os\.environ\[['"]HOME['"]\]|Dir\.home)\s*[),]/;
const TREES =
  /rmtree|rm_rf|rm_r|remove_dir|remove_entry|remove_tree|rimraf|fs\.remove|rmSync|\.rm\b|removedirs|Deno\.remove/;
const STRING = /"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`\\$]*)`/y;
const STRINGS = /"((?:[^"\\\n]|\\.){1,500})"|'((?:[^'\\\n]|\\.){1,500})'|`([^`\\$]{1,500})`/g;
const WRITES =
  /open\s*\([^)]{0,200},\s*['"][wax+]|\.write|unlink|remove|rmtree|rename|rmSync|sqlite3|connect\s*\(|truncate|copy|symlink/;
const MAX_ACTIONS = 200;

const SHAPES: readonly (readonly [RegExp, CommandClass])[] = [
  [
    /\b(?:exec|eval|Function)\s*\(?[^\n]{0,300}(?:urlopen|requests\.get|urllib|https?\.get|fetch\s*\(|open-uri|file_get_contents\s*\(\s*['"]https?:|LWP::Simple|Net::HTTP)/,
    'pipe-to-shell',
  ],
  [
    /\b(?:exec|eval)\s*\(?[^\n]{0,300}(?:b64decode|base64_decode|decode64|atob\s*\(|fromhex|unhexlify|['"]base64['"]|codecs\.decode|gzinflate|zlib\.decompress|marshal\.loads)/,
    'decode-exec',
  ],
  [/\bsocket\b[^]{0,2000}(?:dup2|pty\.spawn|subprocess|\/bin\/(?:ba|z)?sh)/, 'reverse-shell'],
  [
    /\bnet\b[^]{0,500}(?:connect|Socket)[^]{0,1000}(?:spawn|exec)[^]{0,300}(?:pipe|stdin)|child_process[^]{0,1000}\bnet\b[^]{0,300}(?:connect|Socket)[^]{0,500}pipe/,
    'reverse-shell',
  ],
  [/(?:use Socket|IO::Socket)[^]{0,1500}(?:exec|system|open\s*\(\s*STDIN)/, 'reverse-shell'],
  [/TCPSocket[^]{0,500}(?:exec|spawn|popen|sh -i)/, 'reverse-shell'],
  [/fsockopen[^]{0,500}(?:exec|proc_open|popen|sh -i)/, 'reverse-shell'],
];

/** Those in which no text in quotes matters. */
const BARE_SHAPES: readonly (readonly [RegExp, CommandClass])[] = [
  [
    /while[^\n]{0,80}[\n:({]\s*(?:os\.)?fork\b|\bfork\s+while\s+(?:fork|1|true)\b|loop\s*\{\s*fork/,
    'fork-bomb',
  ],
  [
    /os\.kill\s*\(\s*-1\s*,|\bkill\s*\(?\s*(?:9|['"]\w{3,7}['"])\s*(?:,|=>)\s*-1\b|process\.kill\s*\(\s*-1\b/,
    'kill-all',
  ],
];

/** Finds in the text of a program what runs commands, removes files or names paths. It is a search, no reading of the language. */
export function readCode(name: string, code: string): CodeAction[] {
  const actions: CodeAction[] = [];
  const text = code.length > 65_536 ? code.slice(0, 65_536) : code;
  const masked = maskStrings(text);
  for (const [shape, found] of SHAPES)
    if (shape.test(text)) actions.push({ type: 'finding', text: '', isKnown: true, found });
  for (const [shape, found] of BARE_SHAPES)
    if (shape.test(masked)) actions.push({ type: 'finding', text: '', isKnown: true, found });
  for (const match of masked.matchAll(RUNS)) if (runsIn(name, match[0])) actions.push(runAction(text, match));
  if (/\bsubprocess\b/.test(masked))
    for (const match of masked.matchAll(ALIASED)) actions.push(runAction(text, match));
  for (const match of masked.matchAll(REMOVES)) actions.push(removeAction(text, match));
  const writes = WRITES.test(text);
  for (const match of text.matchAll(STRINGS)) {
    const value = match[1] ?? match[2] ?? match[3] ?? '';
    if (/^(?:https?|ftp|wss?):\/\//.test(value)) actions.push({ type: 'host', text: value, isKnown: true });
    else if (/[/.]|^id_/.test(value) && !/[\s;|<>]/.test(value))
      actions.push({ type: 'path', text: value, isKnown: true, writes });
  }
  return actions.slice(0, MAX_ACTIONS);
}

/** The same text with other letters in place of what stands in quotes, so that it is not taken for code. */
function maskStrings(text: string): string {
  return text.replaceAll(
    STRINGS,
    (whole) => `${whole.charAt(0)}${'_'.repeat(whole.length - 2)}${whole.charAt(whole.length - 1)}`,
  );
}

/** Quotes that run what is in them are of some languages only, and in others `exec` takes code of the language. */
function runsIn(name: string, word: string): boolean {
  const isOwn = /^(?:perl|ruby|php)/.test(name);
  if (/^(?:`|qx|%x)/.test(word)) return isOwn;
  return (
    isOwn ||
    !/^(?:exec|spawn)/.test(word) ||
    /^(?:node|bun|deno|lua|tsx|ts-node)/.test(name) ||
    /^(?:execSync|execFile|spawnSync)/.test(word)
  );
}

function runAction(code: string, match: RegExpExecArray): CodeAction {
  const at = match.index + match[0].length;
  if (match[0] === '`') return literalRun(code.slice(at, code.indexOf('`', at)));
  if (/^(?:qx|%x)/.test(match[0])) return delimitedRun(code, at);
  const start = skipSpace(code, at);
  if (code.charAt(start) === '[' || /spawn|execFile|exec[lvpe]/.test(match[0])) return listRun(code, start);
  const value = readText(code, start);
  if (value === undefined) return { type: 'run', text: '', isKnown: false };
  return /^\s*,/.test(code.slice(value.end, value.end + 20)) && /^(?:system|exec)/.test(match[0])
    ? listRun(code, start)
    : literalRun(value.text);
}

function literalRun(text: string): CodeAction {
  return { type: 'run', text, isKnown: true };
}

function delimitedRun(code: string, at: number): CodeAction {
  const opening = code.charAt(at);
  const closing = new Map([
    ['(', ')'],
    ['{', '}'],
    ['[', ']'],
  ]).get(opening);
  const end = code.indexOf(closing ?? opening, at + 1);
  return end === -1 ? { type: 'run', text: '', isKnown: false } : literalRun(code.slice(at + 1, end));
}

/** A command as a list of texts, in brackets or as arguments one after the other. */
function listRun(code: string, from: number): CodeAction {
  const argv: string[] = [];
  let at = from;
  for (let count = 0; count < 50; count += 1) {
    while (/[\s,[]/.test(code.charAt(at)) && at < code.length) at += 1;
    const value = readText(code, at);
    if (value === undefined) break;
    argv.push(value.text);
    at = value.end;
  }
  const rest = code.slice(at, at + 20);
  const isWhole = /^\s*(?:[\])]|$|;|,\s*\{|,\s*\w+\s*=)/.test(rest);
  const isKnown = argv.length > 0 && isWhole;
  // A single text is run by a shell by most of them.
  const [only] = argv;
  if (argv.length === 1 && only !== undefined && isKnown && /\s/.test(only)) return literalRun(only);
  return isKnown
    ? { type: 'run', text: argv.join(' '), argv, isKnown }
    : { type: 'run', text: '', isKnown: false };
}

function removeAction(code: string, match: RegExpExecArray): CodeAction {
  const start = skipSpace(code, match.index + match[0].length);
  const isHome = HOME.test(code.slice(start, start + 60));
  const value = isHome ? { text: '~', end: code.indexOf(')', start) } : readText(code, start);
  const isTree = TREES.test(match[0]);
  const rest = value === undefined ? '' : code.slice(value.end, value.end + 3);
  // What follows the text must not change it.
  if (value === undefined || (!isHome && !/^\s*(?:[),;\]]|$)/.test(rest)))
    return { type: 'remove', text: '', isKnown: false, isTree };
  return { type: 'remove', text: value.text, isKnown: true, isTree };
}

function skipSpace(code: string, from: number): number {
  let at = from;
  while (/[\s(]/.test(code.charAt(at)) && at < code.length) at += 1;
  return at;
}

/** One text, or several that are put together with `+`. */
function readText(code: string, from: number): { readonly text: string; readonly end: number } | undefined {
  let text = '';
  let at = from;
  for (let count = 0; count < 50; count += 1) {
    const prefix =
      /^(?:[rub]{1,2}(?=['"])|(?:os\.path\.|path\.)?expanduser\(\s*|(?:pathlib\.)?Path\(\s*)/.exec(
        code.slice(at, at + 30),
      );
    STRING.lastIndex = at + (prefix?.[0].length ?? 0);
    const match = STRING.exec(code);
    if (match === null) return undefined;
    text += (match[1] ?? match[2] ?? match[3] ?? '').replaceAll(
      /\\(x[0-9a-fA-F]{2}|.)/gs,
      (_whole, letter: string) => unescapeLetter(letter),
    );
    at = STRING.lastIndex + (prefix?.[0].includes('(') === true ? 1 : 0);
    const plus = /^\s*[+.]\s*(?=['"`])/.exec(code.slice(at, at + 20));
    if (plus === null) return { text, end: at };
    at += plus[0].length;
  }
  return undefined;
}

function unescapeLetter(letter: string): string {
  if (letter.startsWith('x') && letter.length === 3)
    return String.fromCharCode(Number.parseInt(letter.slice(1), 16));
  return letter === 'n' ? '\n' : letter === 't' ? '\t' : letter;
}
