import type { ParameterPart, Word } from '../shell-script.ts';
import type { Analysis } from './analysis.ts';
import { spend } from './budget.ts';
import { type Content, NUMBER, textContent, UNKNOWN } from './content.ts';
import { UNKNOWN_FIELD } from './field.ts';
import { matchesName } from './match-pattern.ts';
import { addFinding } from './report.ts';
import type { ShellState } from './shell-state.ts';
import { setVariable, variableOf, variableValue } from './variables.ts';

const MAX_TEXT = 128;

/** The values a parameter gives: one, or those of a list. */
export function resolveParameter(
  part: ParameterPart,
  state: ShellState,
  analysis: Analysis,
): readonly Content[] {
  const words = part.index === undefined ? part.operands : part.operands.slice(1);
  if (part.index !== undefined && part.operands[0] !== undefined)
    analysis.resolveValue(part.operands[0], state);
  if (part.effect === 'evaluates') noticeEvaluation(part, state, analysis);
  if (part.prefix === '#') return [NUMBER];
  if (part.prefix === '!') return resolveIndirect(part, state);
  const list = listOf(part, state);
  if (list !== undefined) {
    for (const word of words) analysis.resolveValue(word, state);
    return part.operator === undefined ? list : [UNKNOWN_FIELD];
  }
  const value = scalarOf(part, state);
  return [part.operator === undefined ? value : operate(part, value, { words, state, analysis })];
}

/** The value is run again, or an index may be. */
function noticeEvaluation(part: ParameterPart, state: ShellState, analysis: Analysis): void {
  const { text } = variableValue(state, part.name);
  const expandsPrompt = part.operator === '@' && (text === undefined || /[$`]/.test(text));
  if (expandsPrompt || analysis.hasHiddenIndex)
    addFinding(analysis.report, 'dynamic-exec', `\${${part.name}${part.operator ?? ''}…}`);
}

function resolveIndirect(part: ParameterPart, state: ShellState): readonly Content[] {
  const name = part.index === undefined ? variableValue(state, part.name).text : undefined;
  if (name === undefined || !/^\w+$/.test(name) || part.operator !== undefined) return [UNKNOWN_FIELD];
  return [scalarOf({ ...part, name }, state)];
}

function listOf(part: ParameterPart, state: ShellState): readonly Content[] | undefined {
  if (part.name === '@' || part.name === '*') return state.positional ?? [UNKNOWN_FIELD];
  if (part.index !== '@' && part.index !== '*') return undefined;
  const variable = variableOf(state, part.name);
  return variable === undefined ? [UNKNOWN_FIELD] : (variable.items ?? [variable.value]);
}

function scalarOf(part: ParameterPart, state: ShellState): Content {
  const { name, index } = part;
  if (/^\d+$/.test(name)) {
    if (name === '0') return state.scriptName;
    const argument =
      state.positional === undefined ? UNKNOWN : (state.positional[Number(name) - 1] ?? textContent(''));
    return argument;
  }
  if (/^[?$!#-]$/.test(name)) return NUMBER;
  if (index === undefined) return variableValue(state, name);
  const items = variableOf(state, name)?.items;
  if (items === undefined || !/^-?\d+$/.test(index)) return UNKNOWN;
  return items.at(Number(index)) ?? textContent('');
}

interface Operands {
  readonly words: readonly Word[];
  readonly state: ShellState;
  readonly analysis: Analysis;
}

function operate(part: ParameterPart, value: Content, { words, state, analysis }: Operands): Content {
  const operator = part.operator ?? '';
  const operands = words.map((word) => analysis.resolveValue(word, state));
  const [first, second] = operands;
  if (/^:?[-=]$/.test(operator)) return withDefault(part, value, first, state);
  if (operator.endsWith('?')) return value;
  if (operator.endsWith('+')) {
    const isSet = value.text !== undefined && value.text !== '';
    return isSet ? (first ?? UNKNOWN) : possibly(first);
  }
  const { text } = value;
  if (text === undefined || text.length > MAX_TEXT)
    return {
      ...value,
      text: undefined,
      pattern: '*',
      isDynamic: value.isDynamic || value.text !== undefined,
    };
  if (!spend(analysis, text.length / 16)) return UNKNOWN;
  const changed = rewrite(operator, text, [first?.text, second?.text]);
  return changed === undefined
    ? { ...UNKNOWN, origin: value.origin, secret: value.secret }
    : { ...value, text: changed };
}

function withDefault(
  part: ParameterPart,
  value: Content,
  other: Content | undefined,
  state: ShellState,
): Content {
  if (value.text !== undefined && value.text !== '') return value;
  if (value.text === '' || value.choices.length > 0)
    return value.text === '' && part.operator?.startsWith(':') === true ? (other ?? value) : value;
  const isSet = variableOf(state, part.name) !== undefined;
  const result = { ...value, choices: other?.text === undefined ? [] : [other.text] };
  if (!isSet && part.effect === 'assigns') setVariable(state, part.name, { value: result, items: undefined });
  return result;
}

/** This text or none. */
function possibly(content: Content | undefined): Content {
  if (content?.text === undefined) return UNKNOWN;
  return { ...UNKNOWN, isDynamic: true, choices: [content.text] };
}

function rewrite(
  operator: string,
  text: string,
  [one, two]: readonly (string | undefined)[],
): string | undefined {
  switch (operator) {
    case '#':
    case '##':
      return one === undefined ? undefined : removeStart(text, one, operator === '##');
    case '%':
    case '%%':
      return one === undefined ? undefined : removeEnd(text, one, operator === '%%');
    case '/':
    case '//':
      if (one === undefined || one === '' || two === undefined || /[*?[\\]/.test(one)) return undefined;
      return operator === '/' ? text.replace(one, () => two) : text.replaceAll(one, () => two);
    case ':':
      return slice(text, one, two);
    case '^^':
      return one === undefined ? text.toUpperCase() : undefined;
    case ',,':
      return one === undefined ? text.toLowerCase() : undefined;
    case '^':
      return one === undefined ? text.slice(0, 1).toUpperCase() + text.slice(1) : undefined;
    case ',':
      return one === undefined ? text.slice(0, 1).toLowerCase() + text.slice(1) : undefined;
    default:
      return undefined;
  }
}

function slice(text: string, from: string | undefined, length: string | undefined): string | undefined {
  if (from === undefined || !/^\s*-?\d+\s*$/.test(from)) return undefined;
  const start = Number(from) < 0 ? text.length + Number(from) : Number(from);
  if (length === undefined) return text.slice(start);
  if (!/^\s*-?\d+\s*$/.test(length)) return undefined;
  return text.slice(start, Number(length) < 0 ? text.length + Number(length) : start + Number(length));
}

function removeStart(text: string, pattern: string, isLongest: boolean): string {
  const ends = Array.from({ length: text.length + 1 }, (_, index) => index);
  const end = (isLongest ? ends.toReversed() : ends).find((at) => matchesText(pattern, text.slice(0, at)));
  return end === undefined ? text : text.slice(end);
}

function removeEnd(text: string, pattern: string, isLongest: boolean): string {
  const starts = Array.from({ length: text.length + 1 }, (_, index) => index);
  const start = (isLongest ? starts : starts.toReversed()).find((at) => matchesText(pattern, text.slice(at)));
  return start === undefined ? text : text.slice(0, start);
}

/** Here a dot at the beginning is a letter like any other. */
function matchesText(pattern: string, text: string): boolean {
  return matchesName(`^${pattern}`, `^${text}`);
}
