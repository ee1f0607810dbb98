import { valueOrThrow } from '../kernel/errors/index.ts';
import type { JsonObject } from '../kernel/json/index.ts';
import { writeFileAtomic } from '../platform/files/index.ts';
import { resolvePath } from '../platform/paths/index.ts';

/** One reply of a scripted model: a text, or the long form (see `readScript`). */
export type ScriptedReply = string | JsonObject;

/** Writes a script for `scripted:<file>` into a folder and gives back what `--model` takes. */
export async function writeModelScript(
  folder: string,
  replies: readonly ScriptedReply[] | JsonObject,
  name = 'script.json',
): Promise<string> {
  const path = resolvePath(folder, name);
  valueOrThrow(await writeFileAtomic(path, JSON.stringify(replies)));
  return `scripted:${path}`;
}

/** A reply that asks for one call. */
export function callReply(id: string, name: string, args: JsonObject): JsonObject {
  return { tool_calls: [{ id, name, args }] };
}
