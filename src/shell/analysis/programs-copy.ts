import type { Analysis, Call, Handler } from './analysis.ts';
import { spend } from './budget.ts';
import { classifyTree } from './classify-deletion.ts';
import { type Content, concatenate, NOTHING, PRINTED } from './content.ts';
import { holdsCredentials, isCredential } from './credentials.ts';
import { type Field, literalField, showFields, withoutPrefix } from './field.ts';
import { readFile, writeFile } from './files-touched.ts';
import { followLinks, locate } from './locate-path.ts';
import { removeTargets } from './programs-delete.ts';
import { isDevice } from './protected-files.ts';
import { hasOption, optionValues, type ReadArguments, readArguments } from './read-arguments.ts';
import { addFinding } from './report.ts';

const COPY = { letters: 'tSmogZ', names: ['target-directory', 'suffix', 'mode', 'owner', 'group', 'backup'] };

interface Copying {
  readonly sources: readonly Field[];
  readonly target: Field | undefined;
  readonly read: ReadArguments;
}

function readCopying(args: readonly Field[]): Copying {
  const read = readArguments(args, COPY);
  const directory = optionValues(read, 't', 'target-directory')[0];
  if (directory !== undefined) return { sources: read.operands, target: directory, read };
  return {
    sources: read.operands.slice(0, -1),
    target: read.operands.length > 1 ? read.operands.at(-1) : undefined,
    read,
  };
}

/** Files get another name or a second one; what they hold goes along. */
function carry({ sources, target, read }: Copying, { command, state, analysis }: Call): void {
  const evidence = showFields(command);
  const isTree = hasOption(read, 'r', 'R', 'a', 'recursive', 'archive');
  const contents = sources.map((source) =>
    readFile(source, { evidence, isTree, isCopy: isTree }, state, analysis),
  );
  const [source] = sources;
  const [content] = contents;
  if (target === undefined) return;
  const path = locate(target, state.directory, analysis.place)?.path;
  const name = source?.text?.replace(/\/+$/, '').split('/').at(-1);
  writeFile(target, { evidence, content: contents.length > 1 ? undefined : content }, state, analysis);
  // Into a directory it goes by its own name.
  if (path !== undefined && name !== undefined && contents.length === 1 && content !== undefined)
    writeFile(literalField(`${path}/${name}`), { evidence, content }, state, analysis);
}

const cp: Handler = (call) => {
  carry(readCopying(call.args), call);
  return NOTHING;
};

const mv: Handler = (call) => {
  const copying = readCopying(call.args);
  const { state, analysis, command } = call;
  carry({ ...copying, read: { ...copying.read, options: [{ name: 'r', value: undefined }] } }, call);
  for (const source of copying.sources) {
    if (!spend(analysis)) break;
    const located = locate(source, state.directory, analysis.place);
    const path = located?.path ?? located?.pattern?.replace(/\/\*$/, '');
    const found = path === undefined ? undefined : classifyTree(path === '' ? '/' : path, analysis.place);
    if (found !== undefined && found !== 'delete-outside')
      addFinding(analysis.report, found, showFields(command), [path ?? '']);
    if (located?.path !== undefined) writeFile(source, { evidence: showFields(command) }, state, analysis);
  }
  return NOTHING;
};

const ln: Handler = ({ args, command, state, analysis }) => {
  const { sources, target, read } = readCopying(args);
  const evidence = showFields(command);
  const all = target === undefined ? read.operands : sources;
  for (const source of all) {
    const path = locate(source, state.directory, analysis.place)?.path;
    if (path === undefined) continue;
    const followed = followLinks(path, analysis.place);
    if (
      isCredential(followed, analysis.place) ||
      (holdsCredentials(followed, analysis.place) && followed !== '/')
    )
      addFinding(analysis.report, 'cred-expose', evidence, [followed]);
    if (target !== undefined) linkContent(path, target, { state, analysis });
  }
  if (target !== undefined) writeFile(target, { evidence }, state, analysis);
  return NOTHING;
};

function linkContent(
  path: string,
  target: Field,
  { state, analysis }: Pick<Call, 'state' | 'analysis'>,
): void {
  const link = locate(target, state.directory, analysis.place)?.path;
  if (link === undefined) return;
  // Into a directory it goes by its own name.
  const inside = `${link}/${path.split('/').at(-1) ?? ''}`;
  if (link !== path) analysis.links.set(link, path);
  if (inside !== path && !path.startsWith(`${inside}/`)) analysis.links.set(inside, path);
  analysis.files.set(link, analysis.files.get(path) ?? { ...PRINTED, file: path });
}

const dd: Handler = ({ args, command, state, analysis }) => {
  const evidence = showFields(command);
  const valueOf = (name: string): Field | undefined => {
    const argument = args.find((field) => (field.text ?? field.pattern).startsWith(`${name}=`));
    return argument === undefined ? undefined : withoutPrefix(argument, name.length + 1);
  };
  const input = valueOf('if');
  const output = valueOf('of');
  const content: Content = input === undefined ? state.input : readFile(input, { evidence }, state, analysis);
  if (output === undefined) return content;
  writeFile(
    output,
    { evidence, content: { ...content, text: undefined, pattern: '*', isDynamic: true } },
    state,
    analysis,
  );
  return NOTHING;
};

/** Archives: what goes in, and where what comes out is put. */
const tar: Handler = (call) => {
  const { args, command, state, analysis } = call;
  const evidence = showFields(command);
  const first = args[0]?.text ?? '';
  // The first word may have letters without a dash.
  const isOld = /^[A-Za-z]+$/.test(first);
  const letters = isOld
    ? first
    : args
        .filter(({ text }) => /^-[A-Za-z]/.test(text ?? ''))
        .map(({ text }) => text ?? '')
        .join('');
  const words = isOld ? args.slice(1) : args;
  const read = readArguments(words, {
    letters: 'fCTXIgbHKLNV',
    names: [
      'file',
      'directory',
      'files-from',
      'exclude',
      'exclude-from',
      'use-compress-program',
      'to-command',
      'checkpoint-action',
      'transform',
      'rsh-command',
      'info-script',
    ],
  });
  const takesFile = isOld && letters.includes('f');
  const archive = takesFile ? read.operands[0] : optionValues(read, 'f', 'file')[0];
  const files = takesFile ? read.operands.slice(1) : read.operands;
  runOptions(read, evidence, call);
  if (/x/.test(letters) || hasOption(read, 'extract', 'get'))
    return extract(archive, { letters, evidence, into: optionValues(read, 'C', 'directory') }, call);
  const directory = optionValues(read, 'C', 'directory')[0];
  const inner =
    directory === undefined
      ? state
      : { ...state, directory: locate(directory, state.directory, analysis.place)?.path };
  if (!/[cru]/.test(letters) && !hasOption(read, 'create', 'append')) return PRINTED;
  const contents = files.map((file) =>
    readFile(file, { evidence, isTree: true, isCopy: true }, inner, analysis),
  );
  if (hasOption(read, 'remove-files')) removeTargets(files, { evidence, isTree: true }, inner, analysis);
  const content: Content = {
    ...concatenate(contents),
    text: undefined,
    pattern: '*',
    isDynamic: true,
    file: undefined,
    isLocal: true,
  };
  if (archive === undefined || archive.text === '-') return content;
  writeFile(archive, { evidence, content }, state, analysis);
  return NOTHING;
};

function extract(
  archive: Field | undefined,
  {
    letters,
    evidence,
    into,
  }: { readonly letters: string; readonly evidence: string; readonly into: readonly Field[] },
  { state, analysis }: Call,
): Content {
  for (const directory of into) writeFile(directory, { evidence }, state, analysis);
  if (archive !== undefined && archive.text !== '-') readFile(archive, { evidence }, state, analysis);
  return /O/.test(letters) ? { ...PRINTED, origin: 'encoded' } : NOTHING;
}

/** Options of tar by which it runs programs. */
function runOptions(read: ReadArguments, evidence: string, { state, analysis }: Call): void {
  const given = [
    ...optionValues(read, 'to-command', 'rsh-command', 'info-script', 'new-volume-script'),
    ...optionValues(read, 'checkpoint-action').filter(({ text }) => text?.startsWith('exec') !== false),
  ];
  for (const value of [
    ...given,
    ...optionValues(read, 'I', 'use-compress-program').filter(
      ({ text }) => !/^(?:gzip|pigz|bzip2|pbzip2|xz|zstd|lz4|lzip|lzma|zstdmt)\b[^/;|&$]*$/.test(text ?? ''),
    ),
  ]) {
    addFinding(analysis.report, 'interpreter-exec', evidence);
    if (value.text !== undefined) analysis.runText(value.text.replace(/^exec=/, ''), state);
  }
}

/** Other archivers and copiers: all that is named is read. */
const archive: Handler = ({ name, args, command, state, analysis }) => {
  const evidence = showFields(command);
  const { operands, options } = readArguments(args, { letters: 'xiPbtn' });
  // They are moved into it.
  if (name === 'zip' && options.some(({ name: option }) => option === 'm' || option === 'move'))
    removeTargets(operands.slice(1), { evidence, isTree: true }, state, analysis);
  const contents = operands.map((file) =>
    readFile(file, { evidence, isTree: true, isCopy: true }, state, analysis),
  );
  return {
    ...concatenate(contents),
    text: undefined,
    pattern: '*',
    isDynamic: true,
    file: undefined,
    isLocal: true,
  };
};

const write: Handler = ({ args, command, state, analysis }) => {
  const { operands } = readArguments(args, {
    letters: 'srdtmp',
    names: ['size', 'reference', 'date', 'mode'],
  });
  for (const file of operands) writeFile(file, { evidence: showFields(command) }, state, analysis);
  return NOTHING;
};

/** Makes or changes a file system, a partition, a volume. */
function onDevice(isHarmless: (read: ReadArguments) => boolean): Handler {
  return ({ args, command, state, analysis }) => {
    const read = readArguments(args, { letters: 'tLUbNiTEOGmC' });
    const isTold = hasOption(read, 'help', 'version', 'h', 'n', 'l', 'list') || isHarmless(read);
    if (!isTold && mayBeDevice(read.operands, { state, analysis }))
      addFinding(analysis.report, 'device', showFields(command));
    return NOTHING;
  };
}

function mayBeDevice(
  operands: readonly Field[],
  { state, analysis }: { readonly state: Call['state']; readonly analysis: Analysis },
): boolean {
  return operands.some((field) => {
    const path = locate(field, state.directory, analysis.place)?.path;
    if (path === undefined) return field.isDynamic || field.pattern.startsWith('/dev/');
    return isDevice(path) || (path.startsWith('/dev/') && !/^\/dev\/(?:null|shm\/|fd\/|std)/.test(path));
  });
}

/** Puts what is in an archive into a directory. */
const unzip: Handler = ({ args, command, state, analysis }) => {
  const read = readArguments(args, { letters: 'dxP' });
  const evidence = showFields(command);
  for (const file of read.operands.slice(0, 1)) readFile(file, { evidence }, state, analysis);
  for (const directory of optionValues(read, 'd')) writeFile(directory, { evidence }, state, analysis);
  return hasOption(read, 'p') ? { ...PRINTED, origin: 'encoded' } : PRINTED;
};

/** Changes the first file it names. */
const patch: Handler = ({ args, command, state, analysis }) => {
  const read = readArguments(args, {
    letters: 'pidorBDFgVYz',
    names: ['strip', 'input', 'directory', 'output'],
  });
  for (const file of [...read.operands.slice(0, 1), ...optionValues(read, 'o', 'output', 'd', 'directory')])
    writeFile(file, { evidence: showFields(command) }, state, analysis);
  return PRINTED;
};

const truncate: Handler = ({ args, command, state, analysis }) => {
  const read = readArguments(args, { letters: 'sr', names: ['size', 'reference'] });
  const isEmptied = optionValues(read, 's', 'size').some(({ text }) => /^<?0/.test(text ?? ''));
  for (const file of read.operands) {
    const written = { evidence: showFields(command), content: isEmptied ? NOTHING : undefined };
    writeFile(file, written, state, analysis);
  }
  return NOTHING;
};

const changes = onDevice(() => false);
const changesUnlessPrinting = onDevice((read) => read.operands.some(({ text }) => text === 'print'));
const wipes = onDevice((read) => !hasOption(read, 'a', 'all', 'o', 'offset'));

export const COPY_PROGRAMS: readonly (readonly [string, Handler])[] = [
  ['cp', cp],
  ['install', cp],
  ['mv', mv],
  ['ln', ln],
  ['dd', dd],
  ['dcfldd', dd],
  ['ddrescue', write],
  ['qemu-img', write],
  ['tar', tar],
  ['bsdtar', tar],
  ['zip', archive],
  ['unzip', unzip],
  ['7z', archive],
  ['7za', archive],
  ['rar', archive],
  ['cpio', archive],
  ['pax', archive],
  ['ar', archive],
  ['patch', patch],
  ['touch', write],
  ['truncate', truncate],
  ['mkdir', write],
  ['wipefs', wipes],
  ['parted', changesUnlessPrinting],
  ...'mkfs mke2fs mkswap fdisk sfdisk cfdisk gdisk sgdisk blkdiscard badblocks pvcreate pvremove mkntfs mkdosfs newfs newfs_msdos'
    .split(' ')
    .map((name) => [name, changes] as const),
];
