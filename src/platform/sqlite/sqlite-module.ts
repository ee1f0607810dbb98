import type { DatabaseSync } from 'node:sqlite';

type Constructor = typeof DatabaseSync;

interface SqliteModule {
  readonly DatabaseSync?: Constructor;
  readonly Database?: Constructor;
}

/** The database class of `node:sqlite`, under the name it has or the one it is to have. */
export function chooseConstructor(module: SqliteModule | undefined): Constructor {
  const constructor = module?.DatabaseSync ?? module?.Database;
  if (constructor === undefined)
    throw new Error(`Node ${process.versions.node} has no SQLite: use Node 24 or newer`);
  return constructor;
}

/** Opens a connection. SQLite is loaded here, when the first database is opened. */
export function connect(path: string | Buffer, isReadOnly: boolean): DatabaseSync {
  const Connection = chooseConstructor(process.getBuiltinModule('node:sqlite'));
  return new Connection(path, { readOnly: isReadOnly });
}
