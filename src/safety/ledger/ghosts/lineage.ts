import type { Result } from '../../../kernel/errors/index.ts';
import type { Database } from '../../../platform/sqlite/index.ts';
import type { Ledger } from '../ledger.ts';
import { OPEN } from '../store/write-row.ts';

/** Above it a walk from child to parent has lost its way. */
const MAX_DEPTH = 8;

/** In the words of the partial index of the table. */
export const REVIVED = 'revived_at IS NOT NULL AND corrected_at IS NULL AND report_count > 0';

/**
 * The roots of a lineage and of those it delegated to, at whatever depth, as they stand in the journal; of the others only such as have rows
 * a model is to be told of.
 */
export async function rootsBelow(ledger: Ledger, rootSessionId: string): Promise<Result<readonly string[]>> {
  return ledger.look((access) => {
    const { database } = access;
    const root = ledger.idIn(access, rootSessionId);
    const pairs = database.all(
      `SELECT DISTINCT root_session_id, parent_session_id FROM ledger
       WHERE parent_session_id IS NOT NULL AND root_session_id <> :root AND (${OPEN})
       UNION SELECT DISTINCT root_session_id, parent_session_id FROM ledger
       WHERE parent_session_id IS NOT NULL AND root_session_id <> :root AND ${REVIVED}`,
      { root },
    );
    if (pairs.length === 0) return [root];
    const own = texts(database, 'SELECT DISTINCT session_id FROM ledger WHERE root_session_id = ?', root);
    const sessions = new Set([root, ...own]);
    const parents = new Map<string, string | undefined>();
    const parentOf = (session: string): string | undefined => {
      if (!parents.has(session)) {
        const sql = 'SELECT parent_session_id FROM ledger WHERE root_session_id = ? LIMIT 1';
        parents.set(session, texts(database, sql, session)[0]);
      }
      return parents.get(session);
    };
    const below = pairs.filter((pair) => leadsTo(pair['parent_session_id'], sessions, parentOf));
    return [root, ...below.map((pair) => String(pair['root_session_id']))];
  });
}

function leadsTo(
  parent: unknown,
  sessions: ReadonlySet<string>,
  parentOf: (session: string) => string | undefined,
): boolean {
  let session = typeof parent === 'string' ? parent : undefined;
  for (let depth = 0; session !== undefined && depth < MAX_DEPTH; depth += 1) {
    if (sessions.has(session)) return true;
    session = parentOf(session);
  }
  return false;
}

function texts(database: Database, sql: string, parameter: string): readonly string[] {
  return database
    .all(sql, [parameter])
    .flatMap((row) => Object.values(row))
    .filter((value) => typeof value === 'string');
}
