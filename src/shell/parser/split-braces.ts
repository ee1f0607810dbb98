const SEQUENCE = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/;
const MAX_TEXT = 4096;
const MAX_ALTERNATIVES = 64;

/** The texts that `{a,b}` or `{1..3}` stands for, as they are written; undefined when they are not certain or too many. */
export function splitBraces(text: string): readonly string[] | undefined {
  if (text.length > MAX_TEXT || !text.startsWith('{') || !text.endsWith('}')) return undefined;
  const inner = text.slice(1, -1);
  const sequence = SEQUENCE.exec(inner);
  if (sequence !== null) return sequenceOf(sequence);
  const alternatives = splitAtCommas(inner);
  return alternatives === undefined || alternatives.length < 2 || alternatives.length > MAX_ALTERNATIVES
    ? undefined
    : alternatives;
}

function sequenceOf([, from = '', to = '', step = '1']: RegExpExecArray): readonly string[] | undefined {
  const isNumeric = /\d$/.test(from);
  // Between letters of both cases there are signs that mean something.
  const kind = (end: string): string => (/\d$/.test(end) ? '1' : /[a-z]/.test(end) ? 'a' : 'A');
  if (kind(from) !== kind(to)) return undefined;
  const [first, last] = isNumeric ? [Number(from), Number(to)] : [from.charCodeAt(0), to.charCodeAt(0)];
  const distance = Math.max(1, Math.abs(Number(step)));
  const count = Math.floor(Math.abs(last - first) / distance) + 1;
  // With leading zeros all numbers get the same width.
  if (count > MAX_ALTERNATIVES || /^-?0\d/.test(from) || /^-?0\d/.test(to)) return undefined;
  const sign = last < first ? -1 : 1;
  return Array.from({ length: count }, (_, index) => first + sign * distance * index).map((value) =>
    isNumeric ? String(value) : String.fromCharCode(value),
  );
}

function splitAtCommas(text: string): string[] | undefined {
  const alternatives: string[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '\\') at += 1;
    else if (letter === '"' || letter === "'") {
      at = closingQuote(text, at);
      if (at === -1) return undefined;
    } else if (/[`(]/.test(letter)) return undefined;
    else if (letter === '{') depth += 1;
    else if (letter === '}') depth -= 1;
    else if (letter === ',' && depth === 0) {
      alternatives.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return depth === 0 ? [...alternatives, text.slice(start)] : undefined;
}

function closingQuote(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === quote) return at;
    if (quote === '"' && letter === '\\') at += 1;
    // What is expanded within double quotes can hold quotes of its own.
    else if (quote === '"' && /[`$]/.test(letter) && /[`({]/.test(letter + text.charAt(at + 1))) return -1;
  }
  return -1;
}
