import type { Handler } from './analysis.ts';
import { type Content, concatenate, NUMBER, PRINTED, textContent, UNKNOWN } from './content.ts';
import type { Field } from './field.ts';
import { locate } from './locate-path.ts';
import { readArguments } from './read-arguments.ts';
import { runIndexes } from './variable-effects.ts';
import { setVariable } from './variables.ts';

const echo: Handler = ({ args }) => {
  let rest = args;
  let flags = '';
  for (; /^-[neE]+$/.test(rest[0]?.text ?? ''); rest = rest.slice(1)) flags += rest[0]?.text ?? '';
  const line = withSpaces(rest);
  const ended = flags.includes('n') ? line : concatenate([line, textContent('\n')]);
  if (ended.text === undefined || !flags.includes('e')) return ended;
  return { ...ended, text: unescape(ended.text) };
};

function withSpaces(fields: readonly Field[]): Content {
  if (fields.every(isPlain)) return textContent(fields.map(({ text }) => text).join(' '));
  const parts = fields.flatMap((field, index): Content[] =>
    index === 0 ? [field] : [textContent(' '), field],
  );
  const whole = concatenate(parts);
  const names = fields.flatMap(
    (field) => field.names ?? (field.text === undefined && !field.isDynamic ? [field.pattern] : []),
  );
  return names.length > 0 && whole.text === undefined ? { ...whole, names } : whole;
}

/** Nothing but its text is known of it. */
function isPlain({ text, origin, secret, isLocal, file }: Field): boolean {
  return text !== undefined && origin === 'here' && secret === 'none' && !isLocal && file === undefined;
}

const printf: Handler = ({ args, command, state, analysis }) => {
  const isVariable = args[0]?.text === '-v';
  if (isVariable) runIndexes({ args: args.slice(1, 2), command, state, analysis });
  const name = isVariable ? args[1]?.text : undefined;
  const rest = isVariable ? args.slice(2) : args;
  const [format, ...values] = rest[0]?.text === '--' ? rest.slice(1) : rest;
  const printed = formatted(format, values);
  if (name === undefined) return printed;
  setVariable(state, name, { value: printed, items: undefined });
  return textContent('');
};

function formatted(format: Field | undefined, values: readonly Field[]): Content {
  const traits = concatenate([...(format === undefined ? [] : [format]), ...values]);
  const unknown: Content = {
    ...(traits.text === undefined ? traits : UNKNOWN),
    text: undefined,
    pattern: '*',
    isDynamic: true,
  };
  if (format?.text === undefined) return unknown;
  const texts = values.flatMap(({ text }) => text ?? []);
  const text = texts.length === values.length ? applyFormat(format.text, texts) : undefined;
  return text === undefined ? unknown : textContent(text);
}

/** What `printf` prints; undefined when the format has more than plain directives. */
function applyFormat(format: string, values: readonly string[]): string | undefined {
  const pieces = format.split(/(%%|%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])/);
  const isPlain = pieces.every((piece, index) =>
    index % 2 === 0 ? !piece.includes('%') : /^%[%sdiuqbcx]$/.test(piece),
  );
  if (!isPlain) return undefined;
  const count = pieces.filter((piece, index) => index % 2 === 1 && piece !== '%%').length;
  let printed = '';
  let at = 0;
  do {
    for (const [index, piece] of pieces.entries()) {
      const takes = index % 2 === 1 && piece !== '%%';
      printed += formatPiece(piece, index % 2 === 1, values[at] ?? '');
      if (takes) at += 1;
    }
  } while (count > 0 && at < values.length && printed.length < 65_536);
  return printed;
}

function formatPiece(piece: string, isDirective: boolean, value: string): string {
  if (!isDirective) return unescape(piece);
  if (piece === '%%') return '%';
  return piece === '%b' ? unescape(value) : value;
}

const LETTERS = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['a', '\u0007'],
  ['e', '\u001b'],
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
]);

function unescape(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(/\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|0?[0-7]{1,3}|.)/gs, (whole) => {
    const letter = whole.slice(1);
    if (/^[xu][0-9a-fA-F]/.test(letter)) return String.fromCharCode(Number.parseInt(letter.slice(1), 16));
    if (/^[0-7]/.test(letter)) return String.fromCharCode(Number.parseInt(letter, 8));
    return LETTERS.get(letter) ?? whole;
  });
}

const pwd: Handler = ({ state }) =>
  state.directory === undefined ? PRINTED : textContent(`${state.directory}\n`);

const mktemp: Handler = ({ args, analysis }) => {
  const { options, operands } = readArguments(args, { letters: 'p', names: ['suffix'] });
  const parent = options.find(({ name }) => name === 'p' || name === 'tmpdir')?.value;
  analysis.counters.temporary += 1;
  const template = operands[0];
  const name = `tmp.herma${analysis.counters.temporary}`;
  if (parent !== undefined)
    return parent.text === undefined ? PRINTED : textContent(`${parent.text}/${name}\n`);
  if (template === undefined || options.some(({ name: each }) => each === 't'))
    return textContent(`/tmp/${name}\n`);
  return template.text === undefined ? PRINTED : textContent(`${template.text}\n`);
};

const basename: Handler = ({ args }) => {
  const { operands } = readArguments(args, { letters: 's' });
  const text = operands[0]?.text;
  if (text === undefined || operands.length > 2)
    return { ...PRINTED, pattern: '*', isDynamic: operands[0]?.isDynamic ?? true };
  const last = text.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const suffix = operands[1]?.text ?? '';
  return textContent(
    `${suffix !== '' && last !== suffix && last.endsWith(suffix) ? last.slice(0, -suffix.length) : last}\n`,
  );
};

const dirname: Handler = ({ args }) => {
  const { operands } = readArguments(args);
  const text = operands[0]?.text;
  if (text === undefined || operands.length > 1) return PRINTED;
  const parent = text.replace(/\/+$/, '').replace(/\/*[^/]*$/, '');
  return textContent(`${parent === '' ? (text.startsWith('/') ? '/' : '.') : parent}\n`);
};

const realpath: Handler = ({ args, state, analysis }) => {
  const { operands } = readArguments(args);
  const [only] = operands;
  const path =
    only === undefined || operands.length > 1
      ? undefined
      : locate(only, state.directory, analysis.place)?.path;
  return path === undefined ? PRINTED : textContent(`${path}\n`);
};

const which: Handler = ({ args }) => {
  const { operands } = readArguments(args);
  const name = operands[0]?.text;
  return name === undefined || operands.length > 1 || name.includes('/')
    ? PRINTED
    : textContent(`/usr/bin/${name}\n`);
};

const number: Handler = () => NUMBER;
const date: Handler = ({ args }) =>
  args.some(({ text }) => text?.includes('/') !== false) ? PRINTED : NUMBER;

export const TEXT_PROGRAMS: readonly (readonly [string, Handler])[] = [
  ['echo', echo],
  ['printf', printf],
  ['pwd', pwd],
  ['mktemp', mktemp],
  ['basename', basename],
  ['dirname', dirname],
  ['realpath', realpath],
  ['readlink', realpath],
  ['which', which],
  ['type', which],
  ['date', date],
  ...['nproc', 'seq', 'wc', 'id', 'expr', 'uuidgen'].map((name) => [name, number] as const),
];
