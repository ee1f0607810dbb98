import { openSessionStore } from '../../../agent/sessions/index.ts';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { readTextFile } from '../../../platform/files/index.ts';
import { homePaths, resolvePath } from '../../../platform/paths/index.ts';
import {
  killProcessTree,
  type ProcessExit,
  type RunningProcess,
  runProcess,
  startProcess,
} from '../../../platform/process/index.ts';
import type { Act, ActReport, Stage } from './act.ts';
import { type ScriptStep, writeScript } from './play-script.ts';

/** How long a step of this act may take, in milliseconds. */
const LIMIT_MS = 15_000;
const POLL_MS = 20;

/** The call that is running when the agent is killed. It leaves its process id, so that the tour can end it. */
const COMMAND = 'echo $$ > running.pid; sleep 60';
const STEPS: readonly ScriptStep[] = [
  { tool_calls: [{ id: 'c1', name: 'terminal', args: { command: COMMAND } }] },
  'I will look at the present state before I repeat anything.',
];

/** An agent is killed with SIGKILL while a call runs; another process takes its session up. */
export const killedSession: Act = {
  title: 'The agent is killed in the middle of a call, and the session is taken up again',
  play: async (stage) => {
    const model = await writeScript(stage, 'killed', STEPS);
    const started = await startProcess({
      ...herma(stage, ['chat', '-q', 'start it', '--model', model]),
      ...LIMITS,
    });
    if (!started.ok) return { lines: [started.error.message], held: false };
    const agent = started.process;
    try {
      if (!(await isCommandRunning(stage, agent)))
        return { lines: [`the call did not begin: ${agent.stderr.toText().trim()}`], held: false };
      process.kill(agent.pid, 'SIGKILL');
      const { signal } = await agent.exited;
      return report(stage, { signal, answer: await takeUpAgain(stage, model) });
    } finally {
      await endEverything(stage, agent);
    }
  },
};

const LIMITS = { maxStdoutBytes: 100_000, maxStderrBytes: 100_000, keep: 'head-and-tail' } as const;

function herma(
  { context, home, project, program }: Stage,
  args: readonly string[],
): Pick<Parameters<typeof startProcess>[0], 'command' | 'args' | 'cwd' | 'env'> {
  return {
    command: program.command,
    args: [...program.args, ...args],
    cwd: project,
    env: { ...context.environment, HERMA_HOME: home },
  };
}

/** Waits for the command; false when the agent ends before, or it takes too long. */
async function isCommandRunning(stage: Stage, agent: RunningProcess): Promise<boolean> {
  const { clock, signal } = stage.context;
  const deadline = clock.monotonicMs() + LIMIT_MS;
  while (agent.isRunning && clock.monotonicMs() < deadline) {
    if ((await commandPid(stage)) !== undefined) return true;
    await clock.sleep(POLL_MS, signal);
  }
  return false;
}

async function commandPid({ project }: Stage): Promise<number | undefined> {
  const read = await readTextFile(resolvePath(project, 'running.pid'));
  const pid = read.ok && read.value.text.endsWith('\n') ? Number(read.value.text) : 0;
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

async function takeUpAgain(stage: Stage, model: string): Promise<string> {
  const { stdoutText } = await runProcess({
    ...herma(stage, ['chat', '--continue', '-q', 'go on', '--model', `${model}#1`]),
    ...LIMITS,
    timeoutMs: LIMIT_MS,
    signal: stage.context.signal,
  });
  return stdoutText.trim();
}

/** Ends the agent, which in turn ends its command unless it was killed, and then what is left of the command. */
async function endEverything(stage: Stage, agent: RunningProcess): Promise<void> {
  await agent.kill();
  const command = await commandPid(stage);
  if (command !== undefined) await killProcessTree(command, { graceMs: 0 });
}

interface Ending {
  readonly signal: ProcessExit['signal'];
  readonly answer: string;
}

function report({ context, home, project }: Stage, { signal, answer }: Ending): ActReport {
  const store = valueOrThrow(openSessionStore({ path: homePaths(home).stateDatabase, clock: context.clock }));
  try {
    const session = valueOrThrow(store.latest({ cwd: project }));
    const messages = session === undefined ? [] : valueOrThrow(store.load(session.id));
    const told = messages.map(({ message }) => message).find((message) => message.role === 'tool');
    const text = told?.role === 'tool' ? told.text : '(nothing)';
    return {
      lines: [
        `the agent's process ended by ${signal ?? 'itself'} while the command ran`,
        `what the model is told of that call: ${text}`,
        `and it answers: ${answer}`,
      ],
      held: signal === 'SIGKILL' && told?.role === 'tool' && told.status === 'unknown' && answer !== '',
    };
  } finally {
    store.close();
  }
}
