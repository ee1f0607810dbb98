import type { Tool, ToolOutcome, ToolRun } from '../../../gate/index.ts';
import { fail, suggest } from '../../../kernel/errors/index.ts';
import { getString, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import { type Clock, within } from '../../../platform/clock/index.ts';
import type { ProcessExit } from '../../../platform/process/index.ts';
import { numberArgument } from '../arguments.ts';
import { defineTool } from '../define-tool.ts';
import { cancelled, failed, succeeded } from '../outcomes.ts';
import { exitStatus } from './exit-status.ts';
import { type OutputPorts, presentOutput } from './present-output.ts';
import type { BackgroundProcess, ProcessTable } from './process-table.ts';

/** What `process` is given. */
export interface ProcessToolPorts extends OutputPorts {
  readonly clock: Clock;
  readonly processes: ProcessTable;
}

const DEFAULT_WAIT_S = 60;
const MAX_WAIT_S = 600;
const DEFAULT_LOG_LINES = 200;
const MAX_LOG_LINES = 2000;
/** Characters of output shown for each entry of a list. */
const PREVIEW_LENGTH = 200;

type Action = (entry: BackgroundProcess, args: JsonObject, run: ToolRun) => Promise<ToolOutcome>;

/**
 * `process`: the commands that `terminal` started in the background.
 *
 * `list` shows all of them; `poll` one of them with the output since the last poll; `log` lines of what is kept of its output,
 * the last ones unless `offset` says otherwise; `wait` waits for its end (60 s by default, 600 at most) and leaves it
 * running when it does not come; `kill` ends it with everything it started. Results are JSON.
 */
export function createProcessTool(ports: ProcessToolPorts): Tool {
  const actions = actionsOf(ports);
  return defineTool(
    {
      name: 'process',
      description:
        'Watch and end commands started with terminal in the background: list, poll (new output), log, wait, kill.',
      parameters: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: ['list', 'poll', 'log', 'wait', 'kill'] },
          session_id: { type: 'string', description: 'The command, for every action but list.' },
          timeout: {
            type: 'number',
            exclusiveMinimum: 0,
            maximum: MAX_WAIT_S,
            description: `Action wait: seconds; ${String(DEFAULT_WAIT_S)} when absent.`,
          },
          offset: { type: 'integer', minimum: 0, description: 'Action log: lines skipped from the start.' },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_LOG_LINES,
            description: `Action log: lines; ${String(DEFAULT_LOG_LINES)} when absent.`,
          },
        },
        required: ['action'],
      },
      effect: 'execute',
      effectOf: (args) => (isWatching(getString(args, 'action')) ? 'none' : 'execute'),
      idempotent: false,
      pathArguments: [],
    },
    async ({ call }, run) => {
      const action = getString(call.args, 'action') ?? '';
      if (action === 'list') return list(ports);
      const perform = actions.get(action);
      if (perform === undefined) throw new Error(`the schema let "${action}" pass`);
      const id = getString(call.args, 'session_id');
      if (id === undefined)
        return failed(
          fail('bad_arguments', `Action "${action}" needs a session_id.`, 'Action "list" shows them.'),
        );
      const entry = ports.processes.find(id);
      return entry === undefined ? unknownProcess(id, ports.processes) : perform(entry, call.args, run);
    },
  );
}

function isWatching(action: string | undefined): boolean {
  return action === 'list' || action === 'poll' || action === 'log' || action === 'wait';
}

function unknownProcess(id: string, processes: ProcessTable): ToolOutcome {
  const known = processes.list().map((entry) => entry.id);
  const near = suggest(id, known);
  const remedy =
    known.length === 0
      ? 'None was started in this session, or it is forgotten.'
      : `Did you mean ${near ?? known.join(', ')}?`;
  return failed(
    fail('unknown_process', `There is no background command ${JSON.stringify(id.slice(0, 80))}.`, remedy),
  );
}

function actionsOf(ports: ProcessToolPorts): ReadonlyMap<string, Action> {
  const poll: Action = async (entry) => {
    return succeeded(await report(entry, { output: entry.readNew() }, ports));
  };
  const log: Action = async (entry, args) => {
    const output = await present(entry, entry.output.toText(), ports);
    const lines = output === '' ? [] : output.replace(/\n$/, '').split('\n');
    const limit = numberArgument(args, 'limit', DEFAULT_LOG_LINES);
    const offset = numberArgument(args, 'offset', Math.max(0, lines.length - limit));
    const shown = lines.slice(offset, offset + limit);
    const range = `${String(offset + 1)}-${String(offset + shown.length)}`;
    return succeeded(
      JSON.stringify({
        ...statusOf(entry, ports.clock),
        output: shown.join('\n'),
        total_lines: lines.length,
        showing: shown.length === 0 ? 'none' : range,
      }),
    );
  };
  const wait: Action = async (entry, args, { signal }) => {
    const limitS = numberArgument(args, 'timeout', DEFAULT_WAIT_S);
    const exit = await waitForEnd(entry, limitS * 1000, ports.clock, signal);
    if (exit === 'cancelled')
      return cancelled(`The wait for ${entry.id} was cancelled; the command goes on.`);
    const note = exit === undefined ? { note: `still running after ${String(limitS)} s` } : {};
    return succeeded(await report(entry, { output: entry.readNew(), ...note }, ports));
  };
  const kill: Action = async (entry) => {
    if (entry.exit !== undefined)
      return succeeded(await report(entry, { note: 'it had ended already' }, ports));
    const outcome = await entry.kill();
    if (outcome === 'survived') {
      return failed(
        fail(
          'not_killed',
          `Not all processes of ${entry.id} (pid ${String(entry.pid)}) could be ended.`,
          'Look at them with ps.',
        ),
      );
    }
    return succeeded(await report(entry, { output: entry.readNew(), killed: true }, ports));
  };
  return new Map([
    ['poll', poll],
    ['log', log],
    ['wait', wait],
    ['kill', kill],
  ]);
}

async function list(ports: ProcessToolPorts): Promise<ToolOutcome> {
  const processes = await Promise.all(
    ports.processes.list().map(async (entry) => {
      const output = await present(entry, entry.output.toText(), ports);
      return {
        ...statusOf(entry, ports.clock),
        output_preview: output.slice(-PREVIEW_LENGTH).toWellFormed(),
      };
    }),
  );
  return succeeded(JSON.stringify({ processes }));
}

async function waitForEnd(
  entry: BackgroundProcess,
  limitMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<ProcessExit | undefined | 'cancelled'> {
  try {
    const ended = await within(clock, limitMs, signal, () => entry.exited);
    return ended.inTime ? ended.value : undefined;
  } catch (error) {
    if (signal.aborted) return 'cancelled';
    throw error;
  }
}

/** Status and further fields; a field `output` is presented like that of `terminal`. */
async function report(
  entry: BackgroundProcess,
  fields: { readonly output?: string; readonly note?: string; readonly killed?: true },
  ports: ProcessToolPorts,
): Promise<string> {
  const { output, ...rest } = fields;
  const presented = output === undefined ? {} : { output: await present(entry, output, ports) };
  return JSON.stringify({ ...statusOf(entry, ports.clock), ...presented, ...rest });
}

async function present(entry: BackgroundProcess, output: string, ports: OutputPorts): Promise<string> {
  return presentOutput({ command: entry.command, output, returncode: codeOf(entry)?.code ?? null }, ports);
}

function codeOf({ exit }: BackgroundProcess): ReturnType<typeof exitStatus> | undefined {
  return exit === undefined ? undefined : exitStatus(exit.exitCode, exit.signal);
}

function statusOf(entry: BackgroundProcess, clock: Clock): Readonly<Record<string, JsonValue>> {
  const status = codeOf(entry);
  const shared = { session_id: entry.id, command: entry.command, cwd: entry.cwd, pid: entry.pid };
  if (status === undefined) {
    const uptime = Math.max(0, Math.round((clock.now() - entry.startedAt) / 1000));
    return { ...shared, status: 'running', uptime_seconds: uptime };
  }
  const meaning = status.meaning === undefined ? {} : { exit_code_meaning: status.meaning };
  return { ...shared, status: 'exited', exit_code: status.code, ...meaning };
}
