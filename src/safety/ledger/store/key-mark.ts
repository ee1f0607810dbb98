import { type Database, type Row } from '../../../platform/sqlite/index.ts';
import { appendEvent } from './chain.ts';
import type { Seal } from './seal.ts';

/**
 * Holds the key against the mark of the one the journal was sealed with. A change is an entry of the chain, so that rows sealed before it
 * are not taken for edited ones.
 */
export function checkKey(database: Database, seal: Seal, at: string): 'known' | 'changed' {
  if (markIn(database) === seal.keyId) return 'known';
  return database.transaction(() => {
    const mark = markIn(database);
    if (mark === seal.keyId) return 'known';
    database.run("INSERT OR REPLACE INTO meta (name, value) VALUES ('key', ?)", [seal.keyId]);
    if (mark === undefined) return 'known';
    appendEvent(database, { kind: 'started', at, detail: JSON.stringify({ key: seal.keyId }) });
    return 'changed';
  });
}

function markIn(database: Database): Row[string] | undefined {
  return database.get("SELECT value FROM meta WHERE name = 'key'")?.['value'];
}
