import { type Failure, fail } from '../../../kernel/errors/index.ts';
import type { BoundInterpreter, RecordedContent } from './approval-record.ts';
import type { ConsentSubject } from './consent-subject.ts';
import type { FileInspector, InspectedFile, InspectFailure } from './file-inspector.ts';
import { interpreterOf, isBinaryProgram } from './interpreter-of.ts';
import { toIsoTime } from './iso-time.ts';
import { scriptOf } from './script-of.ts';

/** What a command would run now. */
export interface BoundContent {
  readonly content: Extract<RecordedContent, { type: 'bound' }>;
  /** ISO 8601 in UTC. */
  readonly scriptMtime: string;
  /** Whether there is no script: the command is a program of the system with arguments (`jq .`, `bash -c '…'`). */
  readonly isProgramOnly: boolean;
  readonly script: InspectedFile;
}

/** `script_missing`: the script, or what would run it, is not there. */
export type BindErrorCode = 'script_missing' | 'script_unreadable';

/** Reads what a command would run, for its approval to hold for exactly that. */
export async function bindContent(
  subject: ConsentSubject,
  inspector: FileInspector,
  signal?: AbortSignal,
): Promise<{ readonly ok: true; readonly value: BoundContent } | Failure<BindErrorCode>> {
  const { words } = subject;
  if (words.length === 0) return fail('script_missing', 'the command cannot be split into words');
  const choice = await scriptOf(words, subject, inspector);
  if (choice.type === 'missing') return missing(choice.path);
  const script = await inspector.inspect(choice.path, signal);
  if (!script.ok) return toBindFailure(script);
  const { sha256, path, head, stat } = script.value;
  const scriptMtime = toIsoTime(stat.mtimeMs);
  const bound = { scriptMtime, script: script.value } as const;
  if (choice.isProgram && isSystemProgram(script.value)) {
    const interpreter = toInterpreter(script.value);
    const content = { type: 'bound', sha256, script: path, interpreter } as const;
    return { ok: true, value: { ...bound, content, isProgramOnly: true } };
  }
  const found = await interpreterOf(words, { isProgram: choice.isProgram, head }, subject, inspector);
  if (!found.ok) return toBindFailure(found);
  const content = { type: 'bound', sha256, script: path } as const;
  if (found.value === undefined) return { ok: true, value: { ...bound, content, isProgramOnly: false } };
  const interpreter = await inspector.inspect(found.value, signal);
  if (!interpreter.ok) return toBindFailure(interpreter);
  const withInterpreter = { ...content, interpreter: toInterpreter(interpreter.value) };
  return { ok: true, value: { ...bound, content: withInterpreter, isProgramOnly: false } };
}

const SYSTEM_FOLDER = /^\/(usr|bin|sbin|lib|lib64|nix\/store|snap|System|Library)\//;

/**
 * Whether only the superuser can have changed it: a compiled program that belongs to root, in a folder of the system, that
 * nobody else may write to.
 */
export function isSystemProgram({ path, uid, stat, head }: InspectedFile): boolean {
  return isSystemPlace({ path, uid }) && (stat.mode & 0o022) === 0 && isBinaryProgram(head);
}

export function isSystemPlace({ path, uid }: Pick<BoundInterpreter, 'path' | 'uid'>): boolean {
  return uid === 0 && SYSTEM_FOLDER.test(path) && !path.split('/').includes('..');
}

function toInterpreter({ path, uid, stamp, sha256, isSettled }: InspectedFile): BoundInterpreter {
  return { path, uid, sha256, ...(isSettled ? { stamp } : {}) };
}

function missing(path: string): Failure<BindErrorCode> {
  return fail('script_missing', `there is no ${JSON.stringify(path)}`, 'check the command in config.yaml');
}

function toBindFailure({ code, message, remedy }: InspectFailure): Failure<BindErrorCode> {
  return fail(code === 'missing' ? 'script_missing' : 'script_unreadable', message, remedy);
}
