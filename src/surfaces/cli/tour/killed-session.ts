import { openSessionStore } from '../../../agent/sessions/index.ts';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { homePaths } from '../../../platform/paths/index.ts';
import { killProcessTree, type ProcessExit, type RunningProcess } from '../../../platform/process/index.ts';
import type { Act, ActReport, Stage } from './act.ts';
import { pidIn, runAgent, startAgent, whenRunning } from './agent-process.ts';
import { type ScriptStep, writeScript } from './play-script.ts';

/** The call that is running when the agent is killed. It leaves its process id, so that the tour can end it. */
const PID_FILE = 'running.pid';
const COMMAND = `echo $$ > ${PID_FILE}; sleep 60`;
const STEPS: readonly ScriptStep[] = [
  { tool_calls: [{ id: 'c1', name: 'terminal', args: { command: COMMAND } }] },
  'I will look at the present state before I repeat anything.',
];

/** An agent is killed with SIGKILL while a call runs; another process takes its session up. */
export const killedSession: Act = {
  title: 'The agent is killed in the middle of a call, and the session is taken up again',
  play: async (stage) => {
    const model = await writeScript(stage, 'killed', STEPS);
    const started = await startAgent(stage, ['chat', '-q', 'start it', '--model', model]);
    if (!started.ok) return { lines: [started.error.message], held: false };
    const agent = started.process;
    try {
      if ((await whenRunning(stage, agent, PID_FILE)) === undefined)
        return { lines: [`the call did not begin: ${agent.stderr.toText().trim()}`], held: false };
      process.kill(agent.pid, 'SIGKILL');
      const { signal } = await agent.exited;
      return report(stage, { signal, answer: await runAgent(stage, takeUpAgain(model)) });
    } finally {
      await endEverything(stage, agent);
    }
  },
};

function takeUpAgain(model: string): readonly string[] {
  return ['chat', '--continue', '-q', 'go on', '--model', `${model}#1`];
}

/** Ends the agent, which in turn ends its command unless it was killed, and then what is left of the command. */
async function endEverything(stage: Stage, agent: RunningProcess): Promise<void> {
  await agent.kill();
  const command = await pidIn(stage, PID_FILE);
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
