import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { journalPath, journalRows } from '../support/journal.ts';
import { Scene } from '../support/scene.ts';

interface Answer {
  readonly status: string;
  readonly executed: boolean;
  readonly message: string;
  readonly warnings: readonly string[];
}

async function call(scene: Scene, session: string, tool: string, args: object): Promise<Answer> {
  const request = { tool, args, session, turn: 't', cwd: scene.project };
  const { stdout, stderr } = await scene.run(['call'], { stdin: JSON.stringify(request) });
  try {
    return JSON.parse(stdout) as Answer;
  } catch {
    throw new Error(`no document: ${stdout}\n${stderr}`);
  }
}

/** What the journal says of files that guard the person and were changed by a call. */
function tamperingsIn(scene: Scene): readonly unknown[] {
  const database = new DatabaseSync(journalPath(scene), { readOnly: true, timeout: 5000 });
  try {
    const events = database.prepare("SELECT detail FROM event WHERE kind = 'tampered'").all();
    return events.map(({ detail }) => detail);
  } finally {
    database.close();
  }
}

const CONFIG = 'approvals: {ask: ["mcp__*"]}\n';

describe.concurrent('what guards the person', () => {
  it('is put back when a script of the agent changes it, and the session is blocked until somebody has looked', async () => {
    await using scene = await Scene.create({ config: CONFIG });
    const config = join(scene.home, 'config.yaml');
    const mode = statSync(config).mode;
    writeFileSync(
      scene.path('innocent.py'),
      `open(${JSON.stringify(config)}, 'w').write('approvals: {ask: []}\\n')\n`,
    );
    const caught = await call(scene, 's1', 'terminal', { command: 'python3 innocent.py' });
    expect(caught.executed).toBe(true);
    expect(caught.warnings.join('\n')).toContain('config.yaml');
    expect([readFileSync(config, 'utf8'), statSync(config).mode]).toEqual([CONFIG, mode]);
    expect(await call(scene, 's1', 'write_file', { path: 'a', content: 'x' })).toMatchObject({
      status: 'blocked',
      executed: false,
    });
    expect(existsSync(scene.path('a'))).toBe(false);
    expect(await call(scene, 's1', 'read_file', { path: 'innocent.py' })).toMatchObject({ status: 'ok' });
    expect(await call(scene, 's2', 'write_file', { path: 'b', content: 'x' })).toMatchObject({
      status: 'ok',
    });
    const doctor = await scene.run(['doctor']);
    expect(doctor.stdout + doctor.stderr).toMatch(/tamper/);
    expect(tamperingsIn(scene)).toEqual([expect.stringContaining('config.yaml')]);
    expect(journalRows(scene).map(({ status }) => status.replace(/:.*/, ''))).toEqual([
      'CONFIRMED',
      'BLOCKED',
      'CONFIRMED',
    ]);
    expect((await scene.run(['ledger', 'verify'])).code).toBe(0);
  });

  it('is refused beforehand where the command names it', async () => {
    await using scene = await Scene.create({ config: CONFIG });
    const config = join(scene.home, 'config.yaml');
    for (const command of [
      `echo x >> ${config}`,
      `rm -rf ${scene.home}`,
      `cd ${scene.home} && mv config.yaml c`,
    ])
      expect([command, (await call(scene, 's', 'terminal', { command })).status]).toEqual([
        command,
        'blocked',
      ]);
    expect(await call(scene, 's', 'write_file', { path: config, content: 'x' })).toMatchObject({
      executed: false,
    });
    expect(readFileSync(config, 'utf8')).toBe(CONFIG);
  });
});
