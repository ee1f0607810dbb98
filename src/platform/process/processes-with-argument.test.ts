import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { processesWithArgument } from './processes-with-argument.ts';
import { psProcessTable } from './ps-process-table.ts';

const children: ChildProcess[] = [];

function start(argument: string): ChildProcess {
  const child = spawn('sh', ['-c', 'read line; exit 0', 'sh', argument], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  children.push(child);
  return child;
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('processesWithArgument', () => {
  it('finds a process by an argument as long as it is there', async () => {
    const argument = `/run/${randomUUID()} x.rc`;
    const child = start(argument);
    await vi.waitFor(() => expect(processesWithArgument(argument)).toEqual([child.pid]));
    expect(processesWithArgument(argument.slice(0, -1))).toEqual([]);
    child.stdin?.end('\n');
    await once(child, 'exit');
    expect(processesWithArgument(argument)).toEqual([]);
  });

  it('finds it by ps as well, where it is the last one', async () => {
    const argument = `/run/${randomUUID()} x.rc`;
    const child = start(argument);
    await vi.waitFor(() => expect(psProcessTable.withArgument(argument)).toEqual([child.pid]));
    expect(psProcessTable.withArgument(argument.slice(0, -1))).toEqual([]);
  });
});
