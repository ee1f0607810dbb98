import {
  describeFinding,
  type TamperEvent,
  type TamperFinding,
  type TamperRecord,
} from '../../../gate/index.ts';
import { redact } from '../../../kernel/redact/index.ts';
import { looksBinary, readFileBytes, statPath } from '../../../platform/files/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import { printableLine } from '../output/printable.ts';
import { shortDiff } from './short-diff.ts';

const MAX_FILES = 20;
const MAX_BYTES = 1024 * 1024;

/**
 * What is recorded of changes to Herma's own files, for a person: each call with the files that changed, and how what was
 * found there differs from what is there now. Without secrets, and nothing in it steers a terminal.
 */
export async function tamperText(record: TamperRecord): Promise<readonly string[]> {
  if (record.type === 'damaged')
    return [`${displayPath(record.path)} cannot be read as a record; it blocks a session all the same`];
  const events = await Promise.all(record.events.map(eventText));
  return [`session ${printableLine(record.rootSessionId)}`, ...events.flat()];
}

async function eventText({ at, calls, files }: TamperEvent): Promise<readonly string[]> {
  const shown = await Promise.all(files.slice(0, MAX_FILES).map(fileText));
  const more = files.length - shown.length;
  return [
    ...calls.map(({ description }) => `  ${printableLine(at)}  ${printableLine(description)}`),
    ...shown.flat().map((line) => `    ${line}`),
    ...(more > 0 ? [`    … and ${String(more)} more`] : []),
  ];
}

async function fileText(finding: TamperFinding): Promise<readonly string[]> {
  const { path, aside, change } = finding;
  const told = describeFinding(finding);
  const kept = aside === '' ? undefined : await statPath(aside, { followLinks: false });
  // Never what a link leads to: an agent made it.
  if (kept?.ok !== true || kept.value?.kind !== 'file') return [told];
  const [before, after] = [change === 'created' ? '' : await textOf(path), await textOf(aside)];
  if (before === undefined || after === undefined) return [told];
  const rows = shortDiff(redact.text(before), redact.text(after)).map((row) => `  ${printableLine(row)}`);
  const copy =
    change === 'created' || rows.length === 0
      ? []
      : [`to take the change, copy ${displayPath(aside)} over it by hand`];
  return [told, ...rows, ...copy];
}

/** Undefined for what is no text, is large, or cannot be read. */
async function textOf(path: string): Promise<string | undefined> {
  const read = await readFileBytes(path, { maxBytes: MAX_BYTES });
  if (!read.ok || looksBinary(read.value.bytes)) return undefined;
  return read.value.bytes.toString('utf8');
}
