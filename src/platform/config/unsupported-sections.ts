import { isJsonObject } from '../../kernel/json/index.ts';
import type { ConfigSeverity } from './config-problem.ts';

/**
 * Sections that belong to parts of Herma which this version does not have. Where one of them promises protection the
 * program does not run, so that nobody relies on a guard that is not there; the others are said to have no effect.
 */
const UNSUPPORTED: ReadonlyMap<string, ConfigSeverity> = new Map([
  ['egress', 'error'],
  ['cron', 'warning'],
  ['dashboard', 'warning'],
  ['gateway', 'warning'],
  ['kanban', 'warning'],
]);

/** How bad it is that this section is there; undefined when it is none of those, or asks for nothing. */
export function unsupportedSeverity(name: string, section: unknown): ConfigSeverity | undefined {
  return asksForNothing(section) ? undefined : UNSUPPORTED.get(name);
}

/** Whether the section is one of those, and can be left out of the validation. */
export function isUnsupportedSection(name: string): boolean {
  return UNSUPPORTED.has(name);
}

function asksForNothing(section: unknown): boolean {
  if (section === null || section === false) return true;
  if (Array.isArray(section)) return section.length === 0;
  if (!isJsonObject(section)) return false;
  return Object.entries(section).every(([key, value]) => key === 'enabled' && value === false);
}
