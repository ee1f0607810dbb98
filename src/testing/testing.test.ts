import { describe, expect, it } from 'vitest';
import { readTextFile, statPath } from '../platform/files/index.ts';
import { runProcess } from '../platform/process/index.ts';
import { callReply, createTemporaryHome, writeHookScript, writeModelScript } from './index.ts';

describe('createTemporaryHome', () => {
  it('makes a home and a project, and takes both away', async () => {
    const temporary = await createTemporaryHome();
    await temporary.writeConfig('agent: {}\n');
    const file = await temporary.writeFile('deep/a.txt', 'hi');
    expect(await readTextFile(file)).toMatchObject({ ok: true, value: { text: 'hi' } });
    await temporary.remove();
    expect(await statPath(temporary.home)).toEqual({ ok: true, value: undefined });
  });
});

describe('writeModelScript', () => {
  it('writes what a scripted model plays', async () => {
    await using temporary = await createTemporaryHome();
    const model = await writeModelScript(temporary.home, [callReply('c1', 'todo', {}), 'done']);
    const read = await readTextFile(model.slice('scripted:'.length));
    expect(read.ok && read.value.text).toBe('[{"tool_calls":[{"id":"c1","name":"todo","args":{}}]},"done"]');
  });
});

describe('writeHookScript', () => {
  it('writes a program that says what it is told to and keeps what it was sent', async () => {
    await using temporary = await createTemporaryHome();
    const copy = `${temporary.home}/in ' put`;
    const script = await writeHookScript(temporary.home, 'hook.sh', {
      stdout: `it's "it"`,
      stderr: '%s',
      exitCode: 2,
      copyInputTo: copy,
    });
    const result = await runProcess({
      command: script,
      args: [],
      cwd: temporary.project,
      env: { PATH: process.env['PATH'] },
      stdin: new TextEncoder().encode('{"payload":1}'),
      maxStdoutBytes: 1000,
      maxStderrBytes: 1000,
      keep: 'head',
    });
    expect([result.stdoutText, result.stderrText, result.exitCode]).toEqual([`it's "it"`, '%s', 2]);
    expect(await readTextFile(copy)).toMatchObject({ ok: true, value: { text: '{"payload":1}' } });
  });
});
