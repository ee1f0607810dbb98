import { valueOrThrow } from '../kernel/errors/index.ts';
import { makeDirectory, temporaryDirectory, writeFileAtomic } from '../platform/files/index.ts';
import { resolvePath } from '../platform/paths/index.ts';

/** A Herma home and a project of their own, for one test. */
export interface TemporaryHome extends AsyncDisposable {
  /** For `HERMA_HOME`. */
  readonly home: string;
  /** An empty folder to work in. */
  readonly project: string;
  /** Writes `config.yaml`. */
  writeConfig(yaml: string): Promise<void>;
  /** Writes a file, `path` relative to the project; gives back its absolute path. */
  writeFile(path: string, content: string): Promise<string>;
  remove(): Promise<void>;
}

/** Creates both; they are removed by `remove`, or at the end of an `await using` block. */
export async function createTemporaryHome(): Promise<TemporaryHome> {
  const root = valueOrThrow(await temporaryDirectory('herma-test-'));
  const { path } = root;
  const [home, project] = [resolvePath(path, 'home'), resolvePath(path, 'project')];
  for (const folder of [home, project]) valueOrThrow(await makeDirectory(folder));
  const removeAll = async (): Promise<void> => {
    valueOrThrow(await root.remove());
  };
  return {
    home,
    project,
    writeConfig: async (yaml) => {
      valueOrThrow(await writeFileAtomic(resolvePath(home, 'config.yaml'), yaml));
    },
    writeFile: async (name, content) => {
      const file = resolvePath(project, name);
      valueOrThrow(await makeDirectory(resolvePath(file, '..')));
      valueOrThrow(await writeFileAtomic(file, content));
      return file;
    },
    remove: removeAll,
    [Symbol.asyncDispose]: removeAll,
  };
}
