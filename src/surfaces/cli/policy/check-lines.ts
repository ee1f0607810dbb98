import { type Failure, fail, messageOf, type Result, succeed } from '../../../kernel/errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, parseJson } from '../../../kernel/json/index.ts';
import { errnoOf, isFileError } from '../../../platform/paths/index.ts';
import { errorDocument } from '../create-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { VerbContext } from '../verb.ts';
import type { CheckedText } from './checked-call.ts';
import type { Checker } from './checker.ts';
import { type InputLine, inputLines } from './input-lines.ts';
import { verdictDocument } from './verdict-text.ts';

/** What holds for every line that does not say otherwise. */
export interface LineDefaults {
  readonly tool: string;
  readonly unattended: boolean;
}

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const EXPECTED = 'write a command as a JSON string, or {"command": "…", "cwd": "…"}';

/**
 * Judges every line of the standard input and answers each with one line, as soon as it is there. What cannot be judged is answered
 * with an error, which is a block; the lines behind it are judged.
 */
export async function checkLines(
  context: VerbContext,
  checker: Checker,
  defaults: LineDefaults,
): Promise<ExitCode> {
  if (context.stdin.isTTY === true)
    return context.fail(fail('no_input', 'standard input is a terminal', 'pipe the commands into it'));
  try {
    for await (const line of inputLines(context, MAX_LINE_BYTES))
      context.print(JSON.stringify(await answerTo(line, checker, defaults)));
    return EXIT.done;
  } catch (error) {
    if (context.signal.aborted || !isFileError(error)) throw error;
    const why = errnoOf(error) ?? messageOf(error);
    return context.fail(
      fail('unreadable_input', `standard input cannot be read: ${why}`, 'pipe the commands into it'),
    );
  }
}

async function answerTo(line: InputLine, checker: Checker, defaults: LineDefaults): Promise<JsonObject> {
  const read = readLine(line, checker, defaults);
  if (!read.ok) return refusal(read);
  const { unattended, ...text } = read.value;
  const checked = await checker.check(text, unattended);
  return checked.ok ? verdictDocument(checked.value.verdict) : refusal(checked);
}

function refusal(failure: Failure): JsonObject {
  return {
    verdict: 'block',
    rule: null,
    class: null,
    resolved: null,
    message: failure.message,
    ...errorDocument(failure),
  };
}

interface Asked extends CheckedText {
  readonly unattended: boolean;
}

function readLine(line: InputLine, checker: Checker, { tool, unattended }: LineDefaults): Result<Asked> {
  if ('wrong' in line) {
    const what =
      line.wrong === 'not_utf8'
        ? 'is not UTF-8'
        : `has more than ${String(MAX_LINE_BYTES / 1024 / 1024)} MiB`;
    return fail('bad_line', `the line ${what}`, EXPECTED);
  }
  const parsed = parseJson(line.text);
  if (!parsed.ok) return fail('bad_line', `the line is no JSON: ${parsed.message}`, EXPECTED);
  const { value } = parsed;
  if (typeof value === 'string') return succeed({ text: value, tool, cwd: checker.cwd, unattended });
  if (!isJsonObject(value)) return fail('bad_line', 'the line is neither a text nor an object', EXPECTED);
  const command = getOwn(value, 'command');
  const cwd = getOwn(value, 'cwd') ?? checker.cwd;
  const named = getOwn(value, 'tool') ?? tool;
  const alone = getOwn(value, 'unattended') ?? unattended;
  if (typeof command !== 'string') return wrong('command', 'a text');
  if (typeof cwd !== 'string' || cwd === '') return wrong('cwd', 'a folder');
  if (typeof named !== 'string') return wrong('tool', 'the name of a tool');
  if (typeof alone !== 'boolean') return wrong('unattended', 'true or false');
  return succeed({ text: command, tool: named, cwd: checker.folder(cwd), unattended: alone });
}

function wrong(key: string, expected: string): Failure {
  return fail('bad_line', `${key} is not ${expected}`, EXPECTED);
}
