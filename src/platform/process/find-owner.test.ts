import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { findOwner } from './find-owner.ts';
import { currentProcessIdentity } from './process-identity.ts';

const SOURCE = JSON.stringify(new URL('./find-owner.ts', import.meta.url).href);
let folder: string;
let launcher: string;

/** A launcher that runs the program with its own arguments; the program prints its owner. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'find owner-'));
  const program = join(folder, 'program.ts');
  launcher = join(folder, 'bin', 'herma.js');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(
    program,
    `import { findOwner } from ${SOURCE}; console.log(JSON.stringify(findOwner() ?? null));`,
  );
  writeFileSync(
    launcher,
    `const { spawn } = require('node:child_process');
     const args = [${JSON.stringify(program)}, ...process.argv.slice(2)];
     spawn(process.execPath, args, { stdio: 'inherit' }).on('exit', (code) => process.exit(code));`,
  );
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function ownerPrintedBy(command: string, args: readonly string[]): Promise<unknown> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await once(child, 'close');
  return JSON.parse(output);
}

it('is the program above shells, wrappers and the launcher', async () => {
  const script = '"$1" "$2" gate before; :';
  const args = ['-c', `timeout 50 sh -c '${script}' sh "$1" "$2"; :`, 'bash', process.execPath, launcher];
  expect(await ownerPrintedBy('bash', args)).toEqual(currentProcessIdentity());
});

it('is the program that started the launcher directly', async () => {
  expect(await ownerPrintedBy(process.execPath, [launcher, 'gate', 'before'])).toEqual(
    currentProcessIdentity(),
  );
});

it('is a living ancestor of this process', () => {
  const owner = findOwner();
  expect(owner?.pid).not.toBe(process.pid);
  expect(owner?.startTime).toMatch(/./);
});

it('can be asked for another process', () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  expect(findOwner({ from: child.pid })).toEqual(currentProcessIdentity());
});

it('is undefined for a process that does not exist and for one without a parent', () => {
  expect(findOwner({ from: 2 ** 30 })).toBeUndefined();
  expect(findOwner({ from: 1 })).toBeUndefined();
});
