import { fail, type Result, succeed } from '../../../../kernel/errors/index.ts';
import { matchesPlainNames, readPlainNames } from './plain-names.ts';

/** Whether a tool's whole name matches. Takes time linear in the length of the name, whatever the pattern. */
export type ToolMatcher = (toolName: string) => boolean;

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
  const { loadRegexCompiler } = await import('../../../../kernel/regex/index.ts');
  const compiled = (await loadRegexCompiler())(pattern);
  return compiled.ok ? succeed((name) => compiled.value.fits(name)) : invalid(pattern, compiled.message);
}

function invalid(pattern: string, reason: string): Result<never, 'invalid_pattern'> {
  return fail(
    'invalid_pattern',
    `matcher ${JSON.stringify(pattern)} is no valid pattern: ${reason}`,
    'Write a regular expression in RE2 syntax that matches the whole tool name, such as "write_file|patch" or "mcp__.*".',
  );
}
