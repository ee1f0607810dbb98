import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { PluginSection } from './plugin-api.ts';
import { MAX_SECTIONS, MAX_TOTAL_CHARS, renderSections } from './system-prompt-limits.ts';

/** What all plugins together may add to the system prompt. */
export class SectionBudget {
  #taken: readonly PluginSection[] = [];

  take(section: PluginSection): Result<undefined, 'over_budget' | 'id_taken'> {
    const { id } = section;
    if (this.#taken.some((other) => other.id === id))
      return fail('id_taken', `the section ${id} was left out: there is one of that id`);
    const all = [...this.#taken, section];
    if (all.length > MAX_SECTIONS)
      return fail('over_budget', `the section ${id} was left out: there are ${String(MAX_SECTIONS)} already`);
    if (renderSections(all).length > MAX_TOTAL_CHARS) {
      const limit = `${String(MAX_TOTAL_CHARS)} characters`;
      return fail(
        'over_budget',
        `the section ${id} was left out: all sections together have more than ${limit}`,
      );
    }
    this.#taken = all;
    return succeed(undefined);
  }
}
