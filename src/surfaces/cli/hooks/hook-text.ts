import type { ShellHook } from '../../../safety/hooks/index.ts';
import { printableLine } from '../output/printable.ts';

type Told = Pick<ShellHook, 'command' | 'matcher' | 'timeoutMs' | 'failClosed'>;

/** One hook on one line: `/h/guard.py matcher='terminal' (timeout=10s, fail_closed, ✓ allowed)`. */
export function hookText({ command, matcher, timeoutMs, failClosed }: Told, status?: string): string {
  const facts = [
    `timeout=${String(timeoutMs / 1000)}s`,
    ...(failClosed ? ['fail_closed'] : []),
    ...(status === undefined ? [] : [status]),
  ];
  const only = matcher === undefined ? '' : ` matcher=${quoted(matcher)}`;
  return printableLine(`${command}${only} (${facts.join(', ')})`);
}

/** As Python shows a text, as the lists of Hermes Agent do. */
function quoted(text: string): string {
  return text.includes("'") && !text.includes('"') ? `"${text}"` : `'${text.replaceAll("'", "\\'")}'`;
}

/** Hooks below their events, the events sorted. */
export function byEvent<Hook extends { readonly event: string }>(
  hooks: readonly Hook[],
): readonly (readonly [string, readonly Hook[]])[] {
  const groups = Map.groupBy(hooks, ({ event }) => event);
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Seconds, to the millisecond. */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
