import { type Failure, fail, succeed, suggest } from '../kernel/errors/index.ts';
import { frozenCopy, isJsonObject, type JsonValue, type SchemaProblem } from '../kernel/json/index.ts';
import {
  effectOfCall,
  fingerprintOfCall,
  pathsOfCall,
  type ToolCall,
  type ToolDeclaration,
} from '../kernel/tool-call/index.ts';
import type { CallRequest } from './call-request.ts';
import { checkArguments } from './check-arguments.ts';

/** Where declarations are found by the name a model or another program used. */
export interface ToolCatalog {
  /** The declaration of exactly that name. */
  lookup(name: string): ToolDeclaration | undefined;
  /** All names, for suggestions. */
  names(): readonly string[];
}

export type Normalised =
  | { readonly ok: true; readonly value: ToolCall }
  | Failure<'unknown_tool' | 'bad_arguments'>;

/**
 * Step 1 of the gate: the tool is looked up and its arguments are checked against its schema.
 *
 * The call that comes out is frozen, down to the last argument, and shares nothing with the request: whatever guards, hooks
 * and the caller do to the objects in their hands, what was checked is what is decided about and what runs.
 *
 * A tool nobody declared is an error in our own agent; from a foreign agent it is taken as able to do anything, and so
 * is one that only shares its name with a tool of ours: arguments that do not fit tell.
 */
export function normalise(
  request: CallRequest,
  catalog: ToolCatalog,
  unknownTools: 'refuse' | 'external',
): Normalised {
  const copy = frozenCopy(request.args);
  if (!copy.ok) return badArguments(request.tool, copy.message);
  const args = copy.value;
  const declaration = declarationOf({ ...request, args }, catalog, unknownTools);
  if (declaration === undefined) return unknownTool(request.tool, catalog.names());
  const problems = checkArguments(declaration.parameters, args);
  if (problems.length > 0) return badArguments(request.tool, listOf(problems));
  if (!isJsonObject(args)) return badArguments(request.tool, 'args must be an object');
  const { tool, cwd, origin } = request;
  return succeed(
    Object.freeze({
      ...request,
      args,
      effect: effectOfCall(declaration, args),
      paths: Object.freeze(pathsOfCall(declaration, args)),
      ...(declaration.actsThroughGate === true ? { actsThroughGate: true } : {}),
      fingerprint: fingerprintOfCall({ tool, args, cwd }),
      origin: Object.freeze({ ...origin }),
    }),
  );
}

/** The same call with other arguments, checked like the first ones. */
export function withArguments(
  call: ToolCall,
  args: JsonValue,
  { catalog, unknownTools }: { readonly catalog: ToolCatalog; readonly unknownTools: 'refuse' | 'external' },
): Normalised {
  return normalise({ ...call, args }, catalog, unknownTools);
}

function declarationOf(
  { tool, args }: CallRequest,
  catalog: ToolCatalog,
  unknownTools: 'refuse' | 'external',
): ToolDeclaration | undefined {
  const declared = catalog.lookup(tool);
  if (unknownTools === 'refuse') return declared;
  const fits = declared !== undefined && checkArguments(declared.parameters, args).length === 0;
  return fits ? declared : undeclared(tool);
}

function undeclared(name: string): ToolDeclaration {
  return {
    name,
    description: '',
    parameters: { type: 'object' },
    effect: 'external',
    idempotent: false,
    pathArguments: [],
  };
}

function unknownTool(name: string, known: readonly string[]): Failure<'unknown_tool'> {
  const near = suggest(name, known);
  const remedy = near === undefined ? `The tools are: ${known.join(', ')}.` : `Did you mean "${near}"?`;
  return fail('unknown_tool', `There is no tool "${name.slice(0, 80)}".`, remedy);
}

/** Characters of one problem: names of arguments, which models write, are quoted in it. */
const MAX_PROBLEM = 400;

function listOf(problems: readonly SchemaProblem[]): string {
  const listed = problems.slice(0, 3).map(({ path, message }) => {
    const text = `${path} ${message}`;
    return text.length <= MAX_PROBLEM ? text : `${text.slice(0, MAX_PROBLEM - 1).toWellFormed()}…`;
  });
  const rest = problems.length > 3 ? ` (and ${String(problems.length - 3)} more)` : '';
  return listed.join('; ') + rest;
}

function badArguments(tool: string, what: string): Failure<'bad_arguments'> {
  return fail(
    'bad_arguments',
    `The arguments of ${tool} do not fit: ${what}.`,
    'Call it again with arguments that fit its schema.',
  );
}
