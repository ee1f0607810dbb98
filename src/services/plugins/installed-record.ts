import { z } from 'zod';
import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { makeDirectory, readJsonFile, writeFileAtomic } from '../../platform/files/index.ts';
import { displayPath, type HomePaths, resolvePath } from '../../platform/paths/index.ts';
import { INSTALLED_FILE } from './plugin-name.ts';

/** Where a plugin came from, and what it was seen to do. */
export interface InstalledPlugin {
  /** What was given to `plugins install`; `folder` for one that was put there by hand. */
  readonly source: string;
  /** Of a git repository: the commit. */
  readonly commit?: string;
  /** Of an npm package: the exact version, and the hash the registry gives for it. */
  readonly version?: string;
  readonly integrity?: string;
  /** ISO 8601; absent for one that was put there by hand. */
  readonly installedAt?: string;
  /** The events it registered when it was last looked at. */
  readonly hooks: readonly string[];
}

const FORMAT_VERSION = 1;

const recordSchema = z.object({
  version: z.literal(FORMAT_VERSION),
  plugins: z.record(
    z.string(),
    z.object({
      source: z.string(),
      commit: z.string().optional(),
      version: z.string().optional(),
      integrity: z.string().optional(),
      installed_at: z.string().optional(),
      hooks: z.array(z.string()).default([]),
    }),
  ),
});

/**
 * `plugin-data/installed.json`: `{version, plugins: {<name>: {source, commit | version + integrity, installed_at, hooks}}}`.
 * No file is an empty one; one that cannot be understood is a failure, and is never replaced by an empty one.
 */
export async function readInstalled(
  paths: Pick<HomePaths, 'pluginData'>,
): Promise<Result<ReadonlyMap<string, InstalledPlugin>>> {
  const file = resolvePath(paths.pluginData, INSTALLED_FILE);
  const read = await readJsonFile(file);
  if (!read.ok) return read.code === 'not_found' ? succeed(new Map()) : read;
  const parsed = recordSchema.safeParse(read.value);
  if (!parsed.success) {
    const message = `${displayPath(file)} is no list of installed plugins that this version understands.`;
    return fail('corrupt', message, 'Mend the file, or move it away.');
  }
  const entries = Object.entries(parsed.data.plugins).map(([name, given]): [string, InstalledPlugin] => [
    name,
    {
      source: given.source,
      ...(given.commit === undefined ? {} : { commit: given.commit }),
      ...(given.version === undefined ? {} : { version: given.version }),
      ...(given.integrity === undefined ? {} : { integrity: given.integrity }),
      ...(given.installed_at === undefined ? {} : { installedAt: given.installed_at }),
      hooks: given.hooks,
    },
  ]);
  return succeed(new Map(entries));
}

/** Changes the entry of one plugin, or takes it away. The caller holds the lock of the plugins. */
export async function recordInstalled(
  paths: Pick<HomePaths, 'pluginData'>,
  name: string,
  entry: InstalledPlugin | undefined,
): Promise<Result<undefined>> {
  const current = await readInstalled(paths);
  if (!current.ok) return current;
  if (entry === undefined && !current.value.has(name)) return succeed(undefined);
  const next = new Map(current.value);
  if (entry === undefined) next.delete(name);
  else next.set(name, entry);
  const plugins = Object.fromEntries(
    [...next].map(([key, { installedAt, ...rest }]) => [
      key,
      { ...rest, ...(installedAt === undefined ? {} : { installed_at: installedAt }) },
    ]),
  );
  const folder = await makeDirectory(paths.pluginData);
  if (!folder.ok) return folder;
  const text = `${JSON.stringify({ version: FORMAT_VERSION, plugins }, null, 2)}\n`;
  const written = await writeFileAtomic(resolvePath(paths.pluginData, INSTALLED_FILE), text);
  return written.ok ? succeed(undefined) : written;
}
