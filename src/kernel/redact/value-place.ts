/** A name that stands in a text. */
export interface NameInText {
  /** Without the dashes of a flag. */
  readonly name: string;
  /** Where the name starts, after the dashes of a flag. */
  readonly start: number;
  readonly end: number;
  readonly isFlag: boolean;
}

/** How a value is tied to its name. */
export type PlaceForm = 'assignment' | 'comparison' | 'flag' | 'element' | 'pair' | 'setting' | 'statement';

/** Where the value of a name starts, and how it is tied to it. */
export interface ValuePlace {
  readonly form: PlaceForm;
  readonly valueStart: number;
  readonly isNameQuoted: boolean;
  /** Whether white space stands on either side of the delimiter. */
  readonly isSpaced: boolean;
  /** Whether the delimiter is an equals sign. */
  readonly isEquals: boolean;
  /** Whether the delimiter is percent-encoded, and so is what follows. */
  readonly isPercentEncoded: boolean;
  readonly isDeclared: boolean;
}

/**
 * The place of the value that belongs to a name: after `=`, `:`, `:=`, `=>` or `==`, as the next word after a flag, in an XML
 * element, as the `value` beside a `name`, as the next word after `set` and `ENV`, or in `the password is …`. `undefined`
 * when there is none.
 */
export function valuePlace(text: string, name: NameInText): ValuePlace | undefined {
  return (
    inElement(text, name) ??
    afterDelimiter(text, name) ??
    afterFlag(text, name) ??
    inPair(text, name) ??
    afterSet(text, name) ??
    inStatement(text, name)
  );
}

const UNTIED = {
  isNameQuoted: false,
  isSpaced: true,
  isEquals: false,
  isPercentEncoded: false,
  isDeclared: false,
} as const;

function inElement(text: string, { start, end }: NameInText): ValuePlace | undefined {
  if (text[start - 1] !== '<' || text[end] !== '>' || text[start] === '/') return undefined;
  return { ...UNTIED, form: 'element', valueStart: end + 1 };
}

/** A type that stands between a name and its value: `token: string = …`, `api_key: Optional[str] = …`. */
const TYPE =
  "(?:&(?:'[a-z]{1,20} )?(?:mut )?)?[A-Za-z_][A-Za-z_.<>|[\\]]{0,60}(?: \\| [A-Za-z_.<>[\\]]{1,40}){0,3}";
const DELIMITER = new RegExp(
  `(\\\\{0,15}["'\`])?\\]?(?:\\[\\d{0,6}\\])?[?!]?([ \\t]{0,16})(:[ \\t]{0,4}${TYPE}[ \\t]{1,4}=(?=[ \\t])|=>|:=|={1,3}|:-?|%3[aAdD])`,
  'y',
);
const GAP_IN_LINE = /[ \t]{0,64}/y;
const GAP_IN_JSON = /(?:\s|\\{1,15}[nrt]){0,256}/y;
const YAML_BLOCK = /[ \t]{1,8}[|>][-+]?[ \t]{0,8}(?:\r?\n|\\{1,15}n)[ \t]{1,64}/y;

function afterDelimiter(text: string, { name, start, end }: NameInText): ValuePlace | undefined {
  DELIMITER.lastIndex = end;
  const match = DELIMITER.exec(text);
  if (match === null) return undefined;
  const [, quote, blanks = '', delimiter = ''] = match;
  const isNameQuoted = quote !== undefined;
  if (!isDelimiter(text, { start, delimiter, isNameQuoted })) return undefined;
  // `:-` gives a default within `${…}` and is a colon before a value everywhere else
  const isShort = delimiter === ':-' && text[start - 1] !== '{';
  const delimiterEnd = DELIMITER.lastIndex - (isShort ? 1 : 0);
  const valueStart = afterGap(text, delimiterEnd, isNameQuoted);
  if (valueStart === undefined) return undefined;
  return {
    form: /^={2,3}$/.test(delimiter) ? 'comparison' : 'assignment',
    valueStart,
    isNameQuoted,
    isSpaced: blanks !== '' || valueStart > delimiterEnd,
    isEquals: delimiter === '=',
    isPercentEncoded: delimiter.startsWith('%'),
    isDeclared: MEMBER.test(name) || DECLARES_BEFORE.test(text.slice(Math.max(0, start - 24), start)),
  };
}

const DECLARES_BEFORE =
  /(?:\b(?:const|let|var|readonly|private|public|protected|static|final|mut|val|override|abstract)[ \t]{1,4}|@)$/;
const MEMBER = /^(?:self|this|cls)\./;

interface Delimiter {
  readonly start: number;
  readonly delimiter: string;
  readonly isNameQuoted: boolean;
}

/** Tells a delimiter from a scope (`token::Kind`), an arrow (`token => …`), a condition (`? 'password' : …`) and a path. */
function isDelimiter(text: string, { start, delimiter, isNameQuoted }: Delimiter): boolean {
  const before = text.slice(Math.max(0, start - 8), start);
  if (delimiter === ':' && (text[DELIMITER.lastIndex] === ':' || before.endsWith('${'))) return false;
  if (delimiter === '=>' && !isNameQuoted && !before.endsWith(':')) return false;
  if (isNameQuoted && /\?\s{0,4}["'`]$/.test(before)) return false;
  return !(before.endsWith('/') && (isNameQuoted || delimiter.startsWith(':')));
}

/** A value on the next line is one in JSON, where it starts with a quote or a bracket, and in a YAML block. */
function afterGap(text: string, from: number, isNameQuoted: boolean): number | undefined {
  const block = skip(YAML_BLOCK, text, from);
  if (block > from) return block;
  const inLine = skip(GAP_IN_LINE, text, from);
  if (!isNameQuoted || !/^(?:[\r\n]|\\{1,15}[nr])/.test(text.slice(inLine, inLine + 16))) return inLine;
  const inJson = skip(GAP_IN_JSON, text, from);
  return /["'\\{[]/.test(text[inJson] ?? '') ? inJson : undefined;
}

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** Blanks, a continued line, or the next element of an array. */
const AFTER_FLAG =
  /\\{0,15}["'`]?(?:[ \t]{1,16}(?:\\{1,16}(?:\r?\n|n)[ \t]{0,64})?|[ \t]{0,4},\s{0,64}(?=\\{0,15}["'`]))/y;

function afterFlag(text: string, { end, isFlag }: NameInText): ValuePlace | undefined {
  if (!isFlag) return undefined;
  const valueStart = skip(AFTER_FLAG, text, end);
  return valueStart === end ? undefined : { ...UNTIED, form: 'flag', valueStart };
}

const PAIR_BEFORE =
  /(?:name|key|header|param|field|variable|id)["'\\]{0,16}[ \t]{0,4}[:=][ \t]{0,4}["'\\]{0,16}$/i;
const PAIR_AFTER =
  /[\\"']{0,17}(?:[\s,;]|\\{1,15}[nrt]){1,64}[\\"']{0,17}(?:value|val|stringValue)[\\"']{0,17}[ \t]{0,4}[:=][ \t]{0,4}/iy;

/** `{"name": "API_KEY", "value": …}`, `<add key="ApiKey" value=…>` and the same in YAML. */
function inPair(text: string, { start, end }: NameInText): ValuePlace | undefined {
  if (!PAIR_BEFORE.test(text.slice(Math.max(0, start - 64), start))) return undefined;
  const valueStart = skip(PAIR_AFTER, text, end);
  return valueStart === end ? undefined : { ...UNTIED, form: 'pair', valueStart };
}

const SET_BEFORE = /(?:^|[\s;&|"'`])(?:setx?|setenv|ENV|ARG|set -[A-Za-z]{1,4})[ \t]{1,4}$/;

/** `ENV API_KEY abc`, `setx API_KEY abc`, `config set api_key abc`. */
function afterSet(text: string, { start, end }: NameInText): ValuePlace | undefined {
  if (!/[ \t]/.test(text[end] ?? '') || !SET_BEFORE.test(text.slice(Math.max(0, start - 24), start)))
    return undefined;
  return { ...UNTIED, form: 'setting', valueStart: skip(GAP_IN_LINE, text, end) };
}

const IS = /[ \t]{1,4}(?:is|was)(?:[ \t]{1,4}now)?:?[ \t]{1,4}/y;

/** `the password is hunter2`. */
function inStatement(text: string, { end }: NameInText): ValuePlace | undefined {
  const valueStart = skip(IS, text, end);
  return valueStart === end ? undefined : { ...UNTIED, form: 'statement', valueStart };
}
