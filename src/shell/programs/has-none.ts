import type { Argument } from './argument.ts';

/**
 * A test that no argument is one of these options. The letters count anywhere in a word with one dash and a long name counts when
 * shortened, so it errs towards "it is there"; so does a word whose beginning is not known.
 */
export function hasNone(letters: string, names: readonly string[]): (args: readonly Argument[]) => boolean {
  return (args) => args.every((argument) => !mayBeOneOf(argument, letters, names));
}

function mayBeOneOf({ value, prefix }: Argument, letters: string, names: readonly string[]): boolean {
  if (value === undefined) return prefix === '' || prefix.startsWith('-');
  if (value.startsWith('--') && value.length > 2) {
    const [name = ''] = value.split('=', 1);
    return names.some((each) => each.startsWith(name));
  }
  return value.startsWith('-') && letters.split('').some((letter) => value.includes(letter));
}
