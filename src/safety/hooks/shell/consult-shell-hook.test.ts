import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freezeVariables } from '../../../platform/environment/index.ts';
import { consultShellHook, type HookRun } from './consult-shell-hook.ts';
import { hookDocument } from './hook-payload.ts';
import type { ShellHook } from './shell-hook.ts';

let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'consult-')));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function consult(
  lines: string,
  { event = 'post_tool_call' as const, isPermitted = true } = {},
): Promise<HookRun> {
  const path = join(folder, 'hook.sh');
  writeFileSync(path, `#!/bin/bash\n${lines}\n`);
  chmodSync(path, 0o755);
  const hook: ShellHook = { event, command: path, timeoutMs: 60_000, failClosed: false, env: [] };
  const document = hookDocument(
    event,
    { tool_name: 't', args: { bad: '\ud800', text: 'é' } },
    { cwd: folder },
  );
  const permit = () =>
    Promise.resolve(
      isPermitted ? ({ ok: true } as const) : ({ ok: false, reason: 'is not approved' } as const),
    );
  const environment = () => freezeVariables([['PATH', process.env['PATH']]]);
  const ports = { permit, environment, home: folder, userHome: folder };
  return consultShellHook(hook, document, ports, new AbortController().signal);
}

describe('one run of a hook', () => {
  it('shows exactly what the script got to read, which is valid JSON in UTF-8', async () => {
    const outcome = await consult(`cat > '${folder}/stdin'`);
    const read = readFileSync(join(folder, 'stdin'));
    expect(outcome.type === 'ran' && Buffer.from(outcome.stdin).equals(read)).toBe(true);
    expect(JSON.parse(read.toString())).toMatchObject({ tool_input: { bad: '\ud800', text: 'é' } });
  });

  it('shows the run, and what its event cannot honour, without a warning', async () => {
    expect(await consult(`echo 'log\n{"decision":"block","reason":"R"}'; echo E >&2`)).toMatchObject({
      type: 'ran',
      run: { exitCode: 0, stderr: 'E\n' },
      answer: { directive: undefined, ignoredDirective: 'block', hasStrayText: true },
      warnings: [],
    });
  });

  it('does not happen without permission', async () => {
    const outcome = await consult(`touch '${folder}/ran'`, { isPermitted: false });
    expect(outcome).toEqual({ type: 'not_permitted', reason: 'is not approved' });
    expect(() => readFileSync(join(folder, 'ran'))).toThrow(/ENOENT/);
  });
});
