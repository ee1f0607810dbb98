import type { Runtime } from '../../../app/index.ts';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { defaultConfig } from '../../../platform/config/index.ts';
import { makeDirectory, setMode, writeFileAtomic } from '../../../platform/files/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import type { Act, Stage } from './act.ts';
import { playScript } from './play-script.ts';

/** Blocks every call that names `.env`, in two lines of shell. */
const GUARD = `#!/bin/sh
if grep -q '\\.env'; then echo 'the secrets stay where they are' >&2; exit 2; fi
`;

/** A script of the person's blocks a call; once it was edited it does not run any more, and blocks everything. */
export const asksAHook: Act = {
  title: 'A script of yours is asked first, and an edited one is not trusted',
  play: async (stage) => {
    const script = resolvePath(stage.home, 'agent-hooks/guard.sh');
    valueOrThrow(await makeDirectory(resolvePath(stage.home, 'agent-hooks')));
    await writeScriptFile(script, GUARD);
    const unapproved = await readEnv(stage, script);
    const approved = await readEnv(stage, script, async ({ shellHooks }) => {
      const subject = shellHooks.hooks
        .map((hook) => shellHooks.subjectOf(hook))
        .find((each) => each !== undefined);
      if (subject !== undefined) valueOrThrow(await shellHooks.consent.approve(subject));
    });
    await writeScriptFile(script, `${GUARD}# a line that nobody has seen\n`);
    const edited = await readEnv(stage, script);
    return {
      lines: [
        `not approved yet: ${unapproved.text}`,
        `approved: ${approved.text}`,
        `edited since: ${edited.text}`,
      ],
      held:
        [unapproved, approved, edited].every(({ status }) => status === 'blocked') &&
        approved.text.includes('the secrets stay where they are') &&
        !edited.text.includes('the secrets stay where they are'),
    };
  },
};

interface Asked {
  readonly status: string;
  readonly text: string;
}

async function readEnv(
  stage: Stage,
  command: string,
  before: (runtime: Runtime) => Promise<void> = async () => Promise.resolve(),
): Promise<Asked> {
  const { hooks } = defaultConfig;
  const { calls } = await playScript(stage, {
    name: 'hook',
    isQuiet: true,
    config: {
      ...defaultConfig,
      hooks: {
        ...hooks,
        shell: [{ event: 'pre_tool_call', command, timeoutMs: 10_000, failClosed: true, env: [] }],
      },
    },
    prepare: before,
    steps: [
      { tool_calls: [{ id: 'c1', name: 'terminal', args: { command: 'cat .env' } }] },
      'I was stopped.',
    ],
  });
  return { status: calls[0]?.status ?? 'nothing', text: (calls[0]?.text ?? '').replaceAll('\n', ' ') };
}

async function writeScriptFile(path: string, text: string): Promise<void> {
  valueOrThrow(await writeFileAtomic(path, text));
  valueOrThrow(await setMode(path, 0o700));
}
