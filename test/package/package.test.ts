import type { SpawnSyncReturns } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { install, pack, run, succeed } from './install.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

describe('the installed package', () => {
  let project = '';
  let tarball = '';
  const herma = (...args: string[]): SpawnSyncReturns<string> =>
    run(project, join(project, 'node_modules/.bin/herma'), ...args);

  beforeAll(() => {
    tarball = pack();
    project = install(tarball);
  }, 180_000);

  it('holds the build and no sources', () => {
    const files = succeed(run(project, 'tar', '-tzf', tarball))
      .trim()
      .split('\n');
    const unexpected = files.filter(
      (file) => !/^package\/(dist|bin|docs)\/|^package\/(README\.md|LICENSE|package\.json)$/.test(file),
    );
    expect(unexpected).toEqual([]);
    expect(files).toContain('package/dist/surfaces/cli/main.js');
    expect(existsSync(join(project, 'node_modules/herma/src'))).toBe(false);
  });

  it('tells its version', () => {
    expect(succeed(herma('--version'))).toBe(`${manifest.version}\n`);
  });

  it('reports its health as one JSON document', () => {
    const result = herma('doctor', '--json');
    expect(result.stderr).toBe('');
    const report: unknown = JSON.parse(result.stdout);
    expect(report).toBeTypeOf('object');
    expect([0, 1]).toContain(result.status);
  });

  it.each(
    Object.entries(manifest.exports).flatMap(([door, target]) =>
      typeof target === 'object' && 'default' in target ? [door] : [],
    ),
  )('opens its door %s', (door) => {
    const program = `import * as door from 'herma${door.slice(1)}'; console.log(Object.keys(door).length);`;
    writeFileSync(join(project, 'open.mjs'), program);
    expect(Number(succeed(run(project, process.execPath, 'open.mjs')))).toBeGreaterThan(0);
  });

  it('has types for each door', () => {
    const doors = Object.keys(manifest.exports).filter((door) => door !== './package.json');
    const imports = doors.map(
      (door, index) => `import * as door${index} from 'herma${door.slice(1)}';\nvoid door${index};`,
    );
    writeFileSync(join(project, 'types.ts'), imports.join('\n'));
    symlinkSync(join(repository, 'node_modules/@types'), join(project, 'node_modules/@types'));
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    const result = run(
      project,
      process.execPath,
      join(repository, 'node_modules/typescript/bin/tsc'),
      ...options,
      '--skipLibCheck',
      'types.ts',
    );
    expect(result.stdout).toBe('');
    expect(result.status).toBe(0);
  });

  it('is packed as others expect it', async () => {
    const { messages, pkg } = await publint({
      pkgDir: join(project, 'node_modules/herma'),
      level: 'suggestion',
      pack: false,
    });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });
});
