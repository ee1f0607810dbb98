import type { Word, WordPart } from '../../../../shell/index.ts';

/** A word that stands for more texts is not followed. */
const MAX_TEXTS = 64;

/** What a word becomes: one text, or several where braces make them; undefined when that is not known before it runs. */
export function textsOf(word: Word, home: string): readonly string[] | undefined {
  let texts: readonly string[] = [''];
  for (const part of word.parts) {
    const next = textsOfPart(part, home);
    if (next === undefined) return undefined;
    texts = texts.flatMap((start) => next.map((end) => start + end));
    if (texts.length > MAX_TEXTS) return undefined;
  }
  return texts;
}

/** The one text a word becomes. */
export function textOf(word: Word, home: string): string | undefined {
  const texts = textsOf(word, home);
  return texts?.length === 1 ? texts[0] : undefined;
}

/** Whether nothing happens when the word is worked out, though its text may not be known. */
export function isInert(word: Word): boolean {
  return word.parts.every(
    (part) => part.type === 'literal' || (part.type === 'parameter' && isPlainParameter(part)),
  );
}

type ParameterPart = Extract<WordPart, { type: 'parameter' }>;

function textsOfPart(part: WordPart, home: string): readonly string[] | undefined {
  switch (part.type) {
    case 'literal':
      return [part.value];
    case 'tilde': {
      if (part.text === '~') return [home];
      return part.text.startsWith('~/') ? [home + part.text.slice(1)] : undefined;
    }
    case 'parameter': {
      const isOneWord = part.isQuoted || /^[\w/.+-]+$/.test(home);
      return part.name === 'HOME' && isPlainParameter(part) && isOneWord ? [home] : undefined;
    }
    case 'braces': {
      const texts = part.alternatives?.map((each) => textsOf(each, home));
      return texts?.every((each) => each !== undefined) === true ? texts.flat() : undefined;
    }
    case 'commands':
    case 'process':
    case 'arithmetic':
    case 'pattern':
      return undefined;
  }
}

function isPlainParameter(part: ParameterPart): boolean {
  return (
    part.effect === 'none' &&
    !part.isList &&
    part.prefix === undefined &&
    part.index === undefined &&
    part.operator === undefined &&
    part.operands.length === 0
  );
}
