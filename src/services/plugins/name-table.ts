import { fail, type Result, succeed } from '../../kernel/errors/index.ts';

/** Who has which name. The built-in ones have theirs from the start; of several plugins the first gets it. */
export class NameTable {
  readonly #kind: string;
  readonly #owners: Map<string, string>;

  /** @param kind what the names are of, for messages. */
  constructor(kind: string, reserved: Iterable<string>) {
    this.#kind = kind;
    this.#owners = new Map(Array.from(reserved, (name) => [name, 'Herma itself']));
  }

  /** Gives the name to the plugin, or says who has it. */
  take(name: string, plugin: string): Result<undefined, 'name_taken'> {
    const owner = this.#owners.get(name);
    if (owner !== undefined)
      return fail('name_taken', `the ${this.#kind} ${name} was left out: ${owner} has one of that name`);
    this.#owners.set(name, `the plugin ${plugin}`);
    return succeed(undefined);
  }
}
