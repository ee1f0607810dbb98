import { openSessionStore } from '../../../agent/sessions/index.ts';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { readTextFile } from '../../../platform/files/index.ts';
import { homePaths, resolvePath } from '../../../platform/paths/index.ts';
import { killProcessTree, runProcess, startProcess } from '../../../platform/process/index.ts';
import type { Act, ActReport, Stage } from './act.ts';
import { type ScriptStep, writeScript } from './play-script.ts';

/** How long a step of this act may take, in milliseconds. */
const LIMIT_MS = 15_000;
const POLL_MS = 20;

/** The call that is running when the agent is killed. It leaves its process id, so that the tour can end it. */
const COMMAND = 'echo $$ > running.pid; sleep 300';
const STEPS: readonly ScriptStep[] = [
  { tool_calls: [{ id: 'c1', name: 'terminal', args: { command: COMMAND } }] },
  'I will look at the present state before I repeat anything.',
];

/** An agent is killed with SIGKILL while a call runs; another process takes its session up. */
export const killedSession: Act = {
  title: 'The agent is killed in the middle of a call, and the session is taken up again',
  play: async (stage) => {
    const model = await writeScript(stage, 'killed', STEPS);
    const agent = await startProcess({
      ...herma(stage, ['chat', '-q', 'start it', '--model', model]),
      ...LIMITS,
    });
    if (!agent.ok) return { lines: [agent.error.message], held: false };
    const command = await runningCommand(stage, agent.process.exited);
    if (command === undefined) {
      await agent.process.kill();
      return { lines: [`the call did not begin: ${agent.process.stderr.toText().trim()}`], held: false };
    }
    process.kill(agent.process.pid, 'SIGKILL');
    const { signal } = await agent.process.exited;
    await killProcessTree(command, { graceMs: 0 });
    const resumed = await runProcess({
      ...herma(stage, ['chat', '--continue', '-q', 'go on', '--model', `${model}#1`]),
      ...LIMITS,
      timeoutMs: LIMIT_MS,
    });
    return report(stage, { signal, answer: resumed.stdoutText.trim() });
  },
};

const LIMITS = { maxStdoutBytes: 100_000, maxStderrBytes: 100_000, keep: 'head-and-tail' } as const;

function herma({ context, home, project, program }: Stage, args: readonly string[]) {
  return {
    command: program.command,
    args: [...program.args, ...args],
    cwd: project,
    env: { ...context.environment, HERMA_HOME: home },
  };
}

/** The process id of the command, once it runs; undefined when the agent ends before, or it takes too long. */
async function runningCommand(
  { context, project }: Stage,
  agentEnd: Promise<unknown>,
): Promise<number | undefined> {
  let ended = false;
  void agentEnd.then(() => {
    ended = true;
  });
  const deadline = context.clock.monotonicMs() + LIMIT_MS;
  while (!ended && context.clock.monotonicMs() < deadline) {
    const read = await readTextFile(resolvePath(project, 'running.pid'));
    const pid = read.ok ? Number(read.value.text.trim()) : 0;
    if (pid > 0) return pid;
    await context.clock.sleep(POLL_MS, context.signal);
  }
  return undefined;
}

function report(
  { context, home, project }: Stage,
  { signal, answer }: { readonly signal: string | null; readonly answer: string },
): ActReport {
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
