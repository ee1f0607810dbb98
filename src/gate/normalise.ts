import { type Failure, fail, succeed, suggest } from '../kernel/errors/index.ts';
import { isJsonObject, type JsonValue, validateJson } from '../kernel/json/index.ts';
import {
  effectOfCall,
  fingerprintOfCall,
  pathsOfCall,
  type ToolCall,
  type ToolDeclaration,
} from '../kernel/tool-call/index.ts';
import type { CallRequest } from './call-request.ts';

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
 * A tool nobody declared is an error in our own agent; from a foreign agent it is taken as able to do anything, and so
 * is one that only shares its name with a tool of ours: arguments that do not fit tell.
 */
export function normalise(
  request: CallRequest,
  catalog: ToolCatalog,
  unknownTools: 'refuse' | 'external',
): Normalised {
  const declaration = declarationOf(request, catalog, unknownTools);
  if (declaration === undefined) return unknownTool(request.tool, catalog.names());
  const problems = validateJson(declaration.parameters, request.args, 'args');
  const [first] = problems;
  if (first !== undefined || !isJsonObject(request.args)) return badArguments(request, problems);
  const { args, tool, cwd } = request;
  return succeed({
    ...request,
    args,
    effect: effectOfCall(declaration, args),
    paths: pathsOfCall(declaration, args),
    fingerprint: fingerprintOfCall({ tool, args, cwd }),
  });
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
  const fits = declared !== undefined && validateJson(declared.parameters, args, 'args').length === 0;
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

function badArguments(
  request: CallRequest,
  problems: readonly { path: string; message: string }[],
): Failure<'bad_arguments'> {
  const listed = problems.slice(0, 3).map(({ path, message }) => `${path} ${message}`);
  const rest = problems.length > 3 ? ` (and ${String(problems.length - 3)} more)` : '';
  const what = listed.length > 0 ? listed.join('; ') + rest : 'args must be an object';
  return fail(
    'bad_arguments',
    `The arguments of ${request.tool} do not fit: ${what}.`,
    'Call it again with arguments that fit its schema.',
  );
}
