/** Whether a name fits a pattern as a whole, in which `*` stands for any text. Case counts. */
export function compileNamePattern(pattern: string): (name: string) => boolean {
  if (pattern === '*') return () => true;
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
      return false;
    const end = name.length - last.length;
    let at = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return true;
  };
}

/** Whether a name fits one of several patterns. */
export function compileNamePatterns(patterns: readonly string[]): (name: string) => boolean {
  const matchers = patterns.map(compileNamePattern);
  return (name) => matchers.some((fits) => fits(name));
}
