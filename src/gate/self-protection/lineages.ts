import type { CallIds } from '../../kernel/tool-call/index.ts';

type Ids = Pick<CallIds, 'sessionId' | 'rootSessionId' | 'parentSessionId'>;

/**
 * Who belongs to whom, as far as calls of this process told: a session that was continued after a compression has another
 * id than its root, and a delegated child has a root of its own.
 */
export class Lineages {
  readonly #roots = new Map<string, string>();
  readonly #parents = new Map<string, string>();

  /** The roots of the session a call comes from, of the one that delegated to it, and so on; the nearest first. */
  of({ sessionId, rootSessionId, parentSessionId }: Ids): readonly string[] {
    this.#roots.set(sessionId, rootSessionId);
    if (parentSessionId !== undefined) this.#parents.set(rootSessionId, parentSessionId);
    const ids = new Set<string>();
    for (let id: string | undefined = rootSessionId; id !== undefined && !ids.has(id); ) {
      ids.add(id);
      const parent = this.#parents.get(id);
      id = parent === undefined ? undefined : (this.#roots.get(parent) ?? parent);
    }
    return [...ids];
  }
}
