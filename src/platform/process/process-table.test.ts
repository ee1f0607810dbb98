import { spawn } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProcStat, procProcessTable } from './proc-process-table.ts';
import { parsePsLine, psProcessTable } from './ps-process-table.ts';

const PATIENCE = { timeout: 20_000 };

const REST = '1 2 3 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654321 1 2 3';

function statLine(name: string, state = 'S'): string {
  return `4711 (${name}) ${state} 12 34 34 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 1 0 987654321 1000 200 18446744073709551615\n`;
}

describe('/proc/<pid>/stat', () => {
  it.each(['node', 'tmux: server', 'a) S 1 2 3', ') Z 1 (', '', '((', 'new\nline'])(
    'is read with the command name %j',
    (name) => {
      expect(parseProcStat(statLine(name))).toEqual({
        pid: 4711,
        ppid: 12,
        pgid: 34,
        isZombie: false,
        startTime: '987654321',
        name,
      });
    },
  );

  it('is read with any command name', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(' ', ')', '(', 'Z', '1', '\n', 'é') }), (name) => {
        expect(parseProcStat(statLine(name))).toMatchObject({
          pid: 4711,
          ppid: 12,
          startTime: '987654321',
          name,
        });
      }),
    );
  });

  it.each([
    ['R', false],
    ['D', false],
    ['T', false],
    ['Z', true],
    ['X', true],
    ['x', true],
  ])('state %s: zombie %s', (state, isZombie) => {
    expect(parseProcStat(statLine('x', state))?.isZombie).toBe(isZombie);
  });

  it.each([
    '',
    'nonsense',
    '12 (x) S 1',
    `x (y) S ${REST}`,
    '12 )x( S 1 2 3',
    statLine('x').replace('987654321', '-'),
  ])('anything else is no entry: %j', (text) => {
    expect(parseProcStat(text)).toBeUndefined();
  });
});

describe('ps', () => {
  it('has its lines read, also with a space in the name', () => {
    expect(parsePsLine('  501     1   501 Ss   Mon Nov  3 09:05:01 2025 Google Chrome He ')).toEqual({
      pid: 501,
      ppid: 1,
      pgid: 501,
      isZombie: false,
      startTime: 'Mon Nov 3 09:05:01 2025',
      name: 'Google Chrome He',
    });
    expect(parsePsLine('7 1 7 Z+ Mon Nov 13 09:05:01 2025 (sh)')?.isZombie).toBe(true);
  });

  it.each(['', 'PID PPID', '1 2 3 S', '1 2 3 S Mon Nov 3 2025 x'])(
    'anything else is no entry: %j',
    (line) => {
      expect(parsePsLine(line)).toBeUndefined();
    },
  );
});

describe.runIf(process.platform === 'linux')('both tables', () => {
  it('agree on a running process', () => {
    const [fromProc] = procProcessTable.read([process.pid]);
    const [fromPs] = psProcessTable.read([process.pid]);
    expect(fromPs).toMatchObject({
      pid: process.pid,
      ppid: process.ppid,
      pgid: fromProc?.pgid,
      isZombie: false,
    });
    expect(fromProc).toMatchObject({ pid: process.pid, ppid: process.ppid, isZombie: false });
    expect(psProcessTable.list().map(({ pid }) => pid)).toContain(process.pid);
    expect(procProcessTable.list().map(({ pid }) => pid)).toContain(process.pid);
  });

  it('give the command line, and nothing for a pid nobody has', async () => {
    const child = spawn('sleep', ['60', '3'], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    try {
      await expect.poll(() => procProcessTable.argumentsOf(pid), PATIENCE).toEqual(['sleep', '60', '3']);
      expect(psProcessTable.argumentsOf(pid)).toEqual(['sleep', '60', '3']);
    } finally {
      child.kill('SIGKILL');
    }
    for (const table of [procProcessTable, psProcessTable]) {
      expect(table.read([2 ** 30])).toEqual([]);
      expect(table.argumentsOf(2 ** 30)).toEqual([]);
    }
    expect(psProcessTable.read([])).toEqual([]);
  });
});
