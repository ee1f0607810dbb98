import {
  getOwn,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../../kernel/json/index.ts';
import { readFileRange, statPath } from '../../../platform/files/index.ts';
import { EXIT } from '../exit-code.ts';
import { integerOption } from '../inputs.ts';
import type { Colours } from '../output/colours.ts';
import { printableLine } from '../output/printable.ts';
import type { Verb } from '../verb.ts';

const DEFAULT_LINES = 50;
const MAX_LINES = 10_000;
/** How much of the end of the file is looked at; 10,000 lines of 400 characters. */
const MAX_BYTES = 4 * 1024 * 1024;

const lines = integerOption('-n, --lines <n>', `how many entries (${DEFAULT_LINES} by default)`, {
  min: 1,
  max: MAX_LINES,
});

export const verb: Verb = {
  name: 'logs',
  summary: 'show the end of the log',
  details: 'Exit code 4 when there is no log yet.',
  example: 'herma logs --lines 200',
  options: [lines],
  run: async (context) => {
    const file = context.paths.log;
    const stat = await statPath(file);
    if (!stat.ok) return context.fail(stat);
    if (stat.value === undefined) {
      context.note(`there is no log yet (${file})`);
      if (context.json) context.printJson([]);
      return EXIT.nothing;
    }
    const start = Math.max(0, stat.value.size - MAX_BYTES);
    const read = await readFileRange(file, { start, length: MAX_BYTES, signal: context.signal });
    if (!read.ok) return context.fail(read);
    const whole = wholeLines(read.value.bytes.toString('utf8'), start > 0);
    const entries = whole.slice(-(context.get(lines) ?? DEFAULT_LINES)).map(toEntry);
    if (context.json) context.printJson(entries);
    else for (const entry of entries) context.print(describeEntry(entry, context.colours));
    return EXIT.done;
  },
};

/** Without the first line where the file was cut into, and without empty ones. */
function wholeLines(text: string, isCut: boolean): readonly string[] {
  const all = text.split('\n').slice(isCut ? 1 : 0);
  return all.filter((line) => line.trim() !== '');
}

/** A line that is no JSON object is kept as its message. */
function toEntry(line: string): JsonObject {
  const parsed = parseJson(line);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : { message: line };
}

const OWN_FIELDS = new Set(['time', 'level', 'pid', 'message']);

function describeEntry(entry: JsonObject, colours: Colours): string {
  const fields = Object.entries(entry)
    .filter(([name]) => !OWN_FIELDS.has(name))
    .map(([name, value]) => `${name}=${textOf(value)}`);
  const level = textOf(getOwn(entry, 'level'));
  const plain = (text: string): string => text;
  const parts: readonly (readonly [string, (text: string) => string])[] = [
    [textOf(getOwn(entry, 'time')), colours.faint],
    [level, level === 'error' ? colours.bad : level === 'warn' ? colours.warning : plain],
    [textOf(getOwn(entry, 'message')), plain],
    [fields.join(' '), colours.faint],
  ];
  const present = parts.filter(([text]) => text !== '');
  return present.map(([text, paint]) => paint(text)).join('  ');
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return printableLine(typeof value === 'string' ? value : JSON.stringify(value));
}
