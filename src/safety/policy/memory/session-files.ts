import { createHash } from 'node:crypto';
import { messageOf } from '../../../kernel/errors/index.ts';
import type { JsonObject, JsonValue } from '../../../kernel/json/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import {
  listDirectory,
  makeDirectory,
  readJsonFile,
  removeFile,
  statPath,
  writeFileAtomic,
} from '../../../platform/files/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';

/** Where sessions are remembered from one process to the next. What fails is as if it were not there. */
export interface SessionMemory {
  load(lineage: string): Promise<JsonValue | undefined>;
  /** Says why it did not work; undefined when it did. */
  save(lineage: string, record: JsonObject): Promise<string | undefined>;
}

const KEPT_MS = 7 * 24 * 3_600_000;
const MAX_BYTES = 16 * 1_048_576;

/**
 * Remembers each session in a file of its own in `folder` (absolute), for agents whose every call comes in another process. Of calls
 * that are judged at the same moment the last one counts. Sessions that were quiet for a week are forgotten.
 */
export function sessionFiles(folder: string, clock: Clock): SessionMemory {
  const fileOf = (lineage: string): string =>
    resolvePath(folder, `${createHash('sha256').update(lineage, 'utf8').digest('hex').slice(0, 32)}.json`);
  return {
    load: async (lineage) => {
      const read = await readJsonFile(fileOf(lineage), { maxBytes: MAX_BYTES });
      return read.ok ? read.value : undefined;
    },
    save: async (lineage, record) => {
      try {
        const made = await makeDirectory(folder);
        if (!made.ok) return made.message;
        const written = await writeFileAtomic(fileOf(lineage), JSON.stringify(record), {
          fsync: false,
          mode: 0o600,
        });
        if (!written.ok) return written.message;
        if (written.value.isNew) await forgetOld(folder, clock.now() - KEPT_MS);
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    },
  };
}

async function forgetOld(folder: string, beforeMs: number): Promise<void> {
  const names = await listDirectory(folder);
  if (!names.ok) return;
  for (const { name } of names.value) {
    const path = resolvePath(folder, `./${name}`);
    const stat = await statPath(path, { followLinks: false });
    if (name.endsWith('.json') && stat.ok && stat.value !== undefined && stat.value.mtimeMs < beforeMs)
      await removeFile(path);
  }
}
