import type { Row } from '../../platform/sqlite/index.ts';
import type { Message } from './message.ts';

/** A conversation, as `state.db` knows it. Times are milliseconds since 1970. */
export interface Session {
  readonly id: string;
  /**
   * The first session of the lineage. A session whose parent has the same root continues that parent; one that has a
   * parent and is its own root was delegated by it.
   */
  readonly rootSessionId: string;
  readonly parentSessionId?: string;
  /** The surface it was started from: `cli`, `subagent`, … */
  readonly source: string;
  readonly model?: string;
  readonly title?: string;
  /** Absolute. */
  readonly cwd: string;
  readonly startedAtMs: number;
  /** When its last message was stored. */
  readonly lastActiveAtMs: number;
  readonly endedAtMs?: number;
  readonly endReason?: string;
  readonly messageCount: number;
  /** Calls its assistant messages ask for. */
  readonly toolCallCount: number;
}

/** A session for a list of them. */
export interface SessionSummary extends Session {
  /** The beginning of the person's first message, on one line, at most 80 characters; empty when there is none. */
  readonly firstWords: string;
}

/** A message and the turn it belongs to. */
export interface TurnMessage {
  readonly message: Message;
  readonly turnId: string;
  /** When it was first stored; by default, now. */
  readonly timestampMs?: number;
}

/** A message as it is stored. */
export interface StoredMessage extends TurnMessage {
  readonly timestampMs: number;
}

const FIRST_WORDS_LENGTH = 80;

/** How much of a message must be read to make its first words. */
export const FIRST_WORDS_SOURCE_LENGTH = 400;

export function sessionOf(row: Row): Session {
  return {
    id: textOf(row, 'id'),
    rootSessionId: textOf(row, 'root_session_id'),
    ...(row['parent_session_id'] !== null && { parentSessionId: textOf(row, 'parent_session_id') }),
    source: textOf(row, 'source'),
    ...(row['model'] !== null && { model: textOf(row, 'model') }),
    ...(row['title'] !== null && { title: textOf(row, 'title') }),
    cwd: textOf(row, 'cwd'),
    startedAtMs: toMs(row['started_at']),
    lastActiveAtMs: toMs(row['last_active_at']),
    ...(row['ended_at'] !== null && { endedAtMs: toMs(row['ended_at']) }),
    ...(row['end_reason'] !== null && { endReason: textOf(row, 'end_reason') }),
    messageCount: Number(row['message_count']),
    toolCallCount: Number(row['tool_call_count']),
  };
}

/** The row must have a column `first_words`. */
export function summaryOf(row: Row): SessionSummary {
  const words = oneLine(textOf(row, 'first_words'));
  const characters = Array.from(graphemes().segment(words), ({ segment }) => segment);
  const isLong = characters.length > FIRST_WORDS_LENGTH;
  const firstWords = isLong ? `${characters.slice(0, FIRST_WORDS_LENGTH - 1).join('')}…` : words;
  return { ...sessionOf(row), firstWords };
}

/** `text` without line breaks and other control characters, as it can be shown in a list. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** Times are stored as seconds, in fractions. */
export function toMs(seconds: Row[string] | undefined): number {
  return Math.round(Number(seconds) * 1000);
}

export function toSeconds(ms: number): number {
  return ms / 1000;
}

function textOf(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '';
}

/** Made when it is needed: it takes milliseconds to load, and most processes never list a session. */
let segmenter: Intl.Segmenter | undefined;

function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return segmenter;
}
