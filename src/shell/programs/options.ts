import type { Argument } from './argument.ts';

/** The options of a program, as far as they are understood. Letters are those behind one dash. */
export interface OptionGrammar {
  readonly letters?: string;
  /** Letters with a value, attached or in the next word. */
  readonly valued?: string;
  /** Names behind two dashes. */
  readonly names?: readonly string[];
  /** Names with a value, behind `=` or in the next word. */
  readonly valuedNames?: readonly string[];
  /** Names whose value may be left out and otherwise stands behind `=`. */
  readonly optionalNames?: readonly string[];
  /** Options end at the first operand, which is a command of its own. */
  readonly endsAtOperand?: boolean;
}

export interface ReadOptions {
  readonly options: readonly { readonly name: string; readonly value: string }[];
  readonly operands: readonly Argument[];
}

/** `undefined` when an option is not in the grammar or a word that may be one is not known. */
export function readOptions(args: readonly Argument[], grammar: OptionGrammar): ReadOptions | undefined {
  const options: { name: string; value: string }[] = [];
  const operands: Argument[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index];
    const text = argument?.value;
    if (argument === undefined || text === undefined) return undefined;
    if (text === '--') return { options, operands: [...operands, ...args.slice(index + 1)] };
    if (text === '-' || !text.startsWith('-')) {
      if (grammar.endsAtOperand === true) return { options, operands: args.slice(index) };
      operands.push(argument);
      continue;
    }
    const next = args[index + 1]?.value;
    const read = text.startsWith('--') ? readName(text, next, grammar) : readLetters(text, next, grammar);
    if (read === undefined) return undefined;
    options.push(...read.options);
    if (read.usesNext) index += 1;
  }
  return { options, operands };
}

type ReadWord = { options: { name: string; value: string }[]; usesNext: boolean } | undefined;

function readName(text: string, next: string | undefined, grammar: OptionGrammar): ReadWord {
  const [name = '', ...rest] = text.slice(2).split('=');
  const value = rest.join('=');
  const hasValue = rest.length > 0;
  if (!hasValue && grammar.names?.includes(name) === true)
    return { options: [{ name, value: '' }], usesNext: false };
  if (grammar.optionalNames?.includes(name) === true) return { options: [{ name, value }], usesNext: false };
  if (grammar.valuedNames?.includes(name) !== true) return undefined;
  if (hasValue) return { options: [{ name, value }], usesNext: false };
  return next === undefined ? undefined : { options: [{ name, value: next }], usesNext: true };
}

function readLetters(text: string, next: string | undefined, grammar: OptionGrammar): ReadWord {
  const options: { name: string; value: string }[] = [];
  for (let at = 1; at < text.length; at += 1) {
    const name = text.charAt(at);
    if (grammar.letters?.includes(name) === true) {
      options.push({ name, value: '' });
      continue;
    }
    if (grammar.valued?.includes(name) !== true) return undefined;
    const attached = text.slice(at + 1);
    if (attached !== '') return { options: [...options, { name, value: attached }], usesNext: false };
    return next === undefined ? undefined : { options: [...options, { name, value: next }], usesNext: true };
  }
  return { options, usesNext: false };
}
