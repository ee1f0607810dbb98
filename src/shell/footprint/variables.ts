const HARMLESS = new Set(['LC_ALL', 'LANG', 'TZ', 'NO_COLOR', 'COLUMNS', 'TERM']);

/** Variables that change only how the output of a program looks. */
export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.has(name);
}
