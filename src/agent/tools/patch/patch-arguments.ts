import { getString, type JsonObject } from '../../../kernel/json/index.ts';
import { pathsOfV4a } from './parse-v4a.ts';

export type PatchMode = 'replace' | 'patch';

/** The mode of a call: as given, else by which arguments it has. */
export function modeOf(args: JsonObject): PatchMode {
  const mode = getString(args, 'mode');
  if (mode === 'patch' || mode === 'replace') return mode;
  return getString(args, 'path') === undefined && getString(args, 'patch') !== undefined
    ? 'patch'
    : 'replace';
}

/** Every file the body of a V4A patch names; none in the other mode, whose file is an argument of its own. */
export function pathsOfPatch(args: JsonObject): readonly string[] {
  return modeOf(args) === 'patch' ? pathsOfV4a(getString(args, 'patch') ?? '') : [];
}
