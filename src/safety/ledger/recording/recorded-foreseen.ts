import type { Redactor } from '../../../kernel/redact/index.ts';
import type { Foreseen } from '../model/foreseen.ts';

/**
 * What was foreseen, as JSON; null when nothing was. Where a path or the name of a branch holds a secret, only the exit file is kept: a path
 * without its secret would be another one, and a part of the paths would tell of a part of the call.
 */
export function recordedForeseen(foreseen: Foreseen | undefined, redactor: Redactor): string | null {
  if (foreseen === undefined) return null;
  const { files, repositories = [], exitFile } = foreseen;
  const texts = [
    ...files.map(({ path }) => path),
    ...repositories.flatMap(({ path, branch = '' }) => [path, branch]),
  ];
  if (texts.every((text) => redactor.text(text) === text)) return JSON.stringify(foreseen);
  return exitFile === undefined ? null : JSON.stringify({ files: [], exitFile });
}
