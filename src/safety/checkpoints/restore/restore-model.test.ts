import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { groupEntries } from '../listing/entries.ts';
import { ScratchProject } from './scratch-project.ts';

type Tree = ReadonlyMap<string, string>;

const PATHS = ['a', 'b', 'd/x', 'd/y', 'd'];

/** One change of one path: new content, or `''` to remove it. */
const change = fc.record({ path: fc.constantFrom(...PATHS), content: fc.constantFrom('', '1', '2', '3') });
/** The person also has a file that no agent touches. */
const personChange = fc.record({
  path: fc.constantFrom(...PATHS, 'mine'),
  content: fc.constantFrom('', '1', '2', '3'),
});
/** A tool that names a folder removes nothing in it. */
const toolChange = change.filter(({ path }) => path !== 'd');
type Change = { readonly path: string; readonly content: string };

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('tool' as const),
      changes: fc.array(toolChange, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('command' as const),
      changes: fc.array(change, { maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('person' as const),
      changes: fc.array(personChange, { minLength: 1, maxLength: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('restore' as const),
      mode: fc.constantFrom('agent' as const, 'all' as const, 'exact' as const),
      back: fc.nat(6),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('undo' as const),
      mode: fc.constantFrom('agent' as const, 'all' as const),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** What a full copy of everything, and a memory of who did what, says of a project. */
class Model {
  readonly p: ScratchProject;
  /** The tree before each entry, by the id of the entry. */
  readonly copies = new Map<string, Tree>();
  /** Paths that the person was the last to change, with what they made of them. */
  readonly persons = new Map<string, string | undefined>();
  /** What the agents left, by path. */
  readonly agents = new Map<string, string | undefined>();
  hasPerson = false;
  #turn = 0;

  constructor(p: ScratchProject) {
    this.p = p;
  }

  async run(one: Step): Promise<void> {
    const before = this.p.tree();
    switch (one.type) {
      case 'tool':
        this.#turn += 1;
        this.p.tool(
          one.changes.map(({ path }) => path),
          () => this.#apply(one.changes),
          { turn: `t${String(this.#turn)}` },
        );
        this.#noteAgents(before);
        break;
      case 'command':
        this.#turn += 1;
        this.p.command(() => this.#apply(one.changes), { turn: `t${String(this.#turn)}` });
        this.#noteAgents(before);
        break;
      case 'person':
        this.#apply(one.changes);
        this.#notePerson(before);
        break;
      case 'restore':
        await this.#restore(one.mode, one.back);
        break;
      case 'undo':
        await this.#undo(one.mode);
        break;
    }
    this.#noteCopies(before);
    expect([...this.p.tree().keys()].filter((path) => path.includes('.herma'))).toEqual([]);
  }

  #apply(changes: readonly Change[]): void {
    for (const { path, content } of changes) {
      // Something may have been put where a folder has to be, and the other way round.
      if (path.startsWith('d/') && this.p.read('d') !== undefined) this.p.remove('d');
      this.p.remove(path);
      if (content !== '') this.p.write(path, content);
    }
  }

  async #restore(mode: 'agent' | 'all' | 'exact', back: number): Promise<void> {
    const entries = groupEntries(this.p.records());
    const nth = back % Math.max(1, entries.length);
    const entry = entries[nth];
    if (entry === undefined) return;
    const before = this.p.tree();
    const outcome = await this.p.restore(nth + 1, { mode });
    const after = this.p.tree();
    if (!outcome.ok) {
      expect(outcome.error?.code).toBe('not_scanned');
      expect(after).toEqual(before);
      return;
    }
    expect(changed(before, after)).toEqual([...outcome.restored]);
    if (mode === 'agent') this.#expectPersonsKept(before, after);
    if (mode === 'all')
      for (const path of before.keys())
        if (!this.agents.has(path)) expect([path, after.has(path)]).toEqual([path, true]);
    const copy = this.copies.get(entry.id);
    const isScanned = entry.calls[0]?.open.before !== undefined;
    if (mode === 'exact' && copy !== undefined && isScanned) expect(after).toEqual(copy);
    if (mode === 'agent' && !this.hasPerson && copy !== undefined) expect(after).toEqual(copy);
    if (mode === 'all' && isScanned && outcome.skipped.length === 0)
      for (const [path, what] of copy ?? []) expect([path, after.get(path)]).toEqual([path, what]);
    this.#noteAgents(before);
    if (outcome.safetyId === undefined) return;
    this.#noteCopies(before);
    await this.#expectUndoable(before, after);
  }

  async #expectUndoable(before: Tree, after: Tree): Promise<void> {
    for (const expected of [before, after]) {
      const start = this.p.tree();
      expect(await this.p.undo()).toMatchObject({ ok: true, kept: [], skipped: [] });
      expect(this.p.tree()).toEqual(expected);
      this.#noteCopies(start);
    }
    this.#noteAgents(before);
  }

  async #undo(mode: 'agent' | 'all'): Promise<void> {
    const before = this.p.tree();
    const outcome = await this.p.undo(mode);
    if (!outcome.ok) expect(outcome.error?.code).toBe('nothing_to_undo');
    const after = this.p.tree();
    expect(changed(before, after)).toEqual([...outcome.restored]);
    if (mode === 'agent') this.#expectPersonsKept(before, after);
    this.#noteAgents(before);
  }

  /**
   * What the person made, unless it is the same as what an agent had left there. A folder that the person has removed comes
   * back when something in it does.
   */
  #expectPersonsKept(before: Tree, after: Tree): void {
    for (const [path, what] of this.persons) {
      const isNeeded = what === undefined && [...after.keys()].some((other) => other.startsWith(`${path}/`));
      if (before.get(path) === what && this.agents.get(path) !== what && !isNeeded)
        expect([path, after.get(path)]).toEqual([path, what]);
    }
  }

  #noteAgents(before: Tree): void {
    const now = this.p.tree();
    for (const path of changed(before, now)) {
      this.agents.set(path, now.get(path));
      this.persons.delete(path);
    }
  }

  #notePerson(before: Tree): void {
    const now = this.p.tree();
    for (const path of changed(before, now)) {
      this.hasPerson = true;
      this.persons.set(path, now.get(path));
    }
  }

  #noteCopies(before: Tree): void {
    for (const { id } of groupEntries(this.p.records()))
      if (!this.copies.has(id)) this.copies.set(id, before);
  }
}

function changed(before: Tree, after: Tree): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .toSorted();
}

it('agrees with a model that keeps full copies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14, size: 'max' }), async (steps) => {
      const base = realpathSync(mkdtempSync(join(tmpdir(), 'restore-model-')));
      try {
        const model = new Model(new ScratchProject(base));
        for (const one of steps) {
          model.p.now += 1000;
          await model.run(one);
        }
      } finally {
        rmSync(base, { recursive: true, force: true });
      }
    }),
    { numRuns: 60 },
  );
}, 600_000);
