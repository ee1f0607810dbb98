import { openSessionStore } from '../../../agent/sessions/index.ts';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { listDirectory, makeDirectory, writeFileAtomic } from '../../../platform/files/index.ts';
import { homePaths, resolvePath } from '../../../platform/paths/index.ts';
import type { Act, Stage } from './act.ts';
import { runAgent, startAgent, whenRunning } from './agent-process.ts';
import { type ScriptStep, writeScript } from './play-script.ts';

/** A tool that makes a job, slowly the first time, and can look whether a job is there. */
const PLUGIN = `import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (cwd, name) => join(cwd, name + '.job');

export function register(ctx) {
  ctx.registerTool({
    name: 'cronjob',
    description: 'Makes a job that runs every day.',
    parameters: {
      type: 'object',
      properties: { name: { type: 'string' }, at: { type: 'string' } },
      required: ['name', 'at'],
    },
    execute: async ({ name, at }, { cwd }) => {
      const begun = join(cwd, 'begun.pid');
      if (!existsSync(begun)) {
        writeFileSync(begun, process.pid + '\\n');
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      }
      writeFileSync(fileOf(cwd, name), at + '\\n', { flag: 'wx' });
      return 'created; it starts tomorrow at ' + at;
    },
  });
  ctx.registerProbe('cronjob', ({ args, cwd }) =>
    existsSync(fileOf(cwd, args.name))
      ? { verdict: 'LANDED', evidence: 'there is a job named ' + args.name }
      : { verdict: 'NOT_LANDED', evidence: 'there is no job named ' + args.name },
  );
}
`;

const MAKE_IT: ScriptStep = {
  tool_calls: [{ id: 'c1', name: 'cronjob', args: { name: 'daily-report', at: '8:00' } }],
};
const STEPS: readonly ScriptStep[] = [
  MAKE_IT,
  MAKE_IT,
  'It was not there, so I made it now. It starts at 8:00.',
];

/** The agent dies inside a tool that nobody can repeat blindly; the journal and the tool's probe say what is missing. */
export const lostJob: Act = {
  title: 'A job is lost with the agent that was to make it, and the next turn knows',
  play: async (all) => {
    const stage = await ownStage(all);
    const model = await writeScript(stage, 'job', STEPS);
    const started = await startAgent(stage, ['chat', '-q', 'a report every day at 8', '--model', model]);
    if (!started.ok) return { lines: [started.error.message], held: false };
    const agent = started.process;
    try {
      if ((await whenRunning(stage, agent, 'begun.pid')) === undefined)
        return { lines: [`the call did not begin: ${agent.stderr.toText().trim()}`], held: false };
      process.kill(agent.pid, 'SIGKILL');
      await agent.exited;
      const before = await jobsOf(stage);
      const answer = await runAgent(stage, [
        'chat',
        '--continue',
        '-q',
        'is it set up?',
        '--model',
        `${model}#1`,
      ]);
      const [told, after] = [toldLine(stage), await jobsOf(stage)];
      return {
        lines: [
          `killed inside the call; jobs there are: ${String(before.length)}`,
          `the model is told: ${told}`,
          `it looks, makes the job, and answers: ${answer}`,
          `jobs there are: ${after.join(', ')}`,
        ],
        held: before.length === 0 && /NOT_LANDED: there is no job/.test(told) && after.length === 1,
      };
    } finally {
      await agent.kill();
    }
  },
};

/** A home and a project beside the others, with the plugin. */
async function ownStage({ home, project, ...stage }: Stage): Promise<Stage> {
  const own = { ...stage, home: `${home}-cron`, project: `${project}-cron` };
  const plugin = resolvePath(own.home, 'plugins/cron');
  for (const folder of [plugin, own.project]) valueOrThrow(await makeDirectory(folder));
  const files = [
    [resolvePath(plugin, 'plugin.yaml'), 'name: cron\nversion: 1.0.0\n'],
    [resolvePath(plugin, 'index.mjs'), PLUGIN],
    [resolvePath(own.home, 'config.yaml'), 'plugins: {enabled: [cron]}\n'],
  ] as const;
  for (const [path, text] of files) valueOrThrow(await writeFileAtomic(path, text));
  return own;
}

async function jobsOf({ project }: Stage): Promise<readonly string[]> {
  const listed = valueOrThrow(await listDirectory(project));
  return listed.map(({ name }) => name).filter((name) => name.endsWith('.job'));
}

/** What the journal said of the call, as the model read it with the person's message. */
function toldLine({ context, home, project }: Stage): string {
  const store = valueOrThrow(openSessionStore({ path: homePaths(home).stateDatabase, clock: context.clock }));
  try {
    const session = valueOrThrow(store.latest({ cwd: project }));
    const messages = session === undefined ? [] : valueOrThrow(store.load(session.id));
    const said = messages.flatMap(({ message }) =>
      message.role === 'user' && message.context !== undefined ? [message.context] : [],
    );
    return /call #.*/.exec(said.join('\n'))?.[0] ?? '(nothing)';
  } finally {
    store.close();
  }
}
