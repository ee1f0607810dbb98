import type { Argument } from './argument.ts';

const UNARY = /^-[abcdefghknoprstuwxzGLNOS]$/;
const BINARY = /^(?:=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/**
 * Whether `test` or `[` only looks. `-v` and `-R` evaluate an index, so a word that could turn out to be one of them must not stand
 * where bash expects an operator.
 */
export function isHarmlessTest(args: readonly Argument[]): boolean {
  if (args.every(({ value }) => value !== undefined && value !== '-v' && value !== '-R')) return true;
  const rest = args[0]?.value === '!' ? args.slice(1) : args;
  if (!rest.every(({ isOneField }) => isOneField)) return false;
  const [first, second] = rest;
  if (rest.length === 1) return true;
  if (rest.length === 2) return UNARY.test(first?.value ?? '');
  return rest.length === 3 && BINARY.test(second?.value ?? '');
}
