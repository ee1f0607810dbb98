import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { defaultConfig } from '../../../platform/config/index.ts';
import { readTextFile, writeFileAtomic } from '../../../platform/files/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import type { RestoreReport } from '../../../safety/checkpoints/index.ts';
import type { Act } from './act.ts';
import { playScript } from './play-script.ts';

const CONFIG = { ...defaultConfig, checkpoints: { ...defaultConfig.checkpoints, enabled: true } };
const CONTENT = 'port = 1\n';

/** A command destroys files; a restore gives back exactly the bytes. */
export const bringsBack: Act = {
  title: 'What a command destroyed is brought back',
  play: async (stage) => {
    const { project } = stage;
    valueOrThrow(await writeFileAtomic(resolvePath(project, 'app.ini'), CONTENT));
    const reports: RestoreReport[] = [];
    const command = 'sed -i s/1/2/ app.ini && rm app.ini && echo left > over.txt';
    await playScript(stage, {
      name: 'destroy',
      config: CONFIG,
      steps: [{ tool_calls: [{ id: 'c1', name: 'terminal', args: { command } }] }, 'Gone.'],
      conclude: async (runtime) => {
        const store = valueOrThrow(await runtime.checkpoints());
        reports.push(await store.restore(project, { ref: '1' }));
      },
    });
    const read = await readTextFile(resolvePath(project, 'app.ini'));
    const isBack = read.ok && read.value.text === CONTENT;
    const { restored = [], deleted = [] } = reports[0] ?? {};
    return {
      lines: [
        `the agent ran: ${command}`,
        `herma rollback 1 brought back ${restored.filter((path) => !deleted.includes(path)).join(', ')} and removed ${deleted.join(', ')}`,
      ],
      held: isBack && deleted.includes('over.txt'),
    };
  },
};
