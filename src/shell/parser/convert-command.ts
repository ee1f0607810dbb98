import type {
  AndOr,
  CommandNode,
  CompoundList,
  HereDoc,
  ParsedScript,
  Pipeline,
  TestExpression,
  Assignment as UnbashAssignment,
  Command as UnbashCommand,
  Redirect as UnbashRedirect,
  Redirection as UnbashRedirection,
  Statement as UnbashStatement,
} from 'unbash';
import type {
  Assignment,
  Command,
  CompoundCommand,
  Redirect,
  ShellScript,
  SimpleCommand,
  Test,
  Word,
  WordPart,
} from '../shell-script.ts';
import { type Conversion, nested } from './conversion.ts';
import { convertArithmetic, convertParts, convertWord } from './convert-word.ts';

type Compound = Partial<Omit<CompoundCommand, 'type' | 'kind'>>;

export function convertScript(script: ParsedScript | CompoundList, conversion: Conversion): ShellScript {
  if ('errors' in script && script.errors !== undefined && script.errors.length > 0)
    conversion.isUnderstood = false;
  return nested(conversion, { statements: [] }, () => ({
    statements: script.commands.map((statement) => convertStatement(statement, conversion)),
  }));
}

function convertStatement(
  statement: UnbashStatement,
  conversion: Conversion,
): ShellScript['statements'][number] {
  return {
    command: convertCommand(statement.command, conversion),
    isBackground: statement.background === true,
  };
}

function convertCommand(node: CommandNode | AndOr | Pipeline, conversion: Conversion): Command {
  const unknown: Command = { type: 'simple', assignments: [], declarations: [], words: [], redirects: [] };
  return nested<Command>(conversion, unknown, () => {
    switch (node.type) {
      case 'AndOr':
        return {
          type: 'and-or',
          commands: node.commands.map((command) => convertCommand(command, conversion)),
          operators: node.operators,
        };
      case 'Pipeline':
        if (node.prefixes.some(({ type }) => type === 'Time') || node.operators.includes('|&'))
          conversion.isPortable = false;
        return {
          type: 'pipeline',
          commands: node.commands.map((command) => convertCommand(command, conversion)),
        };
      case 'Command':
        return convertSimple(node, conversion);
      case 'Redirected': {
        const command = convertCompound(node.command, conversion);
        const redirects = convertRedirects(node.redirects, conversion);
        return { ...command, redirects: [...command.redirects, ...redirects] };
      }
      case 'Function':
        conversion.isPortable = false;
        return {
          type: 'function',
          name: node.name.value,
          body: convertBody(node.body, conversion),
        };
      case 'Coproc':
        conversion.isPortable = false;
        return { type: 'coprocess', body: convertBody(node.body, conversion) };
      case 'Subshell':
      case 'BraceGroup':
      case 'If':
      case 'While':
      case 'For':
      case 'Select':
      case 'Case':
      case 'TestCommand':
      case 'ArithmeticCommand':
      case 'ArithmeticFor':
        return convertCompound(node, conversion);
      default:
        node satisfies never;
        conversion.isUnderstood = false;
        return unknown;
    }
  });
}

function convertBody(node: CommandNode | CompoundList, conversion: Conversion): Command {
  if (node.type !== 'CompoundList') return convertCommand(node, conversion);
  conversion.isUnderstood = false;
  return compound('group', { bodies: [convertScript(node, conversion)] });
}

function convertSimple(node: UnbashCommand, conversion: Conversion): SimpleCommand {
  const words: Word[] = node.name === undefined ? [] : [convertWord(node.name, conversion)];
  const assignments: Assignment[] = [];
  for (const child of node.prefix)
    if (child.type === 'Assignment') assignments.push(convertAssignment(child, conversion));
  const declarations: Assignment[] = [];
  for (const argument of node.args) {
    if (argument.type === 'Word') words.push(convertWord(argument, conversion));
    else {
      const assignment = convertAssignment(argument, conversion);
      if (assignment.isArray && assignment.index === undefined) declarations.push(assignment);
      words.push(assignmentAsWord(assignment));
    }
  }
  const redirects = convertRedirects(node.redirects, conversion);
  return { type: 'simple', assignments, declarations, words, redirects };
}

function convertAssignment(node: UnbashAssignment, conversion: Conversion): Assignment {
  const { value } = node;
  const isArray = value.type === 'ArrayValue';
  const index = node.index === undefined ? undefined : convertWord(node.index, conversion);
  if (index !== undefined || node.append === true || isArray) conversion.isPortable = false;
  const values = (isArray ? value.elements : [value]).map((word) => convertWord(word, conversion));
  return { name: node.name, index, isArray, isAppended: node.append === true, values };
}

/** `export a=b`: an argument of the program. Its exact text is known only in the plain form. */
function assignmentAsWord({ name, index, values }: Assignment): Word {
  const [value] = values;
  const parts = [...(index?.parts ?? []), ...values.flatMap((each) => each.parts)];
  if (index !== undefined || values.length !== 1 || value === undefined)
    return { parts: [{ type: 'braces', parts, alternatives: undefined }] };
  return { parts: [{ type: 'literal', value: `${name}=`, isQuoted: false }, ...value.parts] };
}

function convertRedirects(nodes: readonly UnbashRedirection[], conversion: Conversion): Redirect[] {
  return nodes.map((node) => convertRedirect(node, conversion));
}

function convertRedirect(node: UnbashRedirection, conversion: Conversion): Redirect {
  const setsVariable = node.descriptor?.type === 'FileDescriptorVariable';
  if (setsVariable || node.type === 'HereString') conversion.isPortable = false;
  const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : undefined;
  const common = { descriptor, setsVariable, isAppended: false, isString: false };
  if (node.type === 'HereDoc') {
    if (node.closing === undefined) conversion.isUnderstood = false;
    return { ...common, type: 'text', target: { parts: convertHereDocument(node, conversion) } };
  }
  if (node.target === undefined) conversion.isUnderstood = false;
  const target = node.target === undefined ? { parts: [] } : convertWord(node.target, conversion);
  if (node.type === 'HereString') return { ...common, type: 'text', target, isString: true };
  const isAppended = node.operator === '>>' || node.operator === '&>>';
  return { ...common, type: redirectType(node, conversion), target, isAppended };
}

function convertHereDocument(node: HereDoc, conversion: Conversion): readonly WordPart[] {
  const { body, delimiter, operator } = node;
  // Without quotes around the delimiter, a backslash stands for itself but before these.
  const text = delimiter?.quoted === true ? body.text : body.text.replaceAll(/\\([\\$`]|\n)/g, unescaped);
  const parts: readonly WordPart[] =
    body.parts === undefined
      ? [{ type: 'literal', value: text, isQuoted: true }]
      : convertParts(body.parts, true, conversion);
  if (operator === '<<') return parts;
  return parts.map((part) =>
    part.type === 'literal' ? { ...part, value: part.value.replaceAll(/^\t+/gm, '') } : part,
  );
}

const unescaped = (_match: string, letter: string): string => (letter === '\n' ? '' : letter);

function redirectType(node: UnbashRedirect, conversion: Conversion): Redirect['type'] {
  switch (node.operator) {
    case '<':
      return 'read';
    case '<&':
      return 'duplicate';
    case '>&': {
      const isDescriptor = /^(?:\d+-?|-)$/.test(node.target?.text ?? '');
      if (!isDescriptor) conversion.isPortable = false;
      return isDescriptor ? 'duplicate' : 'write';
    }
    case '&>':
    case '&>>':
      conversion.isPortable = false;
      return 'write';
    case '>':
    case '>>':
    case '>|':
    case '<>':
      return 'write';
    default:
      node.operator satisfies never;
      conversion.isUnderstood = false;
      return 'write';
  }
}

type CompoundNode = Exclude<CommandNode, { type: 'Command' | 'Redirected' | 'Function' | 'Coproc' }>;

function convertCompound(node: CompoundNode, conversion: Conversion): CompoundCommand {
  const body = (list: CompoundList): ShellScript => convertScript(list, conversion);
  switch (node.type) {
    case 'Subshell':
      return compound('subshell', { bodies: [body(node.body)] });
    case 'BraceGroup':
      return compound('group', { bodies: [body(node.body)] });
    case 'If': {
      const branches = [node, ...node.elif].flatMap(({ clause, then }) => [body(clause), body(then)]);
      return compound('if', { bodies: node.else === undefined ? branches : [...branches, body(node.else)] });
    }
    case 'While':
      return compound('loop', { bodies: [body(node.clause), body(node.body)] });
    case 'Select':
    case 'For':
      if (node.type === 'Select') conversion.isPortable = false;
      return compound('loop', {
        variable: node.name.value,
        isOverArguments: node.wordlist === undefined,
        words: (node.wordlist ?? []).map((word) => convertWord(word, conversion)),
        bodies: [body(node.body)],
      });
    case 'Case':
      if (node.items.some(({ terminator }) => terminator === ';&' || terminator === ';;&'))
        conversion.isPortable = false;
      return compound('case', {
        words: [node.word, ...node.items.flatMap(({ pattern }) => pattern)].map((word) =>
          convertWord(word, conversion),
        ),
        bodies: node.items.map((item) => body(item.body)),
      });
    case 'ArithmeticFor':
    case 'ArithmeticCommand':
    case 'TestCommand':
      conversion.isPortable = false;
      return convertExpression(node, conversion);
    default:
      node satisfies never;
      conversion.isUnderstood = false;
      return compound('group', {});
  }
}

type ExpressionNode = Extract<CompoundNode, { type: 'ArithmeticFor' | 'TestCommand' | 'ArithmeticCommand' }>;

function convertExpression(node: ExpressionNode, conversion: Conversion): CompoundCommand {
  switch (node.type) {
    case 'ArithmeticFor':
      return compound('loop', {
        arithmetic: [node.initialize, node.test, node.update]
          .filter((expression) => expression !== undefined)
          .map((expression) => convertArithmetic(expression, conversion)),
        bodies: [convertScript(node.body, conversion)],
      });
    case 'ArithmeticCommand':
      return compound('arithmetic', { arithmetic: [convertArithmetic(node.expression, conversion)] });
    case 'TestCommand':
      return compound('test', { tests: convertTest(node.expression, conversion) });
    default:
      node satisfies never;
      conversion.isUnderstood = false;
      return compound('group', {});
  }
}

function convertTest(node: TestExpression, conversion: Conversion): readonly Test[] {
  return nested(conversion, [], () => {
    switch (node.type) {
      case 'TestUnary':
        return [{ operator: node.operator, operands: [convertWord(node.operand, conversion)] }];
      case 'TestBinary': {
        const operands = [convertWord(node.left, conversion), convertWord(node.right, conversion)];
        return [{ operator: node.operator, operands }];
      }
      case 'TestLogical':
        return node.operands.flatMap((operand) => convertTest(operand, conversion));
      case 'TestNot':
        return convertTest(node.operand, conversion);
      case 'TestGroup':
        return convertTest(node.expression, conversion);
      default:
        node satisfies never;
        conversion.isUnderstood = false;
        return [];
    }
  });
}

function compound(kind: CompoundCommand['kind'], rest: Compound): CompoundCommand {
  return {
    type: 'compound',
    kind,
    variable: undefined,
    isOverArguments: false,
    words: [],
    tests: [],
    arithmetic: [],
    bodies: [],
    redirects: [],
    ...rest,
  };
}
