import { basename } from 'node:path';
import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import { statPath } from '../../platform/files/index.ts';
import { expandTilde, resolvePath } from '../../platform/paths/index.ts';

/** Where a plugin is installed from. */
export type PluginSource =
  | { readonly kind: 'folder'; readonly path: string }
  /** `ref` is a branch, a tag or a commit; the default branch when absent. */
  | { readonly kind: 'git'; readonly url: string; readonly ref?: string }
  /** A name with an optional version or range, or the absolute path of a package file. */
  | { readonly kind: 'npm'; readonly spec: string };

const PACKAGE_NAME = /^(@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9][a-z0-9._~-]*(@[A-Za-z0-9._^~<>=*+ |-]+)?$/;
const GIT_URL = /^(git\+)?((https?|ssh|git|file):\/\/.+)$/;
const SCP_URL = /^[A-Za-z0-9_][\w.-]*@[\w.-]+:[^-].*$/;
const GIT_REF = /^[A-Za-z0-9][\w./-]*$/;

/**
 * Reads what was given to `plugins install`: a path (one that begins with `.`, `/` or `~`) of a folder, of a bare git
 * repository (`….git`) or of a package file (`….tgz`); an address of a git repository, with `#ref` for a branch, a tag or a
 * commit; or the name of an npm package. A name is never taken for a path.
 */
export async function readPluginSource(
  given: string,
  { cwd, userHome }: { readonly cwd: string; readonly userHome: string },
): Promise<Result<PluginSource, 'bad_source' | 'not_found'>> {
  if (/^[./~]/.test(given)) return pathSource(resolvePath(cwd, expandTilde(given, userHome)));
  const [address, ref] = splitRef(given);
  const url = GIT_URL.exec(address)?.[2] ?? SCP_URL.exec(address)?.[0];
  if (url !== undefined) {
    if (ref === undefined) return succeed({ kind: 'git', url });
    return GIT_REF.test(ref) && !ref.includes('..') ? succeed({ kind: 'git', url, ref }) : badSource(given);
  }
  return PACKAGE_NAME.test(given) ? succeed({ kind: 'npm', spec: given }) : badSource(given);
}

async function pathSource(path: string): Promise<Result<PluginSource, 'bad_source' | 'not_found'>> {
  const there = await statPath(path);
  if (!there.ok || there.value === undefined) {
    return fail(
      'not_found',
      there.ok ? `There is nothing at ${path}.` : there.message,
      'Name a folder that exists.',
    );
  }
  if (there.value.kind === 'file') {
    return /\.(tgz|tar\.gz)$/.test(path) ? succeed({ kind: 'npm', spec: path }) : badSource(path);
  }
  if (there.value.kind !== 'directory') return badSource(path);
  const isRepository = path.endsWith('.git') && basename(path) !== '.git';
  return succeed(isRepository ? { kind: 'git', url: path } : { kind: 'folder', path });
}

function splitRef(given: string): readonly [string, string | undefined] {
  const at = given.indexOf('#');
  return at < 0 ? [given, undefined] : [given.slice(0, at), given.slice(at + 1)];
}

function badSource(given: string): Result<never, 'bad_source'> {
  return fail(
    'bad_source',
    `${JSON.stringify(given.slice(0, 200))} names no plugin.`,
    'Give a folder (./my-plugin), the address of a git repository, or the name of an npm package.',
  );
}
