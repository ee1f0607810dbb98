import { fail, messageOf, type Result, succeed } from '../../../../kernel/errors/index.ts';
import { matchesPlainNames, readPlainNames } from './plain-names.ts';

/** Whether a tool's whole name matches. Takes time linear in the length of the name, whatever the pattern. */
export type ToolMatcher = (toolName: string) => boolean;

/** Instructions of the compiled program; one look at a name costs at most this many steps per character. */
const MAX_PROGRAM_SIZE = 10_000;

/**
 * Compiles the `matcher` of a hook: a regular expression in RE2's syntax, which must match the whole tool name. White space
 * around it is dropped; absent, empty and `*` match every tool.
 *
 * Fails with `invalid_pattern` for what RE2 cannot express (look-around, backreferences, `\Z`) and for patterns that compile
 * to something huge.
 */
export async function compileMatcher(
  source: string | undefined,
): Promise<Result<ToolMatcher, 'invalid_pattern'>> {
  const pattern = source?.trim() ?? '';
  if (pattern === '' || pattern === '*') return succeed(() => true);
  const plain = readPlainNames(pattern);
  if (plain !== undefined) return succeed((name) => matchesPlainNames(plain, name));
  // Loaded late: most hooks never need the engine, and it costs as much as starting their script.
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > MAX_PROGRAM_SIZE) return invalid(pattern, 'it is too large');
    return succeed((name) => compiled.matches(name));
  } catch (error) {
    return invalid(pattern, messageOf(error));
  }
}

function invalid(pattern: string, reason: string): Result<never, 'invalid_pattern'> {
  return fail(
    'invalid_pattern',
    `matcher ${JSON.stringify(pattern)} is no valid pattern: ${reason}`,
    'Write a regular expression in RE2 syntax that matches the whole tool name, such as "write_file|patch" or "mcp__.*".',
  );
}
