import type { Rewind } from '../../../app/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import type { CheckpointDiff, ListedCheckpoint, RestoreReport } from '../../../safety/checkpoints/index.ts';

/** One checkpoint of the list, for `--json`. */
export function entryDocument(entry: ListedCheckpoint): JsonObject {
  return {
    n: entry.n,
    id: entry.id,
    at: isoTime(entry.at),
    reason: entry.reason,
    call_id: entry.callId ?? null,
    files: entry.files,
    insertions: entry.insertions,
    deletions: entry.deletions,
    holes: entry.holes,
    kind: entry.kind,
    calls: entry.calls,
    session_id: entry.sessionId ?? null,
    turn_id: entry.turnId ?? null,
  };
}

/** A difference, for `--json`. */
export function diffDocument({ id, files, holes, patch }: CheckpointDiff): JsonObject {
  return {
    id,
    files: files.map(({ path, status, insertions, deletions, binary }) => ({
      path,
      status,
      insertions,
      deletions,
      binary,
    })),
    holes: holes.map(({ path, reason }) => ({ path, reason })),
    patch,
  };
}

/** What a restore did, for `--json`. */
export function restoreDocument(report: RestoreReport, rewind: Rewind | undefined): JsonObject {
  const { ok, target, restored, deleted, kept, skipped, safetyId, error } = report;
  return {
    ok,
    id: target?.id ?? null,
    restored: [...restored],
    deleted: [...deleted],
    kept: [...kept],
    skipped: skipped.map(({ path, reason }) => ({ path, reason })),
    safety_id: safetyId ?? null,
    rewound: rewind === undefined ? null : rewindDocument(rewind),
    error:
      error === undefined ? null : { code: error.code, message: error.message, remedy: error.remedy ?? null },
  };
}

/** ISO 8601; null for what is no time. */
export function isoTime(ms: number): string | null {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null;
}

function rewindDocument(rewind: Rewind): JsonObject {
  switch (rewind.type) {
    case 'rewound':
      return { ok: true, session_id: rewind.sessionId, removed_messages: rewind.removedMessages };
    case 'open_elsewhere':
      return { ok: false, session_id: rewind.sessionId, message: rewind.message };
    case 'not_possible':
      return { ok: false, session_id: null, message: rewind.message };
  }
}
