import { resolve } from 'node:path';
import { getString, type JsonValue } from '../../kernel/json/index.ts';
import { printable, type ToolCall } from '../../kernel/tool-call/index.ts';
import { expandTilde } from '../../platform/paths/index.ts';
import type { CallCapture } from '../../safety/checkpoints/index.ts';

/** Characters of a command that its checkpoint is named by. */
const REASON_CHARS = 60;
/** Words of a call's arguments that are looked at as names of files. */
const MAX_WORDS = 64;

/**
 * What has to be captured before a call; undefined when it can change no file: it has no effect, it is a command that is
 * proven to read only, or it acts by calls of its own. In doubt, the tree of its working directory is.
 *
 * @param home what `~` stands for.
 */
export async function captureOfCall(call: ToolCall, home: string): Promise<CallCapture | undefined> {
  if (call.effect === 'none' || call.actsThroughGate === true) return undefined;
  const { sessionId, rootSessionId, turnId, callId } = call;
  const owner = { sessionId, rootSessionId, turnId, callId };
  const path = (given: string): string => resolve(call.cwd, expandTilde(given, home));
  if (call.effect === 'write' && call.paths.length > 0)
    return { reason: `before ${printable(call.tool)}`, owner, paths: call.paths.map(path) };
  const command = getString(call.args, 'command');
  if (call.effect === 'execute' && command !== undefined) {
    // Most processes never see a command; reading one takes a parser.
    const { footprintOf } = await import('../../shell/index.ts');
    const directory = path(getString(call.args, 'workdir') ?? '.');
    const { isReadOnly, ...footprint } = footprintOf(command);
    const isDetached = footprint.isDetached || call.args['background'] === true;
    if (isReadOnly && !isDetached) return undefined;
    const reason = `before ${printable(call.tool)}: ${shortened(command)}`;
    const scan = { directory, footprint: { ...footprint, isDetached, cwd: directory } };
    return { reason, owner, paths: [], scan };
  }
  const words = wordsOf(call.args).slice(0, MAX_WORDS);
  const footprint = { words, isComplete: false, isDetached: false, cwd: call.cwd };
  const scan = { directory: call.cwd, footprint };
  return { reason: `before ${printable(call.tool)}`, owner, paths: call.paths.map(path), scan };
}

function shortened(command: string): string {
  const line = printable(command.replaceAll(/\s+/g, ' ').trim());
  return line.length <= REASON_CHARS ? line : `${line.slice(0, REASON_CHARS - 1).toWellFormed()}…`;
}

/** The texts in the arguments, at any depth, that are short enough for a path. */
function wordsOf(value: JsonValue): readonly string[] {
  if (typeof value === 'string')
    return value.length <= 4096 && value !== '' && !value.includes('\n') ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(wordsOf);
}
