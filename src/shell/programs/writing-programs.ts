import { literalArgument } from './argument.ts';
import { type OptionGrammar, type ReadOptions, readOptions } from './options.ts';
import { writesWithSed } from './sed.ts';

interface Writer {
  readonly grammar: OptionGrammar;
  /** More than the operands: what else is changed. `undefined` when that is not certain. */
  readonly also?: (
    read: ReadOptions & { readonly names: readonly string[] },
  ) => readonly string[] | undefined;
}

const has = (read: ReadOptions, ...names: readonly string[]): boolean =>
  read.options.some(({ name }) => names.includes(name));
const targetDirectories = (read: ReadOptions): readonly string[] =>
  read.options.filter(({ name }) => name === 't' || name === 'target-directory').map(({ value }) => value);

/** Every directory above a relative or absolute path, the nearest last. */
function ancestors(path: string): string[] {
  const names = path.split('/');
  return names
    .map((_, index) => names.slice(0, index).join('/'))
    .filter((each) => each !== '' && each !== '.');
}

/**
 * Programs that change nothing but what their operands name or what lies below it. An option that is not listed (`--backup`, `--parents`)
 * may change more.
 */
const WRITERS = new Map<string, Writer>([
  [
    'rm',
    { grammar: { letters: 'firRvdI', names: ['force', 'recursive', 'verbose', 'dir', 'one-file-system'] } },
  ],
  ['unlink', { grammar: {} }],
  [
    'rmdir',
    {
      grammar: { letters: 'pv', names: ['parents', 'verbose', 'ignore-fail-on-non-empty'] },
      also: (read) => (has(read, 'p', 'parents') ? read.names.flatMap(ancestors) : []),
    },
  ],
  [
    'mkdir',
    {
      grammar: { letters: 'pv', valued: 'm', names: ['parents', 'verbose'], valuedNames: ['mode'] },
      also: (read) => (has(read, 'p', 'parents') ? read.names.flatMap(ancestors) : []),
    },
  ],
  [
    'mv',
    {
      grammar: {
        letters: 'finvuT',
        valued: 't',
        names: ['force', 'interactive', 'no-clobber', 'verbose', 'no-target-directory'],
        valuedNames: ['target-directory'],
      },
      also: targetDirectories,
    },
  ],
  [
    'cp',
    {
      grammar: {
        letters: 'afinrRvupdPTlx',
        valued: 't',
        names: [
          'archive',
          'force',
          'recursive',
          'verbose',
          'no-clobber',
          'no-dereference',
          'no-target-directory',
        ],
        valuedNames: ['target-directory'],
        optionalNames: ['preserve'],
      },
      also: targetDirectories,
    },
  ],
  [
    'install',
    {
      grammar: {
        letters: 'cCpvTd',
        valued: 'mogt',
        names: ['directory'],
        valuedNames: ['mode', 'target-directory'],
      },
      also: (read) => [
        ...targetDirectories(read),
        ...(has(read, 'd', 'directory') ? read.names.flatMap(ancestors) : []),
      ],
    },
  ],
  [
    'ln',
    {
      grammar: { letters: 'sfnvrT', valued: 't', names: ['symbolic', 'force', 'relative', 'no-dereference'] },
      also: (read) => {
        const [only = '', ...more] = read.names;
        // With one operand the link gets its last name, here.
        return [...targetDirectories(read), ...(more.length === 0 ? [lastName(only)] : [])];
      },
    },
  ],
  [
    'touch',
    {
      grammar: { letters: 'acmfh', valued: 'drt', names: ['no-create'], valuedNames: ['date', 'reference'] },
    },
  ],
  [
    'truncate',
    { grammar: { letters: 'co', valued: 'sr', names: ['no-create'], valuedNames: ['size', 'reference'] } },
  ],
  ['tee', { grammar: { letters: 'aip', names: ['append', 'ignore-interrupts'] } }],
  [
    'shred',
    {
      grammar: {
        letters: 'uvzfx',
        valued: 'ns',
        names: ['zero', 'force', 'verbose'],
        optionalNames: ['remove'],
      },
    },
  ],
  // A mode can begin with a dash: `chmod -x file`.
  ['chmod', { grammar: { letters: 'RvcfrwxXst', names: ['recursive'], valuedNames: ['reference'] } }],
  [
    'chown',
    { grammar: { letters: 'RvcfhP', names: ['recursive', 'no-dereference'], valuedNames: ['reference'] } },
  ],
  [
    'chgrp',
    { grammar: { letters: 'RvcfhP', names: ['recursive', 'no-dereference'], valuedNames: ['reference'] } },
  ],
]);

const DD_KEYS = /^(?:if|of|bs|ibs|obs|count|seek|skip|conv|status|iflag|oflag)=/;

/** The paths that a call may change; `undefined` when the program or one of its options is not known well enough. */
export function pathsWritten(name: string, args: readonly string[]): readonly string[] | undefined {
  if (name === 'sed') return writesWithSed(args);
  if (name === 'dd') return pathsOfDd(args);
  const writer = WRITERS.get(name);
  if (writer === undefined) return undefined;
  const read = readOptions(args.map(literalArgument), writer.grammar);
  if (read === undefined) return undefined;
  const names = read.operands.flatMap(({ value }) => value ?? []);
  const also = writer.also?.({ ...read, names }) ?? [];
  return [...names, ...also];
}

function pathsOfDd(args: readonly string[]): readonly string[] | undefined {
  if (!args.every((argument) => DD_KEYS.test(argument))) return undefined;
  return args
    .filter((argument) => argument.startsWith('of='))
    .map((argument) => argument.slice('of='.length));
}

function lastName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? path;
}

export function isWritingProgram(name: string): boolean {
  return WRITERS.has(name) || name === 'dd';
}
