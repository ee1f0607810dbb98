import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { listDirectory, readTextFile, statPath } from '../../platform/files/index.ts';
import { displayPath, resolveInside, resolvePath } from '../../platform/paths/index.ts';
import { type PluginManifest, readManifest } from './manifest.ts';
import { checkPluginName } from './plugin-name.ts';

/** A folder that holds a plugin. */
export interface PluginFolder {
  /** The name of the folder: what the plugin goes by everywhere. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly manifest: PluginManifest;
  /** The module, absolute, every link followed. */
  readonly entry: string;
}

/** What was found under one name in `plugins/`. */
export type FoundPlugin =
  | { readonly ok: true; readonly name: string; readonly folder: PluginFolder }
  | {
      readonly ok: false;
      readonly name: string;
      readonly message: string;
      readonly manifest?: PluginManifest;
    };

const MANIFESTS = ['plugin.yaml', 'plugin.yml'];
const ENTRIES = ['index.ts', 'index.js', 'index.mjs'];
const MAX_MANIFEST_BYTES = 64 * 1024;

/**
 * The plugins in `folder`, in the order of their names; broken ones with the reason. Names that begin with a dot are passed
 * over. None when the folder is not there; fails when it cannot be read.
 */
export async function discoverPlugins(folder: string): Promise<Result<readonly FoundPlugin[]>> {
  const there = await statPath(folder);
  if (!there.ok) return there;
  if (there.value === undefined) return succeed([]);
  const entries = await listDirectory(folder);
  if (!entries.ok) return entries;
  const candidates = entries.value.filter(
    ({ name, kind }) => !name.startsWith('.') && (kind === 'directory' || kind === 'link'),
  );
  return succeed(await Promise.all(candidates.map(({ name }) => findPlugin(folder, name))));
}

/**
 * The plugin of that name in `folder`. A link in the place of its folder is refused: what it leads to is outside the
 * protection of the home.
 */
export async function findPlugin(folder: string, name: string): Promise<FoundPlugin> {
  const checked = checkPluginName(name);
  if (!checked.ok) return { ok: false, name, message: checked.message };
  const path = resolvePath(folder, name);
  const there = await statPath(path, { followLinks: false });
  if (!there.ok) return { ok: false, name, message: there.message };
  if (there.value === undefined)
    return { ok: false, name, message: `there is no folder ${displayPath(path)}` };
  if (there.value.kind === 'link')
    return { ok: false, name, message: 'its folder is a symbolic link; install it from there instead' };
  const read = await readPluginFolder(path, name);
  return read.ok ? { ok: true, name, folder: read.value } : { ...read, name };
}

/** The plugin in the folder at `path`. */
export async function readPluginFolder(
  path: string,
  name?: string,
): Promise<
  | { readonly ok: true; readonly value: PluginFolder }
  | { readonly ok: false; readonly message: string; readonly manifest?: PluginManifest }
> {
  const manifest = await manifestIn(path);
  if (!manifest.ok) return { ok: false, message: manifest.message };
  const entry = await fileIn(path, ENTRIES);
  if (!entry.ok) return { ok: false, message: entry.message, manifest: manifest.value };
  return {
    ok: true,
    value: { name: name ?? manifest.value.name, path, manifest: manifest.value, entry: entry.value },
  };
}

async function manifestIn(path: string): Promise<Result<PluginManifest>> {
  const file = await fileIn(path, MANIFESTS);
  if (!file.ok) return file;
  const read = await readTextFile(file.value, { maxBytes: MAX_MANIFEST_BYTES });
  if (!read.ok) return read;
  const manifest = readManifest(read.value.text.replace(/^\uFEFF/, ''));
  return manifest.ok ? manifest : { ...manifest, message: `plugin.yaml: ${manifest.message}` };
}

/** The first of the files that is there, inside the folder also by where its links lead. */
async function fileIn(folder: string, names: readonly string[]): Promise<Result<string>> {
  for (const name of names) {
    const there = await statPath(resolvePath(folder, name), { followLinks: false });
    if (!there.ok) return there;
    if (there.value === undefined) continue;
    const inside = resolveInside(folder, name);
    if (!inside.ok) return { ...inside, message: `${name}: ${inside.message}` };
    return succeed(inside.value.realPath);
  }
  return fail('not_found', `there is no ${names.join(' and no ')} in it`);
}
