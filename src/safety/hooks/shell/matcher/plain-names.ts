/** A pattern of nothing but tool names: each is either whole, or the beginning of a name. */
export interface PlainNames {
  readonly whole: ReadonlySet<string>;
  readonly beginnings: readonly string[];
}

const PLAIN_ALTERNATIVE = /^([\w-]*)(\.\*)?$/;

/**
 * Reads the patterns nearly everybody writes: `terminal`, `write_file|patch`, `mcp__github__.*`. Undefined for all others,
 * which need an engine. Without parentheses an alternative ends at the next `|`, so these are the same languages.
 */
export function readPlainNames(pattern: string): PlainNames | undefined {
  const whole = new Set<string>();
  const beginnings: string[] = [];
  for (const alternative of pattern.split('|')) {
    const parts = PLAIN_ALTERNATIVE.exec(alternative);
    if (parts === null) return undefined;
    const name = parts[1] ?? '';
    if (parts[2] === undefined) whole.add(name);
    else beginnings.push(name);
  }
  return { whole, beginnings };
}

/** Whether the whole of `name` matches; `.` matches no line break, as in Python and RE2. */
export function matchesPlainNames({ whole, beginnings }: PlainNames, name: string): boolean {
  return (
    whole.has(name) ||
    beginnings.some((beginning) => name.startsWith(beginning) && !name.slice(beginning.length).includes('\n'))
  );
}
