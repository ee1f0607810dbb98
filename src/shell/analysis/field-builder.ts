import {
  type Content,
  escapePattern,
  MAX_CHOICES,
  MAX_TEXT,
  mergeTraits,
  textContent,
  UNKNOWN,
} from './content.ts';
import type { Field } from './field.ts';

const SPACES = ' \t\n';
const MAX_FIELDS = 1000;

/** Puts the fields of one word together, as the parts of the word are expanded from left to right. */
export class FieldBuilder {
  readonly #separators: string | undefined;
  readonly #fields: Field[] = [];
  #current: Draft | undefined;

  #length = 0;

  /** `separators`: the value of IFS; undefined when it is not known. */
  constructor(separators: string | undefined) {
    this.#separators = separators;
  }

  /** How much text went through it. */
  get length(): number {
    return this.#length;
  }

  addText(text: string, isProse: boolean): void {
    const draft = this.#draft();
    append(draft, textContent(text), escapePattern(text));
    draft.isProse ||= isProse;
  }

  addPattern(pattern: string): void {
    const draft = this.#draft();
    append(draft, textContent(pattern), pattern);
    draft.isGlob = true;
  }

  /** A value that is neither split nor a pattern. */
  addContent(content: Content): void {
    this.#length += content.text?.length ?? 1;
    append(
      this.#draft(),
      content,
      content.text === undefined ? content.pattern : escapePattern(content.text),
    );
  }

  /** Values in quotes: one field each, the first and the last joined to what is beside them. */
  addQuoted(fields: readonly Content[], isJoined: boolean): void {
    this.#touch();
    for (const [index, field] of fields.entries()) {
      if (index > 0 && isJoined)
        this.addText(this.#separators === undefined ? ' ' : this.#separators.charAt(0), false);
      else if (index > 0) this.#end();
      this.addContent(field);
      if ('isList' in field && field.isList === true) this.#draft().isList = true;
    }
  }

  /** Values without quotes: split at the separators, and their stars are patterns. */
  addSplit(contents: readonly Content[]): void {
    for (const [index, content] of contents.entries()) {
      if (index > 0) this.#end();
      if (content.text === undefined) this.#addUnknown(content);
      else this.#addPieces(content, content.text);
    }
  }

  finish(): Field[] {
    this.#end();
    return this.#fields;
  }

  #addUnknown(content: Content): void {
    const draft = this.#draft();
    append(draft, content, content.pattern);
    if (content.isDynamic) draft.isList = true;
    else draft.isGlob = true;
  }

  #addPieces(content: Content, text: string): void {
    this.#length += text.length;
    const separators = this.#separators ?? SPACES;
    const pieces = separators === '' ? [text] : splitAt(text, separators);
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.#end();
      if (piece === '' || this.#fields.length > MAX_FIELDS) continue;
      const isGlob = /[*?[]/.test(piece);
      const draft = this.#draft();
      append(draft, { ...content, text: piece }, isGlob ? piece : escapePattern(piece));
      draft.isGlob ||= isGlob;
      draft.isDynamic ||= this.#separators === undefined;
    }
  }

  /** Quotes make a field, even an empty one. */
  #touch(): void {
    this.#draft();
  }

  #draft(): Draft {
    this.#current ??= {
      text: '',
      pattern: '',
      isGlob: false,
      isDynamic: false,
      isList: false,
      isProse: false,
      traits: UNKNOWN,
      choices: undefined,
      shown: '',
    };
    return this.#current;
  }

  #end(): void {
    const draft = this.#current;
    if (draft === undefined) return;
    this.#current = undefined;
    const isKnown = !draft.isGlob && !draft.isDynamic && draft.choices === undefined;
    this.#fields.push({
      ...draft.traits,
      text: isKnown ? draft.text : undefined,
      pattern: draft.pattern,
      isDynamic: draft.isDynamic,
      choices: draft.choices ?? [],
      isList: draft.isList || draft.isGlob,
      isProse: draft.isProse,
      shown: draft.shown,
    });
  }
}

interface Draft {
  text: string;
  pattern: string;
  isGlob: boolean;
  isDynamic: boolean;
  isList: boolean;
  isProse: boolean;
  traits: Content;
  choices: readonly string[] | undefined;
  shown: string;
}

function append(draft: Draft, content: Content, pattern: string): void {
  const { text, choices } = content;
  const isFirst = draft.pattern === '' && draft.text === '';
  if (choices.length > 0 || draft.choices !== undefined) {
    const befores = draft.choices ?? [draft.text];
    const afters = text === undefined ? choices : [text];
    const product = befores.flatMap((before) => afters.map((after) => before + after));
    if (product.length > MAX_CHOICES) draft.isDynamic = true;
    draft.choices = product.slice(0, MAX_CHOICES);
  }
  if (content.isDynamic || (text === undefined && choices.length === 0 && content.pattern === ''))
    draft.isDynamic = true;
  if (text === undefined && choices.length === 0) draft.isGlob = true;
  draft.traits = mergeTraits(draft.traits, content);
  if (isFirst && content.file !== undefined) draft.traits = { ...draft.traits, file: content.file };
  if (isFirst && content.names !== undefined) draft.traits = { ...draft.traits, names: content.names };
  if (draft.shown.length > MAX_TEXT) {
    draft.isDynamic = true;
    return;
  }
  draft.text += text ?? '';
  draft.pattern += pattern;
  draft.shown += text ?? (content.isDynamic ? '…' : content.pattern);
}

function splitAt(text: string, separators: string): string[] {
  const isSeparator = (letter: string): boolean => separators.includes(letter);
  const pieces: string[] = [];
  let piece = '';
  for (const letter of text) {
    if (!isSeparator(letter)) piece += letter;
    else {
      pieces.push(piece);
      piece = '';
    }
  }
  return [...pieces, piece];
}
