import { randomBytes } from '../../../platform/random/index.ts';
import { RawWriter, unlinkRaw } from '../../../platform/raw-files/index.ts';

const PREFIX = 'tmp-';

/** Whether a file of `projects/` or `journals/<h16>/` is one that was not finished. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Names that nobody has used: of this object by a count, of others by chance. */
export class FreshNames {
  readonly #token = Buffer.from(randomBytes(8)).toString('hex');
  #count = 0;

  next(): string {
    this.#count += 1;
    return `${this.#token}-${String(this.#count)}`;
  }
}

/** Complete files (0600) in one folder, to be given their names. */
export class Drafts {
  readonly #folder: string;
  readonly #names = new FreshNames();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Writes a file and has `publish` rename it, or link and unlink it. When that throws the file is removed. Throws what
   * the file system does.
   */
  publish<Value>(text: string, publish: (path: string) => Value): Value {
    const path = `${this.#folder}/${PREFIX}${this.#names.next()}`;
    try {
      createPrivateFile(path, text);
      return publish(path);
    } catch (error) {
      unlinkRaw(path);
      throw error;
    }
  }
}

/** Makes a file that was not there, 0600. Throws `EEXIST` when something has the name; on failure it may be there, cut short. */
export function createPrivateFile(path: string, text: string): void {
  const file = new RawWriter(path, 0o600);
  try {
    if (text !== '') file.write(Buffer.from(text));
  } finally {
    file.close();
  }
}
