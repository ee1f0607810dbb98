import type { Arithmetic, Word, WordPart } from '../shell-script.ts';
import type { Analysis } from './analysis.ts';
import { spend } from './budget.ts';
import {
  type Content,
  concatenate,
  escapePattern,
  joinPatterns,
  NUMBER,
  textContent,
  UNKNOWN,
} from './content.ts';
import { type Field, literalField } from './field.ts';
import { FieldBuilder } from './field-builder.ts';
import { addFinding } from './report.ts';
import { resolveParameter } from './resolve-parameter.ts';
import { forkState, type ShellState } from './shell-state.ts';
import { variableText } from './variables.ts';

const MAX_FIELDS = 64;
const MAX_BRACES = 12;

/** The arguments that a word becomes. What runs while it is expanded is walked. */
export function resolveWord(word: Word, state: ShellState, analysis: Analysis): Field[] {
  const [only] = word.parts;
  if (word.parts.length === 1 && only?.type === 'literal') return [plainField(only.value, only.isQuoted)];
  return expandBraces(word.parts).flatMap((parts) => {
    if (!spend(analysis, 0.4)) return [];
    const builder = new FieldBuilder(variableText(state, 'IFS'));
    for (const [index, part] of parts.entries()) addPart(part, index === 0, { builder, state, analysis });
    return spend(analysis, builder.length / 256) ? builder.finish() : [];
  });
}

export function resolveWords(words: readonly Word[], state: ShellState, analysis: Analysis): Field[] {
  const fields: Field[] = [];
  for (const word of words) {
    const { parts } = word;
    const [only] = parts;
    if (only?.type === 'literal' && parts.length === 1) fields.push(plainField(only.value, only.isQuoted));
    else fields.push(...resolveWord(word, state, analysis));
  }
  return fields;
}

/** The text a word becomes where nothing is split: the value of an assignment, a here-document. */
export function resolveValue(word: Word, state: ShellState, analysis: Analysis): Content {
  const contents = word.parts.map((part, index) => valueOf(part, index === 0, state, analysis));
  const [only] = contents;
  if (contents.length === 1 && only !== undefined) return only;
  const whole = concatenate(contents);
  if (whole.text !== undefined || contents.length === 0) return whole;
  const pattern = joinPatterns(
    contents.map((each) => (each.text === undefined ? each.pattern : escapePattern(each.text))),
  );
  return { ...whole, pattern, isDynamic: contents.some(({ isDynamic }) => isDynamic) };
}

function plainField(text: string, isQuoted: boolean): Field {
  const field = literalField(text);
  return isQuoted && isProse(text) ? { ...field, isProse: true } : field;
}

/** Rather a sentence or code than a name. */
function isProse(text: string): boolean {
  return /[\s;|&<>()$`]/.test(text);
}

interface Expansion {
  readonly builder: FieldBuilder;
  readonly state: ShellState;
  readonly analysis: Analysis;
}

function addPart(part: WordPart, isFirst: boolean, { builder, state, analysis }: Expansion): void {
  switch (part.type) {
    case 'literal':
      builder.addText(part.value, part.isQuoted && isProse(part.value));
      return;
    case 'pattern':
      walkParts(part.parts, state, analysis);
      // What a group of alternatives can be is anything.
      builder.addPattern(/^[?*+@!]\(/.test(part.text) ? '*' : part.text);
      return;
    case 'parameter': {
      const fields = resolveParameter(part, state, analysis);
      if (part.isQuoted) builder.addQuoted(fields, part.name === '*' || part.index === '*');
      else builder.addSplit(fields);
      return;
    }
    case 'commands':
    case 'arithmetic': {
      const content = valueOf(part, isFirst, state, analysis);
      if (part.isQuoted) builder.addContent(content);
      else builder.addSplit([content]);
      return;
    }
    case 'tilde':
    case 'process':
    case 'braces':
      builder.addContent(valueOf(part, isFirst, state, analysis));
      return;
    default:
      part satisfies never;
  }
}

function valueOf(part: WordPart, isFirst: boolean, state: ShellState, analysis: Analysis): Content {
  switch (part.type) {
    case 'literal':
      return textContent(part.value);
    case 'tilde':
      return expandTilde(part.text, isFirst, state, analysis);
    case 'parameter':
      return joinValues(resolveParameter(part, state, analysis));
    case 'commands':
      return capture(analysis.runScript(part.script, forkState(state)));
    case 'process':
      return expandProcess(part, state, analysis);
    case 'arithmetic':
      walkArithmetic(part.arithmetic, state, analysis);
      return NUMBER;
    case 'pattern':
      walkParts(part.parts, state, analysis);
      return textContent(part.text);
    case 'braces':
      walkParts(part.parts, state, analysis);
      return UNKNOWN;
    default:
      part satisfies never;
      return UNKNOWN;
  }
}

function joinValues(values: readonly Content[]): Content {
  const [first, ...more] = values;
  if (first === undefined) return textContent('');
  return more.length === 0
    ? first
    : concatenate(more.flatMap((value) => [textContent(' '), value]).toSpliced(0, 0, first));
}

/** What a substitution gives: what was printed, without line breaks at its end. */
function capture(printed: Content): Content {
  if (printed.text === undefined) return printed;
  return { ...printed, text: printed.text.replace(/\n+$/, '') };
}

function expandTilde(text: string, isFirst: boolean, state: ShellState, { place }: Analysis): Content {
  const prefix = isFirst ? (/^(?:[A-Za-z_]\w*=)?(?=~)/.exec(text)?.[0] ?? undefined) : undefined;
  if (prefix === undefined) return textContent(text);
  const [whole, user = ''] = /^~([^/:]*)/.exec(text.slice(prefix.length)) ?? ['', ''];
  const rest = text.slice(prefix.length + whole.length);
  const homes = new Map<string, string | undefined>([
    ['', variableText(state, 'HOME') ?? place.home],
    ['+', state.directory],
    ['root', '/root'],
  ]);
  if (/^[a-z_][\w-]*$/.test(user) && !homes.has(user))
    homes.set(user, `${place.home.replace(/[^/]*$/, '')}${user}`);
  const home = homes.get(user);
  return home === undefined
    ? { ...UNKNOWN, pattern: `*${escapePattern(rest)}` }
    : textContent(`${prefix}${home}${rest}`);
}

function expandProcess(
  part: Extract<WordPart, { type: 'process' }>,
  state: ShellState,
  analysis: Analysis,
): Content {
  analysis.counters.pipes += 1;
  const path = `/dev/fd/p${analysis.counters.pipes}`;
  if (part.isWritten) analysis.sinks.push(part.script);
  else
    analysis.files.set(path, analysis.runScript(part.script, forkState(state, { forks: state.forks + 1 })));
  return textContent(path);
}

export function walkArithmetic(
  { isConstant, parts }: Arithmetic,
  state: ShellState,
  analysis: Analysis,
): void {
  if (!isConstant && analysis.hasHiddenIndex) addFinding(analysis.report, 'dynamic-exec', '$(( … ))');
  walkParts(parts, state, analysis);
}

function walkParts(parts: readonly WordPart[], state: ShellState, analysis: Analysis): void {
  for (const part of parts) if (part.type !== 'literal') valueOf(part, false, state, analysis);
}

/** One list of parts for every way through the braces. */
function expandBraces(parts: readonly WordPart[]): readonly (readonly WordPart[])[] {
  const count = parts.filter(({ type }) => type === 'braces').length;
  if (count === 0 || count > MAX_BRACES) return [parts];
  const at = parts.findIndex((part) => part.type === 'braces' && part.alternatives !== undefined);
  const braces = parts[at];
  if (braces?.type !== 'braces' || braces.alternatives === undefined) return [parts];
  const before = parts.slice(0, at);
  const rests = expandBraces(parts.slice(at + 1));
  const middles = braces.alternatives.flatMap((word) => expandBraces(word.parts));
  if (middles.length * rests.length > MAX_FIELDS)
    return [[...before, { ...braces, alternatives: undefined }, ...(rests[0] ?? [])]];
  return middles.flatMap((middle) => rests.map((rest) => [...before, ...middle, ...rest]));
}
