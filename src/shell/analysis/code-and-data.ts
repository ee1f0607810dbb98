import type { Report } from './report.ts';

/** The parts of a command that are run, and those that are only text. */
export function codeAndData(
  command: string,
  { code, data, executed }: Report,
): { readonly code: string; readonly data: string } {
  const texts = [...data].filter((text) => !executed.has(text) && !executed.has(text.trimEnd()));
  return { code: code.join('\n'), data: [...texts, ...comments(command)].join('\n') };
}

/** What stands behind `#`, where it begins a word. */
function comments(command: string): string[] {
  if (!command.includes('#')) return [];
  const found: string[] = [];
  for (const [whole] of command.matchAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\\.|(?:^|(?<=[\s;&|()]))#[^\n]*/gs))
    if (whole.startsWith('#')) found.push(whole.slice(1).trim());
  return found;
}
