import { valueOrThrow } from '../kernel/errors/index.ts';
import { setMode, writeFileAtomic } from '../platform/files/index.ts';
import { resolvePath } from '../platform/paths/index.ts';

export interface HookScript {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
  /** A file that gets what the hook was sent on its standard input. */
  readonly copyInputTo?: string;
}

/** Writes an executable that behaves as a hook script does, and gives back its absolute path. */
export async function writeHookScript(folder: string, name: string, hook: HookScript): Promise<string> {
  const { stdout = '', stderr = '', exitCode = 0, copyInputTo = '/dev/null' } = hook;
  const path = resolvePath(folder, name);
  const lines = [
    '#!/bin/sh',
    `cat > ${quote(copyInputTo)}`,
    `printf %s ${quote(stdout)}`,
    `printf %s ${quote(stderr)} >&2`,
    `exit ${String(exitCode)}`,
  ];
  valueOrThrow(await writeFileAtomic(path, `${lines.join('\n')}\n`));
  valueOrThrow(await setMode(path, 0o700));
  return path;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
