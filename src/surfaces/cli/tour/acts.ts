import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { getString } from '../../../kernel/json/index.ts';
import { readTextFile } from '../../../platform/files/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import type { Act, Stage } from './act.ts';
import { asksAHook } from './asks-a-hook.ts';
import { bringsBack } from './brings-back.ts';
import { killedSession } from './killed-session.ts';
import { lostJob } from './lost-job.ts';
import { playScript } from './play-script.ts';
import { refusesADisaster } from './refuses-a-disaster.ts';

const writesAFile: Act = {
  title: 'A file is written through the gate',
  play: async (stage) => {
    const content = 'Hello from behind the gate.\n';
    const { calls } = await playScript(stage, {
      name: 'write',
      steps: [
        { tool_calls: [{ id: 'c1', name: 'write_file', args: { path: 'hello.txt', content } }] },
        'Written.',
      ],
    });
    const onDisk = await contentOf(stage, 'hello.txt');
    return {
      lines: [
        `write_file ended as ${calls[0]?.status ?? 'nothing'}; hello.txt now holds ${JSON.stringify(onDisk)}`,
      ],
      held: calls[0]?.status === 'ok' && onDisk === content,
    };
  },
};

const runsAPair: Act = {
  title: 'Two calls run side by side',
  play: async (stage) => {
    // Each waits for a file that the other one makes: one after the other they would never end.
    const meet = (mine: string, theirs: string): string =>
      `touch ${mine}; for i in $(seq 200); do [ -e ${theirs} ] && exit 0; sleep 0.05; done; exit 1`;
    const { calls } = await playScript(stage, {
      name: 'pair',
      steps: [
        {
          tool_calls: [
            { id: 'left', name: 'terminal', args: { command: meet('left', 'right') } },
            { id: 'right', name: 'terminal', args: { command: meet('right', 'left') } },
          ],
        },
        'Both met.',
      ],
    });
    const met = calls.filter(({ text }) => /"exit_code":\s*0/.test(text)).length;
    return { lines: [`each waited for the other one's file; ${String(met)} of 2 saw it`], held: met === 2 };
  },
};

const failsACommand: Act = {
  title: 'A command fails, and the model is told how',
  play: async (stage) => {
    const { calls } = await playScript(stage, {
      name: 'fail',
      steps: [
        { tool_calls: [{ id: 'c1', name: 'terminal', args: { command: 'cat missing.txt' } }] },
        'It is not there.',
      ],
    });
    const told = calls[0]?.text ?? '';
    return {
      lines: [`the model read: ${told.replaceAll('\n', ' ').slice(0, 160)}`],
      held: /"exit_code":\s*1/.test(told),
    };
  },
};

const blocksACall: Act = {
  title: 'A guard blocks a call before it runs',
  play: async (stage) => {
    const { calls } = await playScript(stage, {
      name: 'block',
      steps: [
        { tool_calls: [{ id: 'c1', name: 'terminal', args: { command: 'rm -rf .' } }] },
        'It was blocked.',
      ],
      prepare: ({ callbacks }) => {
        callbacks.register('pre_tool_call', { name: 'no-deletes' }, ({ args }) =>
          getString(args, 'command')?.startsWith('rm ') === true
            ? { action: 'block', message: 'deleting is not part of the tour' }
            : undefined,
        );
      },
    });
    const survived = (await contentOf(stage, 'hello.txt')) !== undefined;
    return {
      lines: [`the model read: ${calls[0]?.text ?? ''}`, `hello.txt is ${survived ? 'still there' : 'gone'}`],
      held: calls[0]?.status === 'blocked' && !calls[0].executed && survived,
    };
  },
};

/** The tour, in order. */
export const acts: readonly Act[] = [
  writesAFile,
  runsAPair,
  failsACommand,
  blocksACall,
  asksAHook,
  refusesADisaster,
  bringsBack,
  lostJob,
  killedSession,
];

async function contentOf({ project }: Stage, name: string): Promise<string | undefined> {
  const read = await readTextFile(resolvePath(project, name));
  if (!read.ok && read.code === 'not_found') return undefined;
  return valueOrThrow(read).text;
}
