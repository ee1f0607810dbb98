import type { PluginSection } from './plugin-api.ts';

export const MAX_SECTION_CHARS = 4000;
export const MAX_TOTAL_CHARS = 8000;
export const MAX_SECTIONS = 32;
export const SECTION_ID = /^[a-z0-9][a-z0-9._-]{0,127}$/;

/** The sections as they stand in the system prompt; empty when there are none. */
export function renderSections(sections: readonly PluginSection[]): string {
  return sections.map(({ id, text }) => `## ${id}\n\n${text}`).join('\n\n');
}
