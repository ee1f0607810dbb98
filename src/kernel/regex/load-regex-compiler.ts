import { fail, messageOf, type Result, succeed } from '../errors/index.ts';

/** A regular expression that takes time in proportion to the text, whatever it is. */
export interface Regex {
  /** Whether some part of the text matches. */
  finds(text: string): boolean;
  /** Whether the text matches as a whole. */
  fits(text: string): boolean;
}

/** Compiles one pattern. */
export type RegexCompiler = (source: string) => Result<Regex, 'invalid_pattern'>;

/** Instructions of the compiled program; a look at a text costs at most this many steps per character. */
const MAX_PROGRAM_SIZE = 5000;

/**
 * A compiler for regular expressions in the syntax of RE2. Loaded late: most of what has patterns has none of these, and the engine takes as
 * long to load as a small program. It fails with `invalid_pattern` for what RE2 cannot express (look-around, backreferences), and for
 * what compiles to something huge.
 */
export async function loadRegexCompiler(): Promise<RegexCompiler> {
  const { RE2JS } = await import('re2js');
  return (source) => {
    try {
      const compiled = RE2JS.compile(source);
      if (compiled.programSize() > MAX_PROGRAM_SIZE) return invalid(source, 'it is too large');
      return succeed({
        finds: (text) => compiled.test(text),
        fits: (text) => compiled.testExact(text),
      });
    } catch (error) {
      return invalid(source, messageOf(error));
    }
  };
}

function invalid(source: string, reason: string): Result<never, 'invalid_pattern'> {
  return fail(
    'invalid_pattern',
    `${JSON.stringify(source)} is no regular expression: ${reason}`,
    'Write it in RE2 syntax: without look-around and backreferences.',
  );
}
