import type { Call, Handler } from './analysis.ts';
import { type Content, concatenate, DECODED, mergeTraits, PRINTED } from './content.ts';
import { type Field, showFields } from './field.ts';
import { readFile, writeFile } from './files-touched.ts';
import {
  hasOption,
  optionValues,
  type ReadArguments,
  readArguments,
  type ValuedOptions,
} from './read-arguments.ts';
import { addFinding } from './report.ts';

/** How a program that shows what its files hold takes its arguments. */
interface Reader extends ValuedOptions {
  /** Operands in front of the files: a pattern, a script. */
  readonly skips?: number;
  /** Options that take their place. */
  readonly instead?: readonly string[];
  /** Options whose value is a file that is read. */
  readonly fileOptions?: readonly string[];
  /** Goes through directories. */
  readonly isTree?: boolean;
  /** What it prints are lines of what it read. */
  readonly keepsLines?: boolean;
  readonly decodes?: (read: ReadArguments) => boolean;
}

const GREP: Reader = {
  letters: 'efmABCDd',
  names: [
    'regexp',
    'file',
    'max-count',
    'include',
    'exclude',
    'exclude-dir',
    'after-context',
    'before-context',
    'context',
  ],
  skips: 1,
  instead: ['e', 'f', 'regexp', 'file'],
  fileOptions: ['f', 'file'],
  isTree: true,
  keepsLines: true,
};
const RG: Reader = {
  ...GREP,
  letters: 'efmABCgtTjMrE',
  names: [...(GREP.names ?? []), 'glob', 'type', 'iglob', 'files-with-matches'],
};
const decodesWith =
  (...names: readonly string[]) =>
  (read: ReadArguments): boolean =>
    hasOption(read, ...names);
const always = (): boolean => true;
const UNZIP = { decodes: always } satisfies Reader;
const ZIP = { letters: '', decodes: decodesWith('d', 'decompress', 'uncompress') } satisfies Reader;
const BASE = {
  letters: 'wi',
  names: ['wrap', 'input', 'output'],
  fileOptions: ['i', 'input'],
  decodes: decodesWith('d', 'D', 'decode'),
} satisfies Reader;

const READERS = new Map<string, Reader>([
  ['cat', { keepsLines: true }],
  ['tac', { keepsLines: true }],
  ['bat', { letters: 'lHr', names: ['language', 'style', 'theme', 'line-range'] }],
  ['batcat', { letters: 'lHr', names: ['language', 'style', 'theme', 'line-range'] }],
  ['nl', { letters: 'bdfhilnpsvw' }],
  ['head', { letters: 'nc', names: ['lines', 'bytes'], keepsLines: true }],
  ['tail', { letters: 'ncs', names: ['lines', 'bytes', 'pid', 'sleep-interval'], keepsLines: true }],
  [
    'sort',
    {
      letters: 'koStT',
      names: ['key', 'output', 'buffer-size', 'field-separator', 'temporary-directory', 'compress-program'],
      keepsLines: true,
    },
  ],
  ['uniq', { letters: 'fsw', keepsLines: true }],
  ['shuf', { letters: 'nior', keepsLines: true }],
  ['grep', GREP],
  ['egrep', GREP],
  ['fgrep', GREP],
  ['zgrep', GREP],
  ['rg', RG],
  ['ag', RG],
  ['ack', RG],
  [
    'sed',
    {
      letters: 'efl',
      names: ['expression', 'file', 'line-length'],
      skips: 1,
      instead: ['e', 'f', 'expression', 'file'],
    },
  ],
  ['awk', { letters: 'vfF', names: ['assign', 'file', 'field-separator'], skips: 1, instead: ['f', 'file'] }],
  ['cut', { letters: 'bcdf', names: ['bytes', 'characters', 'delimiter', 'fields', 'output-delimiter'] }],
  ['jq', { letters: 'fL', names: ['indent', 'from-file'], skips: 1, instead: ['f', 'from-file'] }],
  ['yq', { skips: 1 }],
  ['strings', { letters: 'net' }],
  ['od', { letters: 'AjNtwS' }],
  ['hexdump', { letters: 'efns' }],
  ['hd', { letters: 'ns' }],
  ['xxd', { letters: 'cglosR', decodes: decodesWith('r', 'revert') }],
  ['base64', BASE],
  ['base32', BASE],
  ['basenc', BASE],
  ['uudecode', UNZIP],
  ['gunzip', UNZIP],
  ['zcat', UNZIP],
  ['bunzip2', UNZIP],
  ['bzcat', UNZIP],
  ['xzcat', UNZIP],
  ['unxz', UNZIP],
  ['zstdcat', UNZIP],
  ['unzstd', UNZIP],
  ['gzip', ZIP],
  ['bzip2', ZIP],
  ['xz', { ...ZIP, letters: 'TSM' }],
  ['zstd', { ...ZIP, letters: 'oTM' }],
  ['lz4', ZIP],
  ['brotli', { ...ZIP, letters: 'oqw' }],
  ['rev', { decodes: always }],
  ['iconv', { letters: 'fto', decodes: always }],
  ['less', { letters: 'pPtTbhjkoOxyz' }],
  ['more', {}],
  ['view', {}],
  ['vi', { letters: 'cS' }],
  ['vim', { letters: 'cS' }],
  ['nano', {}],
  ['emacs', {}],
  ['ed', {}],
  ['diff', { letters: 'UCxILWF', names: ['exclude', 'ignore-matching-lines', 'label'], isTree: true }],
  ['cmp', {}],
  ['comm', {}],
  ['paste', { letters: 'd' }],
  ['join', { letters: '12aejotv' }],
  ['fold', { letters: 'w' }],
  ['fmt', { letters: 'w' }],
  ['column', { letters: 'stoNRHTEOWcd' }],
  ['pr', { letters: 'hlow' }],
  ['expand', { letters: 't' }],
  ['look', { skips: 1 }],
  ['split', { letters: 'abCln' }],
  ['csplit', { letters: 'bfn' }],
  ['qrencode', { letters: 'or', fileOptions: ['r'] }],
  ['sponge', {}],
  ['pv', { letters: 'LsiNwH', keepsLines: true }],
  ['sqlite3', { names: ['cmd', 'init', 'separator'], hasLongNames: true, skips: 0 }],
  ['pbcopy', {}],
  [
    'xclip',
    { letters: 'i', names: ['selection', 'sel', 'in'], hasLongNames: true, fileOptions: ['in', 'i'] },
  ],
  ['source-highlight', { letters: 'isof' }],
  ['pygmentize', { letters: 'lfoO' }],
  ['highlight', { letters: 'SOo' }],
]);

for (const name of ['gawk', 'mawk', 'nawk']) READERS.set(name, READERS.get('awk') ?? {});

/** What is printed by a program that goes through files, or through its input when there are none. */
export const readFiles: Handler = (call) => {
  const reader = READERS.get(call.name) ?? {};
  const read = readArguments(call.args, reader);
  const replaced = read.options.some(({ name }) => reader.instead?.includes(name) === true);
  const files = read.operands.slice(replaced ? 0 : (reader.skips ?? 0));
  const named = reader.fileOptions === undefined ? [] : optionValues(read, ...reader.fileOptions);
  const contents = [...named, ...files].map((file) => readOne(file, reader, read, call));
  const source = files.length === 0 ? call.state.input : concatenate(contents);
  const isSame =
    contents.length <= 1 && read.options.length === 0 && (call.name === 'cat' || call.name === 'pv');
  writeOutputs(read, call);
  return filtered(
    isSame ? source : withoutText([source, ...contents].reduce(mergeTraits), source),
    reader,
    read,
  );
};

function readOne(
  file: Field,
  reader: Reader,
  read: ReadArguments,
  { command, state, analysis }: Call,
): Content {
  if (file.text === '-') return state.input;
  const isTree = reader.isTree === true && hasOption(read, 'r', 'R', 'recursive', 'dereference-recursive');
  return readFile(
    file,
    { evidence: showFields(command), isTree: isTree || reader.isTree === true },
    state,
    analysis,
  );
}

function withoutText(content: Content, { text, names }: Content): Content {
  const isEmpty = text === '';
  return isEmpty
    ? content
    : {
        ...content,
        text: undefined,
        pattern: '*',
        isDynamic: true,
        file: undefined,
        names,
        isLocal: true,
        choices: [],
      };
}

function filtered(content: Content, reader: Reader, read: ReadArguments): Content {
  const isDecoded = reader.decodes?.(read) === true;
  if (isDecoded && content.origin === 'here') return { ...mergeTraits(DECODED, content), file: undefined };
  return reader.keepsLines === true ? content : { ...content, names: undefined };
}

function writeOutputs(read: ReadArguments, { name, command, state, analysis }: Call): void {
  const option = name === 'sort' ? ['o', 'output'] : name === 'iconv' ? ['o'] : [];
  for (const file of optionValues(read, ...option))
    writeFile(file, { evidence: showFields(command) }, state, analysis);
  const [, output] = read.operands;
  if ((name === 'uniq' || name === 'xxd') && output !== undefined)
    writeFile(output, { evidence: showFields(command) }, state, analysis);
  if (name === 'sed' && read.options.some(({ name: letter }) => letter === 'i' || letter === 'in-place'))
    for (const file of read.operands.slice(
      read.options.some(({ name: letter }) => letter === 'e' || letter === 'f') ? 0 : 1,
    ))
      writeFile(file, { evidence: showFields(command) }, state, analysis);
  if (name === 'sqlite3')
    for (const file of read.operands.slice(0, 1)) changeDatabase(file, read, { command, state, analysis });
  if (/^(?:vi|vim|nano|emacs|ed)$/.test(name))
    for (const file of read.operands) writeFile(file, { evidence: showFields(command) }, state, analysis);
}

function changeDatabase(
  file: Field,
  read: ReadArguments,
  { command, state, analysis }: Pick<Call, 'command' | 'state' | 'analysis'>,
): void {
  const statements = read.operands.slice(1);
  const reads =
    statements.length > 0 &&
    statements.every(({ text }) =>
      /^\s*(?:select|explain|\.(?:tables|schema|dump|indexes))/i.test(text ?? ''),
    );
  if (!reads && !hasOption(read, 'readonly'))
    writeFile(file, { evidence: showFields(command) }, state, analysis);
}

/** Each letter for another one: a text that it makes is as good as encoded. */
const tr: Handler = ({ args, state }) => {
  const read = readArguments(args);
  const { input } = state;
  if (input.text === '') return PRINTED;
  const isPlain =
    hasOption(read, 'd', 's', 'c') ||
    read.operands.every(
      ({ text }) =>
        text !== undefined && /^(?:\\[0nrt]|[\s,:;]|\[?:?(?:upper|lower|space)?:?\]?|[aA]-[zZ])*$/.test(text),
    );
  if (isPlain || input.origin !== 'here')
    return { ...input, text: undefined, pattern: '*', isDynamic: true, choices: [], file: undefined };
  return { ...mergeTraits(DECODED, input), file: undefined };
};

const tee: Handler = ({ args, command, state, analysis }) => {
  const read = readArguments(args);
  const isAppended = hasOption(read, 'a', 'append');
  for (const file of read.operands)
    writeFile(file, { evidence: showFields(command), content: state.input, isAppended }, state, analysis);
  return state.input;
};

const openssl: Handler = ({ args, command, state, analysis }) => {
  const { options } = readArguments(args.slice(1), {
    names: ['in', 'out', 'inkey', 'k', 'pass', 'K', 'iv', 'md', 'connect', 'key'],
    hasLongNames: true,
  });
  const input = options.find(({ name }) => name === 'in' || name === 'inkey')?.value;
  const output = options.find(({ name }) => name === 'out')?.value;
  const content =
    input === undefined ? state.input : readFile(input, { evidence: showFields(command) }, state, analysis);
  const isDecoded = options.some(({ name }) => name === 'd') || /^(?:base64|zlib)$/.test(args[0]?.text ?? '');
  const printed = isDecoded
    ? mergeTraits(DECODED, content)
    : { ...content, text: undefined, pattern: '*', isDynamic: true };
  if (output !== undefined)
    writeFile(output, { evidence: showFields(command), content: printed }, state, analysis);
  return { ...printed, file: undefined };
};

const gpg: Handler = ({ args, command, state, analysis }) => {
  const read = readArguments(args, {
    letters: 'oru',
    names: ['output', 'recipient', 'passphrase', 'homedir', 'batch'],
  });
  if (read.options.some(({ name }) => name.startsWith('export-secret')))
    return { ...PRINTED, secret: 'credential' };
  for (const file of optionValues(read, 'o', 'output'))
    writeFile(file, { evidence: showFields(command), content: DECODED }, state, analysis);
  return hasOption(read, 'd', 'decrypt') ? DECODED : PRINTED;
};

/** Names of files below a directory, or the directory's own. */
const ls: Handler = ({ args }) => {
  const { operands } = readArguments(args, { letters: 'IwT' });
  if (operands.length === 0) return { ...PRINTED, names: ['./*'] };
  const names = operands.flatMap(({ text, pattern, isDynamic }) =>
    isDynamic ? [] : [text === undefined ? pattern : `${text}/*`],
  );
  return names.length === operands.length ? { ...PRINTED, names } : PRINTED;
};

/** Prints the environment; what it runs instead is looked at where wrappers are. */
const printenv: Handler = ({ args, command, analysis }) => {
  if (args.some(({ text }) => text?.startsWith('-') !== true)) return PRINTED;
  addFinding(analysis.report, 'cred-expose', showFields(command));
  return { ...PRINTED, secret: 'environment' };
};

export const READ_PROGRAMS: readonly (readonly [string, Handler])[] = [
  ...[...READERS.keys()].map((name) => [name, readFiles] as const),
  ['tr', tr],
  ['tee', tee],
  ['openssl', openssl],
  ['gpg', gpg],
  ['gpg2', gpg],
  ['ls', ls],
  ['printenv', printenv],
];
