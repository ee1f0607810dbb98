import {
  type ArithmeticExpression,
  type BraceExpansionPart,
  type ParameterExpansionPart,
  type ParameterOperation,
  type ParsedScript,
  parse,
  type Word as UnbashWord,
  type WordPart as UnbashWordPart,
} from 'unbash';
import type { Arithmetic, ParameterPart, ShellScript, Word, WordPart } from '../shell-script.ts';
import { type Conversion, nested } from './conversion.ts';
import { splitBraces } from './split-braces.ts';

const NUMBER = /^\s*(?:0[xX][0-9a-fA-F]+|\d+)\s*$/;
/** Transformations that only rewrite the value; `@P` would expand it. */
const HARMLESS_TRANSFORMATION = /^[QEULuAaKk]$/;
/** Where bash puts a home directory for a tilde that is not quoted. */
const TILDE = /(?:^|[=:])~/;

/** What would be expanded if it stood where the parser says it stands: then it does not stand there. */
const EXPANSION = /`|\$[\w({[]/;
const EXPANSION_OR_GROUP = /[()`]|\$[\w({[]/;

export function convertWord(word: UnbashWord, conversion: Conversion, isQuoted = false): Word {
  return nested<Word>(conversion, { parts: [] }, () => {
    if (word.parts !== undefined) return { parts: convertParts(word.parts, isQuoted, conversion) };
    return { parts: literal(word, isQuoted, conversion) };
  });
}

export function convertParts(
  parts: readonly UnbashWordPart[],
  isQuoted: boolean,
  conversion: Conversion,
): WordPart[] {
  return parts.flatMap((part) => convertPart(part, isQuoted, conversion));
}

function literal(
  { value, text }: { readonly value: string; readonly text: string },
  isQuoted: boolean,
  conversion: Conversion,
): WordPart[] {
  // `x=(…)y` reaches us as plain text, though bash runs what is in it.
  if ((isQuoted ? EXPANSION : EXPANSION_OR_GROUP).test(text.replaceAll(/\\./gs, '')))
    conversion.isUnderstood = false;
  if (!isQuoted && TILDE.test(text)) return [{ type: 'tilde', text: value }];
  return [{ type: 'literal', value, isQuoted }];
}

function convertPart(part: UnbashWordPart, isQuoted: boolean, conversion: Conversion): readonly WordPart[] {
  return nested<readonly WordPart[]>(conversion, [], () => {
    switch (part.type) {
      case 'Literal':
        return literal(part, isQuoted, conversion);
      case 'SingleQuoted':
        // In a here-document, `${x:-'…'}` is expanded in spite of these quotes, as within double ones.
        if (isQuoted && EXPANSION.test(part.value)) conversion.isUnderstood = false;
        return [{ type: 'literal', value: part.value, isQuoted: true }];
      case 'AnsiCQuoted':
        if (isQuoted && EXPANSION.test(part.text)) conversion.isUnderstood = false;
        conversion.isPortable = false;
        // Bash ends the text at a NUL and joins bytes to characters of its locale.
        if (/[\0\u0080-\uffff]/.test(part.value))
          return [{ type: 'braces', parts: [], alternatives: undefined }];
        return [{ type: 'literal', value: part.value, isQuoted: true }];
      case 'LocaleString':
        conversion.isPortable = false;
        return [
          { type: 'braces', parts: convertParts(part.parts, true, conversion), alternatives: undefined },
        ];
      case 'DoubleQuoted':
        // Empty quotes still make a field.
        return [
          { type: 'literal', value: '', isQuoted: true },
          ...convertParts(part.parts, true, conversion),
        ];
      case 'SimpleExpansion':
        return [simpleParameter(part.text.slice(1), isQuoted)];
      case 'ParameterExpansion':
        return [convertParameter(part, isQuoted, conversion)];
      case 'CommandExpansion':
        return [{ type: 'commands', script: convertNested(part.script, conversion), isQuoted }];
      case 'ProcessSubstitution':
        conversion.isPortable = false;
        return [
          {
            type: 'process',
            script: convertNested(part.script, conversion),
            isWritten: part.operator === '>',
          },
        ];
      case 'ArithmeticExpansion': {
        if (part.text.startsWith('$[')) conversion.isPortable = false;
        return [{ type: 'arithmetic', arithmetic: convertArithmetic(part.expression, conversion), isQuoted }];
      }
      case 'Glob':
        return [
          {
            type: 'pattern',
            parts: convertParts(part.parts ?? [], isQuoted, conversion),
            text: part.text,
          },
        ];
      case 'ExtendedGlob':
        conversion.isPortable = false;
        return [
          {
            type: 'pattern',
            parts: convertParts(part.parts ?? [], isQuoted, conversion),
            text: part.text,
          },
        ];
      case 'BraceExpansion':
        conversion.isPortable = false;
        return [convertBraces(part, isQuoted, conversion)];
      default:
        part satisfies never;
        conversion.isUnderstood = false;
        return [];
    }
  });
}

function convertBraces(part: BraceExpansionPart, isQuoted: boolean, conversion: Conversion): WordPart {
  const parts = convertParts(part.parts ?? [], isQuoted, conversion);
  const words = splitBraces(part.text)?.map((text) => convertAlternative(text, conversion));
  const alternatives = words?.every((word) => word !== undefined) === true ? words : undefined;
  return { type: 'braces', parts, alternatives };
}

/** One of the texts between the commas of braces; undefined when it is no single word by itself. */
function convertAlternative(text: string, conversion: Conversion): Word | undefined {
  if (/^[\w./@%+:-]*$/.test(text)) return { parts: [{ type: 'literal', value: text, isQuoted: false }] };
  const { commands, errors } = parse(`: ${text}`);
  const [statement] = commands;
  if (statement?.command.type !== 'Command' || commands.length !== 1 || (errors?.length ?? 0) > 0)
    return undefined;
  const [argument, ...more] = statement.command.suffix;
  if (argument?.type !== 'Word' || more.length > 0) return undefined;
  return convertWord(argument, conversion);
}

function convertNested(script: ParsedScript | undefined, conversion: Conversion): ShellScript {
  if (script !== undefined) return conversion.convertScript(script, conversion);
  conversion.isUnderstood = false;
  return { statements: [] };
}

function simpleParameter(name: string, isQuoted: boolean): ParameterPart {
  return {
    type: 'parameter',
    name,
    isQuoted,
    effect: 'none',
    isList: name === '@',
    prefix: undefined,
    index: undefined,
    operator: undefined,
    operands: [],
  };
}

function convertParameter(
  part: ParameterExpansionPart,
  isQuoted: boolean,
  conversion: Conversion,
): ParameterPart {
  const { parameter, prefix, index, operation } = part;
  const isHarmlessIndex = index === undefined || /^(?:@|\*|\d+)$/.test(index.text);
  const isIndirect = prefix === '!' && operation?.type !== 'Names';
  if (operation !== undefined && operation.type !== 'Default' && operation.type !== 'Remove')
    conversion.isPortable = false;
  const operands = operation === undefined ? [] : operandsOf(operation);
  const effect = operation === undefined ? 'none' : effectOf(operation);
  return {
    type: 'parameter',
    name: parameter,
    isQuoted,
    effect: isHarmlessIndex && !isIndirect ? effect : 'evaluates',
    isList: parameter === '@' || index !== undefined || prefix === '!',
    prefix,
    index: index?.text,
    operator: operation?.operator,
    operands: [...(index === undefined ? [] : [index]), ...operands].map((word) =>
      convertWord(word, conversion, isQuoted),
    ),
  };
}

function operandsOf(operation: ParameterOperation): readonly UnbashWord[] {
  switch (operation.type) {
    case 'Default':
    case 'Remove':
    case 'Transform':
      return [operation.operand];
    case 'Replace':
      return [operation.pattern, operation.replacement];
    case 'Slice':
      return operation.length === undefined ? [operation.offset] : [operation.offset, operation.length];
    case 'CaseModification':
      return operation.operand === undefined ? [] : [operation.operand];
    case 'Names':
    case 'Unknown':
      return [];
    default:
      operation satisfies never;
      return [];
  }
}

function effectOf(operation: ParameterOperation): ParameterPart['effect'] {
  switch (operation.type) {
    case 'Default':
      return operation.operator.endsWith('=') ? 'assigns' : 'none';
    case 'Remove':
    case 'Replace':
    case 'CaseModification':
    case 'Names':
      return 'none';
    case 'Slice':
      return operandsOf(operation).every(({ text }) => /^\s*-?\d+\s*$/.test(text)) ? 'none' : 'evaluates';
    case 'Transform':
      return HARMLESS_TRANSFORMATION.test(operation.operand.text) ? 'none' : 'evaluates';
    case 'Unknown':
      return 'evaluates';
    default:
      operation satisfies never;
      return 'evaluates';
  }
}

export function convertArithmetic(
  node: ArithmeticExpression | undefined,
  conversion: Conversion,
): Arithmetic {
  if (node === undefined) return { isConstant: false, parts: [] };
  return nested<Arithmetic>(conversion, { isConstant: false, parts: [] }, () => {
    switch (node.type) {
      case 'ArithmeticWord':
        return {
          isConstant: node.parts === undefined && NUMBER.test(node.value),
          parts: convertParts(node.parts ?? [], true, conversion),
        };
      case 'ArithmeticCommandExpansion': {
        const script = convertNested(node.script, conversion);
        return { isConstant: false, parts: [{ type: 'commands', script, isQuoted: true }] };
      }
      case 'ArithmeticBinary':
        return combine([node.left, node.right], conversion);
      case 'ArithmeticUnary':
        return combine([node.operand], conversion);
      case 'ArithmeticTernary':
        return combine([node.test, node.consequent, node.alternate], conversion);
      case 'ArithmeticGroup':
        return combine([node.expression], conversion);
      default:
        node satisfies never;
        conversion.isUnderstood = false;
        return { isConstant: false, parts: [] };
    }
  });
}

function combine(nodes: readonly ArithmeticExpression[], conversion: Conversion): Arithmetic {
  const all = nodes.map((node) => convertArithmetic(node, conversion));
  return {
    isConstant: all.every(({ isConstant }) => isConstant),
    parts: all.flatMap(({ parts }) => parts),
  };
}
