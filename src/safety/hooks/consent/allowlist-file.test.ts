import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { FakeClock, systemClock } from '../../../platform/clock/index.ts';
import { AllowlistFile, type ApprovalRecord } from './index.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'allowlist-')));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const moduleUrl = fileURLToPath(new URL('index.ts', import.meta.url));
const clockUrl = fileURLToPath(new URL('../../../platform/clock/index.ts', import.meta.url));
let files = 0;

function create(clock = systemClock): { path: string; lockPath: string; file: AllowlistFile } {
  files += 1;
  const path = join(root, `${String(files)}.json`);
  const lockPath = `${path}.herma-lock`;
  return { path, lockPath, file: new AllowlistFile({ path, lockPath, clock }) };
}

function recordOf(command: string, event = 'pre_tool_call'): ApprovalRecord {
  return { event, command, approvedAt: '2026-10-04T05:53:10.961548Z', content: { type: 'none' } };
}

const person = { replacesCorrupt: true };

describe('a change of the file', () => {
  it('is announced while it is made, and a read is not', async () => {
    const { path, lockPath } = create();
    const announced: string[] = [];
    const file = new AllowlistFile({
      path,
      lockPath,
      clock: systemClock,
      announce: async (changed, write) => {
        const before = lstatSync(path, { throwIfNoEntry: false })?.ino;
        const written = await write();
        if (lstatSync(path).ino !== before) announced.push(changed);
        return written;
      },
    });
    await file.add(recordOf('guard.sh'), person);
    await file.read();
    await file.remove('other.sh');
    expect(announced).toEqual([path]);
    await file.remove('guard.sh');
    expect(announced).toEqual([path, path]);
  });
});

describe('the file', () => {
  it('has the shape, the order and the mode of that of Hermes', async () => {
    const { path, file } = create();
    const sha256 = 'a'.repeat(64);
    await file.add(
      {
        ...recordOf('guard.sh'),
        scriptMtime: '2026-10-04T05:50:52Z',
        content: {
          type: 'bound',
          sha256,
          script: '/x/guard.sh',
          interpreter: { path: '/bin/sh', uid: 0, sha256 },
        },
        matcher: 'terminal',
        timeoutSeconds: 10,
        failClosed: true,
      },
      person,
    );
    expect(readFileSync(path, 'utf8')).toBe(`{
  "approvals": [
    {
      "approved_at": "2026-10-04T05:53:10.961548Z",
      "command": "guard.sh",
      "event": "pre_tool_call",
      "fail_closed": true,
      "interpreter": {
        "path": "/bin/sh",
        "sha256": "${sha256}",
        "stamp": null,
        "uid": 0
      },
      "matcher": "terminal",
      "script": "/x/guard.sh",
      "script_mtime_at_approval": "2026-10-04T05:50:52Z",
      "sha256": "${sha256}",
      "timeout": 10
    }
  ]
}
`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('keeps what others wrote into it', async () => {
    const { path, file } = create();
    const foreign = { event: 'e', command: 'other', note: { b: 1, a: [null] } };
    const own = { event: 'pre_tool_call', command: 'guard.sh', ticket: 'T-1', sha256: 'old', matcher: 'x' };
    writeFileSync(
      path,
      `\uFEFF${JSON.stringify({ version: 3, approvals: [own, foreign, own], __proto__x: 1 })}`,
      {
        mode: 0o644,
      },
    );
    await file.add(recordOf('guard.sh'), person);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      __proto__x: 1,
      approvals: [
        foreign,
        {
          event: 'pre_tool_call',
          command: 'guard.sh',
          approved_at: '2026-10-04T05:53:10.961548Z',
          script_mtime_at_approval: null,
          ticket: 'T-1',
        },
      ],
      version: 3,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('with a byte-order mark is read', async () => {
    const { path, file } = create();
    writeFileSync(path, '\uFEFF{"approvals": [{"event": "e", "command": "c"}]}');
    expect((await file.read()).records).toMatchObject([{ event: 'e', command: 'c' }]);
  });

  it('that is a link stays one', async () => {
    const { path, file } = create();
    symlinkSync(`${path}.real`, path);
    await file.add(recordOf('a'), person);
    await file.add(recordOf('b'), person);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect((await file.read()).records.map(({ command }) => command)).toEqual(['a', 'b']);
  });

  it.each([
    ['with stamps that are relied upon', new FakeClock()],
    ['with stamps that are too young', systemClock],
  ])('is read again when somebody else wrote it (%s)', async (_, clock) => {
    const { path, file } = create(clock);
    const commands = async (): Promise<string[]> => (await file.read()).records.map(({ command }) => command);
    expect(await commands()).toEqual([]);
    for (const command of ['a', 'b', 'c']) {
      writeFileSync(path, JSON.stringify({ approvals: [{ event: 'e', command }] }));
      expect(await commands()).toEqual([command]);
    }
    rmSync(path);
    expect(await commands()).toEqual([]);
  });

  it('without approvals for a command is not written when that is revoked', async () => {
    const { path, file } = create();
    writeFileSync(path, '{"approvals":[]}');
    expect(await file.remove('c')).toEqual({ ok: true, value: 0 });
    expect(readFileSync(path, 'utf8')).toBe('{"approvals":[]}');
  });
});

/** What one process does: approve (true) or revoke (false) one of its own commands. */
type Step = readonly [command: number, isApproval: boolean];

/** Does the steps of one process, one after another, and ends with 0 when all of them were written. */
async function perform(
  path: string,
  lockPath: string,
  owner: number,
  steps: readonly Step[],
): Promise<number> {
  const program = `Promise.all([import(process.argv[1]), import(process.argv[2])]).then(async ([consent, time]) => {
    const [path, lockPath, owner, steps] = JSON.parse(process.argv[3]);
    const file = new consent.AllowlistFile({ path, lockPath, clock: time.systemClock });
    for (const [number, isApproval] of steps) {
      const command = owner + '-' + number;
      const done = isApproval
        ? await file.add({ event: 'e', command, content: { type: 'none' } }, { replacesCorrupt: false })
        : await file.remove(command);
      if (!done.ok || done.value.type === 'this_run') process.exitCode = 1;
    }
  })`;
  const args = ['-e', program, moduleUrl, clockUrl, JSON.stringify([path, lockPath, owner, steps])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number];
  return code;
}

describe('several processes at once', () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.boolean()), { minLength: 5, maxLength: 15 });

  it('lose nothing of what each of them approved and revoked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 3 }), async (plans) => {
        const { path, lockPath, file } = create();
        const foreign = { event: 'other', command: 'kept', mark: 7 };
        writeFileSync(path, JSON.stringify({ approvals: [foreign], root: true }));
        const codes = await Promise.all(
          plans.map(async (plan, owner) => perform(path, lockPath, owner, plan)),
        );
        expect(codes).toEqual([0, 0, 0]);
        const expected = plans.flatMap((plan, owner) =>
          Array.from(new Map(plan))
            .filter(([, isApproved]) => isApproved)
            .map(([command]) => `${String(owner)}-${String(command)}`),
        );
        const { records, problems, unusable } = await file.read();
        expect(records.map(({ command }) => command).sort()).toEqual([...expected, 'kept'].sort());
        expect([problems, unusable]).toEqual([[], undefined]);
        const text = JSON.parse(readFileSync(path, 'utf8')) as { approvals: object[]; root: boolean };
        expect([text.root, text.approvals[0]]).toEqual([true, foreign]);
        expect(readdirSync(root).filter((name) => name.endsWith('.tmp') || name.includes('lock'))).toEqual(
          [],
        );
      }),
      { numRuns: 4 },
    );
  }, 60_000);
});
