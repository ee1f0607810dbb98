import { isUtf8 } from 'node:buffer';
import type { Tool, ToolOutcome } from '../../../gate/index.ts';
import { fail } from '../../../kernel/errors/index.ts';
import { type FileStat, readFileBytes, readFileRange } from '../../../platform/files/index.ts';
import { numberArgument, textArgument } from '../arguments.ts';
import { defineTool } from '../define-tool.ts';
import { toDisplayed } from '../files/displayed-path.ts';
import { type LocatedPath, locateExisting } from '../files/locate-file.ts';
import { failed, succeeded } from '../outcomes.ts';
import { binaryType } from './binary-type.ts';
import { numberLines } from './number-lines.ts';

/** What `read_file` is given. */
export interface ReadFilePorts {
  /** What `~` stands for; absolute. */
  readonly home: string;
}

/** The largest file that is read, in bytes. */
const MAX_READ_BYTES = 32 * 1024 * 1024;

const DEFAULT_LIMIT = 500;
const MAX_LIMIT = 2000;
const SAMPLE_BYTES = 8192;

/**
 * `read_file`: numbered lines of a text file, from `offset` (1 by default), `limit` at most (500 by default). The last line,
 * in brackets, says what is not shown and how to go on.
 *
 * Binary files, folders, devices and pipes are refused by name, and never waited for. A path that `search_files` shows with
 * escapes (`\n`, `\xff`) is understood as shown.
 */
export function createReadFileTool(ports: ReadFilePorts): Tool {
  return defineTool(
    {
      name: 'read_file',
      description:
        'Read a text file. Each line comes as "number|text". Long files come in parts: go on with the offset that is named at the end.',
      parameters: {
        type: 'object',
        properties: {
          path: {
            type: 'string',
            description: 'The file: absolute, relative to the working directory, or from ~/.',
          },
          offset: { type: 'integer', minimum: 1, description: 'Number of the first line; 1 when absent.' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_LIMIT,
            description: `How many lines; ${String(DEFAULT_LIMIT)} when absent.`,
          },
        },
        required: ['path'],
      },
      effect: 'none',
      idempotent: true,
      pathArguments: ['path'],
    },
    async ({ call }, { signal }) => {
      const given = textArgument(call.args, 'path');
      const located = await locateExisting(given, { cwd: call.cwd, home: ports.home });
      if (!located.ok) return failed(located);
      const refused = refuseKind(toDisplayed(given), located.value.stat);
      if (refused !== undefined) return refused;
      const offset = numberArgument(call.args, 'offset', 1);
      const limit = numberArgument(call.args, 'limit', DEFAULT_LIMIT);
      return readLines(located.value, { shown: toDisplayed(given), offset, limit, signal });
    },
  );
}

function refuseKind(shown: string, { kind }: FileStat): ToolOutcome | undefined {
  if (kind === 'file') return undefined;
  if (kind === 'directory') {
    return failed(
      fail('is_folder', `${shown} is a folder.`, 'List what is in it with search_files, target "files".'),
    );
  }
  return failed(
    fail('not_a_file', `${shown} is a device, a pipe or a socket, not a file.`, 'Name a regular file.'),
  );
}

interface Reading {
  readonly shown: string;
  readonly offset: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

async function readLines({ path, stat }: LocatedPath, reading: Reading): Promise<ToolOutcome> {
  const { shown, signal } = reading;
  const sample = await readFileRange(path, { start: 0, length: SAMPLE_BYTES, signal });
  if (!sample.ok) return failed(sample);
  const type = binaryType(sample.value.bytes);
  if (type !== undefined) {
    const size = `${stat.size.toLocaleString('en-US')} bytes`;
    return failed(
      fail('binary', `${shown} is a binary file (${type}, ${size}).`, 'Use a program that knows its format.'),
    );
  }
  const read = await readFileBytes(path, { maxBytes: MAX_READ_BYTES, signal });
  if (!read.ok && read.code === 'too_large') {
    return failed({ ...read, remedy: `Read a part with terminal, as in: sed -n '1,200p' FILE` });
  }
  return read.ok ? present(read.value.bytes, reading) : failed(read);
}

function present(bytes: Buffer, { shown, offset, limit }: Reading): ToolOutcome {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const lines = linesOf(text);
  if (lines.length === 0) return succeeded(`[${shown} is empty]`);
  if (offset > lines.length) {
    const count = lines.length === 1 ? '1 line' : `${String(lines.length)} lines`;
    return failed(
      fail(
        'past_end',
        `${shown} has ${count}; offset ${String(offset)} is past its end.`,
        'Use a smaller offset.',
      ),
    );
  }
  const { text: numbered, next, shortened } = numberLines(lines, offset, limit);
  const left = lines.length - next + 1;
  const notes = [
    ...(left > 0
      ? [
          `lines ${String(offset)}-${String(next - 1)} of ${String(lines.length)}; ${String(left)} left, go on with offset ${String(next)}`,
        ]
      : []),
    ...(shortened > 0 ? [`${String(shortened)} long lines are shortened`] : []),
    ...(text.includes('\r\n') ? ['line endings are CRLF'] : []),
    ...(isUtf8(bytes) ? [] : ['not valid UTF-8: what could not be read is shown as U+FFFD']),
  ];
  return succeeded(notes.length === 0 ? numbered : `${numbered}\n[${notes.join('; ')}]`);
}

function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  return text.endsWith('\n') ? lines.slice(0, -1) : lines;
}
