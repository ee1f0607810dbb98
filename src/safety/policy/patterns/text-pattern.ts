import { fail, messageOf, type Result, succeed } from '../../../kernel/errors/index.ts';

/** A regular expression that takes time in proportion to the text, whatever it is. */
export interface TextPattern {
  /** Whether some part of the text matches. */
  finds(text: string): boolean;
  /** Whether the text matches as a whole. */
  fits(text: string): boolean;
}

export type PatternCompiler = (source: string) => Result<TextPattern, 'invalid_pattern'>;

/** Instructions of the compiled program; a look at a text costs at most this many steps per character. */
const MAX_PROGRAM_SIZE = 5000;

/** Loaded late: most policies have no regular expression, and the engine takes as long to load as all the rest. */
export async function loadPatternCompiler(): Promise<PatternCompiler> {
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
