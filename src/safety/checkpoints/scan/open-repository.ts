import type { IgnoreRules } from '../../../kernel/gitignore/index.ts';
import type { GitIndex } from './git-index.ts';
import { type GitRepository, readIndex, readRules } from './git-repository.ts';

/** Indexes by file, each with the stamp it had when it was read. */
export type IndexCache = Map<string, { readonly stamp: string; readonly index: GitIndex | undefined }>;

/** A repository during a scan. Its files are read when they are first needed. */
export class OpenRepository {
  readonly #location: GitRepository;
  readonly #prefix: string;
  readonly #lead: string;
  readonly #stamp: string;
  readonly #indexes: IndexCache;
  #exclude: { readonly rules: IgnoreRules | undefined } | undefined;

  /**
   * @param options.prefix of the folder the repository lies in, relative to the root of the scan, with a slash at its end
   * (empty for the root and above).
   * @param options.lead what comes before a path in the index when the repository begins above the root: `packages/app/`.
   */
  constructor(
    location: GitRepository,
    options: {
      readonly prefix: string;
      readonly lead: string;
      readonly stamp: string;
      readonly indexes: IndexCache;
    },
  ) {
    this.#location = location;
    this.#prefix = options.prefix;
    this.#lead = options.lead;
    this.#stamp = options.stamp;
    this.#indexes = options.indexes;
  }

  /** Of `info/exclude`. */
  excludeRules(): IgnoreRules | undefined {
    this.#exclude ??= { rules: readRules(this.#location.exclude) };
    return this.#exclude.rules;
  }

  /** Whether git tracks a file, or anything below a folder. The path is relative to the root of the scan. */
  tracks(path: string, isFolder: boolean): boolean {
    const name = this.#lead + path.slice(this.#prefix.length);
    const index = this.#index();
    if (index === undefined) return false;
    return index.has(name) || (isFolder && index.hasBelow(name));
  }

  /** Every path that git tracks below the root of the scan, relative to it. */
  trackedPaths(): readonly string[] {
    const paths = this.#index()?.paths() ?? [];
    const lead = this.#lead;
    const inside = lead === '' ? paths : paths.filter((path) => path.startsWith(lead));
    return inside.map((path) => this.#prefix + path.slice(lead.length));
  }

  #index(): GitIndex | undefined {
    const file = this.#location.index;
    const known = this.#indexes.get(file);
    if (known?.stamp === this.#stamp) return known.index;
    const index = readIndex(file);
    this.#indexes.set(file, { stamp: this.#stamp, index });
    return index;
  }
}
