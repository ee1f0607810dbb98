import { fail, type Result } from '../../../kernel/errors/index.ts';
import { isInside } from '../../../platform/paths/index.ts';
import { toDisplayed } from './displayed-path.ts';
import { diskFiles, type FileStore } from './file-store.ts';
import { absolutePath, locateTarget, type PathBase } from './locate-file.ts';
import type { Protection } from './protect-home.ts';

/** What the tools that write files are given. */
export interface WritingPorts {
  /** What `~` stands for; absolute. */
  readonly home: string;
  /** Asked about every file before it is changed, by the path as it was given (made absolute) and as its links lead. */
  readonly isProtected: Protection;
  /** The disk; {@link diskFiles} when absent. */
  readonly files?: FileStore;
}

export interface WritableTarget {
  /** As the model gave it, fit for one line. */
  readonly shown: string;
  /** Absolute. */
  readonly path: string;
  /** Absolute, links followed: what is written to. */
  readonly realPath: string;
  readonly files: FileStore;
}

const SYSTEM_FOLDERS = ['/dev', '/proc', '/sys'] as const;

/**
 * The file a tool may write to. Fails closed: where it cannot be found out where a path leads, when that is in a folder of
 * the system that holds no files, and when the file is protected.
 */
export function writableTarget(given: string, base: PathBase, ports: WritingPorts): Result<WritableTarget> {
  const shown = toDisplayed(given);
  const located = locateTarget(given, base);
  const places = located.ok ? [located.value.path, located.value.realPath] : [absolutePath(given, base)];
  const system = SYSTEM_FOLDERS.find((folder) => places.some((place) => isInside(folder, place)));
  if (system !== undefined) {
    return fail(
      'not_a_file',
      `${shown} is in ${system}, which holds no ordinary files.`,
      'Name a file elsewhere.',
    );
  }
  if (!located.ok) return located;
  const { path, realPath } = located.value;
  const reason = ports.isProtected(path) ?? ports.isProtected(realPath);
  if (reason !== undefined) {
    return fail(
      'protected',
      `${shown} may not be changed by a tool: ${reason}.`,
      'Ask the person to change it.',
    );
  }
  return { ok: true, value: { shown, path, realPath, files: ports.files ?? diskFiles } };
}
