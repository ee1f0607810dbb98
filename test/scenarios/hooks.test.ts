import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isInstalled } from '../docs/program.ts';
import type { HermaExit } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';

const EXAMPLES = fileURLToPath(new URL('../../docs/examples/hooks/', import.meta.url));

/** A copy of an example, which is configured for an event. */
function install(scene: Scene, event: string, name: string, settings: object = {}): string {
  const command = join(scene.home, name);
  cpSync(join(EXAMPLES, name), command);
  writeFileSync(
    join(scene.home, 'config.yaml'),
    JSON.stringify({ hooks: { [event]: [{ command, timeout: 30, ...settings }] } }),
  );
  return command;
}

async function call(scene: Scene, command: string, args: readonly string[] = []): Promise<HermaExit> {
  const stdin = JSON.stringify({ tool: 'terminal', args: { command } });
  return scene.run(['call', ...args], { stdin });
}

async function tried(scene: Scene, event: string, fields: object): Promise<HermaExit> {
  const file = scene.path('payload.json');
  writeFileSync(file, JSON.stringify(fields));
  return scene.run(['hooks', 'test', event, '--payload-file', file, '--json']);
}

describe.concurrent('a guard of .env files', () => {
  it.skipIf(!isInstalled('python3'))(
    'is refused until it is approved, blocks, is refused once it was edited, and blocks again when it is approved again',
    async () => {
      await using scene = await Scene.create();
      const guard = install(scene, 'pre_tool_call', 'block-env-read.py', {
        matcher: 'terminal',
        fail_closed: true,
      });
      const doctor = async (): Promise<number | null> => (await scene.run(['hooks', 'doctor'])).code;
      const approve = async (): Promise<void> => {
        expect((await scene.run(['hooks', 'approve', 'pre_tool_call', guard, '-y'])).code).toBe(0);
      };
      const broken = expect.stringContaining('failed closed');
      const policy = expect.stringContaining('Reading .env files is not allowed.');
      const works = async (): Promise<void> => {
        expect(await call(scene, 'cat .env')).toMatchObject({ code: 1, stdout: policy });
        expect(await call(scene, 'touch made')).toMatchObject({ code: 0 });
      };

      expect(await doctor()).toBe(1);
      expect(await call(scene, 'touch unapproved')).toMatchObject({ code: 1, stdout: broken });
      await approve();
      expect(await doctor()).toBe(0);
      await works();
      appendFileSync(guard, '# edited\n');
      expect(await doctor()).toBe(1);
      expect(await call(scene, 'touch edited', ['--accept-hooks'])).toMatchObject({
        code: 1,
        stdout: broken,
      });
      await approve();
      expect(await doctor()).toBe(0);
      await works();
      expect((await scene.run(['hooks', 'revoke', guard])).code).toBe(0);
      expect(await call(scene, 'touch revoked')).toMatchObject({ code: 1, stdout: broken });
      const made = ['unapproved', 'edited', 'revoked', 'made'].filter((name) => existsSync(scene.path(name)));
      expect(made).toEqual(['made']);
    },
  );

  it('cannot be approved by a command that an agent runs', async () => {
    await using scene = await Scene.create();
    const script = join(scene.home, 'guard.sh');
    writeFileSync(script, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    writeFileSync(
      join(scene.home, 'config.yaml'),
      JSON.stringify({ hooks: { pre_tool_call: [{ command: script }] } }),
    );
    const inside = await call(scene, 'printf %s "${HERMA_SESSION:+inside}"');
    expect(inside.stdout).toContain('inside');
    expect(
      await scene.run(['hooks', 'approve', 'pre_tool_call', script, '-y'], { env: { HERMA_SESSION: 's' } }),
    ).toMatchObject({ code: 2 });
  });
});

describe.skipIf(!isInstalled('jq'))('the examples of the pages', () => {
  it('block rm -rf /, and nothing else', async () => {
    await using scene = await Scene.create();
    install(scene, 'pre_tool_call', 'block-rm-rf.sh');
    expect((await tried(scene, 'pre_tool_call', { tool_input: { command: 'rm -rf /' } })).code).toBe(1);
    expect((await tried(scene, 'pre_tool_call', { tool_input: { command: 'ls' } })).code).toBe(0);
  });

  it('tell the model what git says', async () => {
    await using scene = await Scene.create();
    install(scene, 'pre_llm_call', 'git-status.sh');
    await call(scene, 'git init -q -b main . && touch new.txt', ['--accept-hooks']);
    const { code, stdout } = await tried(scene, 'pre_llm_call', {});
    const { gate } = JSON.parse(stdout) as { gate: { text: string } };
    expect([code, gate.text]).toEqual([0, expect.stringContaining('?? new.txt')]);
  });

  it('log each child agent', async () => {
    await using scene = await Scene.create();
    install(scene, 'subagent_stop', 'log-subagents.sh');
    expect((await tried(scene, 'subagent_stop', { child_summary: 'all well' })).code).toBe(0);
    expect(JSON.parse(readFileSync(join(scene.home, 'subagents.log'), 'utf8'))).toMatchObject({
      session: 'parent-sess',
      child_summary: 'all well',
    });
  });

  it('format what was written, where there is a formatter, and are no hindrance elsewhere', async () => {
    await using scene = await Scene.create();
    install(scene, 'post_tool_call', 'format-after-write.sh', { matcher: 'write_file|patch' });
    const fields = { tool_name: 'write_file', tool_input: { path: scene.path('a.py') } };
    writeFileSync(scene.path('a.py'), 'x=1\n');
    expect((await tried(scene, 'post_tool_call', fields)).code).toBe(0);
  });
});
