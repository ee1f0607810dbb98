import { join } from 'node:path';
import type { Oid } from '../model/path-state.ts';
import { hasLoose, namesIn } from './loose-objects.ts';

/** So many objects are asked for by name; for more it costs less to list the folders they would be in. */
const MAX_SINGLE = 50;

/** Which objects have files of their own, for one piece of work during which none is removed. */
export class LooseNames {
  readonly #objects: string;
  readonly #lists = new Map<string, ReadonlySet<string>>();
  #folders: ReadonlySet<string> | undefined;
  #asked = 0;

  /** `objects` is the folder of that name in the store. */
  constructor(objects: string) {
    this.#objects = objects;
  }

  /** Whether a file that is not empty has the name of the object. One that came a moment ago may be missed. */
  has(oid: Oid): boolean {
    this.#asked += 1;
    return (this.#asked <= MAX_SINGLE || this.#isListed(oid)) && hasLoose(this.#objects, oid);
  }

  #isListed(oid: Oid): boolean {
    this.#folders ??= new Set(namesIn(this.#objects));
    const folder = oid.slice(0, 2);
    if (!this.#folders.has(folder)) return false;
    let names = this.#lists.get(folder);
    if (names === undefined) {
      names = new Set(namesIn(join(this.#objects, folder)));
      this.#lists.set(folder, names);
    }
    return names.has(oid.slice(2));
  }
}
