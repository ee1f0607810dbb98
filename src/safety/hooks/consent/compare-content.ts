import { displayPath } from '../../../platform/paths/index.ts';
import type { ApprovalRecord, BoundInterpreter, RecordedContent } from './approval-record.ts';
import { isSystemPlace, isSystemProgram } from './bind-content.ts';
import type { ConsentSubject } from './consent-subject.ts';
import type { FileInspector, InspectedFile, SeenFile } from './file-inspector.ts';
import { interpreterOf } from './interpreter-of.ts';
import { isLaterThan, toIsoTime } from './iso-time.ts';
import { scriptOf } from './script-of.ts';

/** What is not as it was approved. `was` and `now`: times, or what tells the two apart. */
export interface Drift {
  readonly what: 'script' | 'interpreter' | 'program';
  readonly was: string;
  readonly now: string;
}

/** How what would run now compares with what was approved. */
export type Comparison =
  | { readonly type: 'same'; readonly notes: readonly string[] }
  /** The approval binds no content, and nothing says that it changed. */
  | { readonly type: 'unbound' }
  | { readonly type: 'missing'; readonly reason: string }
  /** Also when it cannot be told, as that it is the same is what has to be shown. */
  | { readonly type: 'drifted'; readonly reason: string; readonly drift?: Drift };

export interface CompareOptions {
  readonly subject: ConsentSubject;
  readonly record: ApprovalRecord;
  readonly inspector: FileInspector;
  readonly signal: AbortSignal | undefined;
}

/** Reads what the command would run now, as far as its stamps do not tell, and compares. */
export async function compareContent(options: CompareOptions): Promise<Comparison> {
  const { subject, record, inspector, signal } = options;
  if (subject.words.length === 0) return gone('the command cannot be split into words');
  const choice = await scriptOf(subject.words, subject, inspector);
  if (choice.type === 'missing') return gone(`there is no ${displayPath(choice.path)}`);
  const seen = await inspector.look(choice.path);
  if (!seen.ok) return seen.code === 'missing' ? gone(seen.message) : drifted(seen.message);
  const { content } = record;
  switch (content.type) {
    case 'none':
      return compareTimes(record, seen.value);
    case 'invalid':
      return drifted(`the entry binds nothing: ${content.reason}`);
    case 'bound':
      break;
    default:
      return content satisfies never;
  }
  const program = choice.isProgram ? programOf(content) : undefined;
  if (program?.path === seen.value.path && inspector.isSameAs(seen.value, program.stamp)) return same();
  const script = await inspector.inspect(choice.path, signal);
  if (!script.ok) return script.code === 'missing' ? gone(script.message) : drifted(script.message);
  if (program !== undefined) return compareProgram('program', program, script.value);
  if (script.value.sha256 !== content.sha256) return driftedScript(record, content, script.value);
  const notes =
    content.script === undefined || content.script === script.value.path
      ? []
      : [`the script was approved as ${displayPath(content.script)}, with the same content`];
  const how = { isProgram: choice.isProgram, head: script.value.head };
  const interpreter = await interpreterOf(subject.words, how, subject, inspector);
  if (!interpreter.ok)
    return interpreter.code === 'missing' ? gone(interpreter.message) : drifted(interpreter.message);
  return withNotes(notes, await compareRunner(content.interpreter, interpreter.value, options));
}

/** The program, when the approval is for a program without a script. */
function programOf({
  script,
  interpreter,
}: Extract<RecordedContent, { type: 'bound' }>): BoundInterpreter | undefined {
  return script === interpreter?.path ? interpreter : undefined;
}

function compareTimes({ scriptMtime }: ApprovalRecord, { stat }: SeenFile): Comparison {
  if (scriptMtime === undefined) return { type: 'unbound' };
  const isLater = isLaterThan(stat.mtimeMs, scriptMtime);
  if (isLater === undefined)
    return drifted(`its script_mtime_at_approval is no time in UTC: ${JSON.stringify(scriptMtime)}`);
  if (!isLater) return { type: 'unbound' };
  const drift: Drift = { what: 'script', was: scriptMtime, now: toIsoTime(stat.mtimeMs) };
  return { ...drifted('the script was modified since approval'), drift };
}

function driftedScript(
  { scriptMtime }: ApprovalRecord,
  { sha256 }: { readonly sha256: string },
  now: InspectedFile,
): Comparison {
  const nowMtime = toIsoTime(now.stat.mtimeMs);
  const tellsByTime = scriptMtime !== undefined && scriptMtime !== nowMtime;
  const drift: Drift = tellsByTime
    ? { what: 'script', was: scriptMtime, now: nowMtime }
    : { what: 'script', was: `sha256 ${sha256.slice(0, 12)}…`, now: `sha256 ${now.sha256.slice(0, 12)}…` };
  return { ...drifted('the script was modified since approval'), drift };
}

async function compareRunner(
  was: BoundInterpreter | undefined,
  path: string | undefined,
  { inspector, signal }: CompareOptions,
): Promise<Comparison> {
  if (path === undefined)
    return was === undefined ? same() : drifted('no interpreter runs the script any more');
  if (was === undefined) return same([`the approval does not bind the interpreter, ${displayPath(path)}`]);
  const seen = await inspector.look(path);
  if (seen.ok && seen.value.path === was.path && inspector.isSameAs(seen.value, was.stamp)) return same();
  const now = await inspector.inspect(path, signal);
  if (!now.ok) return now.code === 'missing' ? gone(now.message) : drifted(now.message);
  return compareProgram('interpreter', was, now.value);
}

function compareProgram(
  what: 'interpreter' | 'program',
  was: BoundInterpreter,
  now: InspectedFile,
): Comparison {
  if (was.path === now.path && was.uid === now.uid && was.sha256 === now.sha256) return same();
  if (isSystemPlace(was) && isSystemProgram(now)) {
    const from = was.path === now.path ? '' : ` (it was ${displayPath(was.path)})`;
    return same([`${displayPath(now.path)}, a program of the system, was changed since approval${from}`]);
  }
  const drift: Drift = { what, was: tell(was, now), now: tell(now, was) };
  return { ...drifted(`the ${what} was modified since approval`), drift };
}

type Told = Pick<BoundInterpreter, 'path' | 'uid' | 'sha256'>;

/** The first that differs. */
function tell(one: Told, other: Told): string {
  if (one.path !== other.path) return displayPath(one.path);
  if (one.uid !== other.uid) return `owner ${String(one.uid)}`;
  return `sha256 ${one.sha256.slice(0, 12)}…`;
}

function withNotes(notes: readonly string[], comparison: Comparison): Comparison {
  return comparison.type === 'same' ? same([...notes, ...comparison.notes]) : comparison;
}

function same(notes: readonly string[] = []): Comparison {
  return { type: 'same', notes };
}

function gone(reason: string): Comparison {
  return { type: 'missing', reason };
}

function drifted(reason: string): { readonly type: 'drifted'; readonly reason: string } {
  return { type: 'drifted', reason };
}
