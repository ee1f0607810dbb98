import ts from 'typescript';

/** One place where a source file breaks a rule of the house. */
export interface Finding {
  readonly rule: RuleName;
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

interface Rule {
  readonly why: string;
  /** Which files the rule is about, by their path from the root of the checkout. */
  readonly applies: (file: string) => boolean;
  readonly breaks: (node: ts.Node) => boolean;
}

const isTest = (file: string): boolean => file.endsWith('.test.ts') || /^(test|bench)\//.test(file);
const isProduct = (file: string): boolean => file.startsWith('src/') && !isTest(file);
const outside =
  (...folders: readonly string[]) =>
  (file: string): boolean =>
    isProduct(file) && !folders.some((folder) => file.startsWith(folder));

/** The rules that are about what a file says; the directions of imports are in `.dependency-cruiser.cjs`. */
const RULES = {
  'json-parse': {
    why: 'bytes from outside go through parseJson of src/kernel/json',
    applies: outside('src/kernel/json/'),
    breaks: (node) => isMember(node, 'JSON', ['parse']),
  },
  'ambient-time': {
    why: 'the time comes from a clock that is passed in (src/platform/clock)',
    applies: outside('src/platform/'),
    breaks: (node) =>
      isMember(node, 'Date', ['now']) || isMember(node, 'performance', ['now']) || isDateOfNow(node),
  },
  'ambient-randomness': {
    why: 'random values come from src/platform/random',
    applies: outside('src/platform/'),
    breaks: (node) =>
      isMember(node, 'Math', ['random']) ||
      isMember(node, 'crypto', RANDOM) ||
      isImportOf(node, /^(node:)?crypto$/, RANDOM),
  },
  'ambient-environment': {
    why: 'the environment is read once, in src/platform, and passed in',
    applies: outside('src/platform/'),
    breaks: (node) => isMember(node, 'process', ['env']),
  },
  'ambient-network': {
    why: 'one HTTP helper: src/platform/http',
    applies: outside(
      'src/platform/',
      'src/safety/egress/',
      'src/services/gateway/',
      'src/surfaces/dashboard/',
    ),
    breaks: (node) => isCallOfGlobal(node, ['fetch']) || isNewOfGlobal(node, ['WebSocket', 'EventSource']),
  },
  'tool-execution': {
    why: 'a tool runs in src/gate/perform-call.ts only, with the ticket of the gate',
    applies: (file) => isProduct(file) && file !== 'src/gate/perform-call.ts',
    breaks: isUseOfExecute,
  },
  'module-mock': {
    why: 'fakes implement ports; modules are not replaced',
    applies: (file) => isTest(file) || isProduct(file),
    breaks: (node) => isMember(node, 'vi', ['mock', 'doMock', 'importMock']),
  },
  'sleep-in-test': {
    why: 'a test waits for a condition or an event, not for time',
    applies: isTest,
    breaks: (node) =>
      isPromiseOfTimer(node) ||
      isImportOf(node, /^(node:)?timers\/promises$/) ||
      isMember(node, 'Atomics', ['wait']),
  },
  'export-star': {
    why: 'a door names what it lets through',
    applies: () => true,
    breaks: (node) =>
      ts.isExportDeclaration(node) && (!node.exportClause || ts.isNamespaceExport(node.exportClause)),
  },
  'default-export': {
    why: 'a thing has one name everywhere',
    applies: (file) => file.includes('/'),
    breaks: isDefaultExport,
  },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof RULES;

export const ruleNames = Object.keys(RULES) as readonly RuleName[];

/** All places where the file breaks a rule. `file` is its path from the root of the checkout, with `/`. */
export function checkSource(file: string, text: string): Finding[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const findings: Finding[] = [];
  const active = ruleNames.filter((name) => RULES[name].applies(file));
  const visit = (node: ts.Node): void => {
    for (const rule of active) {
      if (!RULES[rule].breaks(node)) continue;
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      findings.push({ rule, file, line, text: node.getText().split('\n', 1)[0] ?? '' });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return findings;
}

export function describeFinding({ rule, file, line, text }: Finding): string {
  return `${file}:${line} ${text} (${rule}: ${RULES[rule].why})`;
}

/** How many comments of the file switch off a checker. */
export function countSuppressions(text: string): number {
  return text.match(SUPPRESSION)?.length ?? 0;
}

const RANDOM = [
  'randomUUID',
  'randomBytes',
  'randomInt',
  'randomFill',
  'randomFillSync',
  'getRandomValues',
  'webcrypto',
];

const SUPPRESSION =
  /(?:\/\/|\/\*)[\s*]*(?:(?:oxlint|eslint)-disable|biome-ignore|@ts-(?:ignore|expect-error|nocheck)|(?:istanbul|c8|v8) ignore|knip-ignore|prettier-ignore|dependency-cruiser-disable)/g;

/** `owner.name`, `owner['name']`, `globalThis.owner.name` and `const { name } = owner`. */
function isMember(node: ts.Node, owner: string, names: readonly string[]): boolean {
  if (ts.isPropertyAccessExpression(node))
    return names.includes(node.name.text) && isNamed(node.expression, owner);
  if (ts.isElementAccessExpression(node)) {
    const { argumentExpression: key, expression } = node;
    return ts.isStringLiteralLike(key) && names.includes(key.text) && isNamed(expression, owner);
  }
  return ts.isBindingElement(node) && names.includes(boundName(node)) && isNamed(initializerOf(node), owner);
}

function isNamed(node: ts.Node | undefined, name: string): boolean {
  if (node === undefined) return false;
  if (ts.isIdentifier(node)) return node.text === name;
  return (
    ts.isPropertyAccessExpression(node) && node.name.text === name && isNamed(node.expression, 'globalThis')
  );
}

function boundName(node: ts.BindingElement): string {
  return (node.propertyName ?? node.name).getText();
}

function initializerOf(node: ts.BindingElement): ts.Node | undefined {
  const declaration = node.parent.parent;
  return ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
}

function isDateOfNow(node: ts.Node): boolean {
  if (ts.isNewExpression(node))
    return isNamed(node.expression, 'Date') && (node.arguments ?? []).length === 0;
  return ts.isCallExpression(node) && isNamed(node.expression, 'Date');
}

/** An import of a module, or of one of the names from it. */
function isImportOf(node: ts.Node, module: RegExp, names?: readonly string[]): boolean {
  if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return false;
  if (!module.test(node.moduleSpecifier.text)) return false;
  const bindings = node.importClause?.namedBindings;
  if (names === undefined || bindings === undefined || !ts.isNamedImports(bindings)) return true;
  return bindings.elements.some((element) => names.includes((element.propertyName ?? element.name).text));
}

function isCallOfGlobal(node: ts.Node, names: readonly string[]): boolean {
  return ts.isCallExpression(node) && names.some((name) => isNamed(node.expression, name)) && isGlobal(node);
}

function isNewOfGlobal(node: ts.Node, names: readonly string[]): boolean {
  return ts.isNewExpression(node) && names.some((name) => isNamed(node.expression, name)) && isGlobal(node);
}

/** Whether the callee is the global of that name: no import and no parameter of the file has the name. */
function isGlobal(node: ts.CallExpression | ts.NewExpression): boolean {
  if (!ts.isIdentifier(node.expression)) return true;
  const name = node.expression.text;
  const declares = (other: ts.Node): boolean =>
    ((ts.isParameter(other) || ts.isImportSpecifier(other) || ts.isBindingElement(other)) &&
      other.name.getText() === name) ||
    ts.forEachChild(other, declares) === true;
  return !declares(node.getSourceFile());
}

/** A read of a member `execute`: called at once, kept for later, or taken out of the tool. */
function isUseOfExecute(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'execute';
  if (ts.isElementAccessExpression(node)) return node.argumentExpression.getText().slice(1, -1) === 'execute';
  return ts.isBindingElement(node) && boundName(node) === 'execute' && ts.isObjectBindingPattern(node.parent);
}

/** `new Promise((resolve) => setTimeout(resolve, …))` and `setTimeout(() => resolve(), …)` with nothing else to wait for. */
function isPromiseOfTimer(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) || !isNamed(node.expression, 'Promise')) return false;
  const executor = node.arguments?.[0];
  if (executor === undefined || !(ts.isArrowFunction(executor) || ts.isFunctionExpression(executor)))
    return false;
  const only = onlyExpression(executor.body);
  if (only === undefined || !ts.isCallExpression(only)) return false;
  return isNamed(only.expression, 'setTimeout');
}

function onlyExpression(body: ts.ConciseBody): ts.Expression | undefined {
  if (!ts.isBlock(body)) return body;
  const [statement, ...more] = body.statements;
  return statement !== undefined && more.length === 0 && ts.isExpressionStatement(statement)
    ? statement.expression
    : undefined;
}

function isDefaultExport(node: ts.Node): boolean {
  if (ts.isExportAssignment(node)) return true;
  if (ts.isExportSpecifier(node)) return node.name.text === 'default';
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
  );
}
