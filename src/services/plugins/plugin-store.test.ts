import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { succeed } from '../../kernel/errors/index.ts';
import { systemClock } from '../../platform/clock/index.ts';
import { freezeVariables, readEnvironment } from '../../platform/environment/index.ts';
import type { EnabledPlugins } from './enabled-plugins.ts';
import { createPluginBench, manifestOf, type PluginBench } from './plugin-bench.ts';
import { PluginStore } from './plugin-store.ts';

const signal = new AbortController().signal;
const GUARD = `export function register(ctx) {
  ctx.registerHook('pre_tool_call', () => undefined);
  ctx.registerTool({ name: 'mine', description: 'does', execute: () => 'ran' });
}`;

interface Rig extends PluginBench {
  readonly store: PluginStore;
  readonly enabledNames: () => readonly string[];
}

async function rig(names: readonly string[] = []): Promise<Rig> {
  const bench = await createPluginBench();
  let list = names;
  const enabled: EnabledPlugins = {
    read: async () => Promise.resolve(succeed(list)),
    set: async (name, isEnabled) => {
      const isChanged = list.includes(name) !== isEnabled;
      if (isChanged) list = isEnabled ? [...list, name] : list.filter((other) => other !== name);
      return Promise.resolve(succeed(isChanged));
    },
  };
  const environment = freezeVariables([
    ...Object.entries(readEnvironment()),
    ['npm_config_cache', join(bench.elsewhere, 'npm-cache')],
    ['npm_config_offline', 'true'],
    ['HOME', bench.elsewhere],
  ]);
  const store = new PluginStore({ paths: bench.paths, environment, clock: systemClock, enabled });
  return { ...bench, store, enabledNames: () => list };
}

const folderOf = async (bench: PluginBench, name = 'guard', module = GUARD): Promise<string> =>
  bench.write(join(bench.elsewhere, `src-${name}`), {
    'plugin.yaml': manifestOf(name),
    'index.js': module,
    'lib/more.js': 'export const more = 1;',
  });

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trim();
}

function installedIn(bench: PluginBench): unknown {
  return JSON.parse(readFileSync(join(bench.paths.pluginData, 'installed.json'), 'utf8'));
}

describe('install', () => {
  it('copies a folder, says what it registers, enables nothing, and records where it came from', async () => {
    await using bench = await rig();
    const folder = await folderOf(bench);
    mkdirSync(join(folder, '.git'));
    symlinkSync('more.js', join(folder, 'lib', 'same.js'));
    const done = await bench.store.install(folder, { cwd: '/', signal });
    expect(done).toMatchObject({
      ok: true,
      value: {
        folder: { name: 'guard' },
        registered: { hooks: [{ event: 'pre_tool_call' }], tools: [{ name: 'mine' }] },
      },
    });
    const place = join(bench.paths.plugins, 'guard');
    expect(readdirSync(place).sort()).toEqual(['index.js', 'lib', 'plugin.yaml']);
    expect(readFileSync(join(place, 'lib', 'same.js'), 'utf8')).toContain('more');
    expect(readdirSync(bench.paths.plugins)).toEqual(['guard']);
    expect(bench.enabledNames()).toEqual([]);
    expect(installedIn(bench)).toEqual({
      version: 1,
      plugins: {
        guard: { source: folder, hooks: ['pre_tool_call'], installed_at: expect.stringMatching(/^20\d\d-/) },
      },
    });
  });

  it('takes a path relative to the working directory, and never a name for a path', async () => {
    await using bench = await rig();
    await folderOf(bench);
    expect(await bench.store.install('src-guard', { cwd: bench.elsewhere, signal })).toMatchObject({
      ok: false,
      code: 'npm_failed',
    });
    expect(await bench.store.install('./src-guard', { cwd: bench.elsewhere, signal })).toMatchObject({
      ok: true,
    });
  });

  it('takes the head, or a tag, of a git repository, records the commit, and runs no hook of it', async () => {
    await using bench = await rig();
    const work = await folderOf(bench);
    git(work, 'init', '-q');
    git(work, 'add', '.');
    git(work, 'commit', '-qm', 'one');
    git(work, 'tag', 'v1');
    const first = git(work, 'rev-parse', 'HEAD');
    await bench.write(work, { 'plugin.yaml': manifestOf('guard', 'author: somebody') });
    git(work, 'commit', '-qam', 'two');
    const bare = join(bench.elsewhere, 'repo.git');
    git(bench.elsewhere, 'clone', '-q', '--bare', work, bare);
    const template = await bench.write(join(bench.elsewhere, 'template'), {
      'hooks/post-checkout': `#!/bin/sh\ntouch ${join(bench.elsewhere, 'hook-ran')}\n`,
    });
    execFileSync('chmod', ['+x', join(template, 'hooks', 'post-checkout')]);
    await bench.write(bench.elsewhere, { '.gitconfig': `[init]\n\ttemplateDir = ${template}\n` });
    for (const [given, commit, author] of [
      [bare, git(bare, 'rev-parse', 'HEAD'), 'somebody'],
      [`file://${bare}#v1`, first, undefined],
      [`file://${bare}#${first}`, first, undefined],
    ] as const) {
      const done = await bench.store.install(given, { cwd: '/', signal });
      expect(done).toMatchObject({ ok: true, value: { entry: { source: given, commit } } });
      expect(done.ok && done.value.folder.manifest.author).toBe(author);
      expect(existsSync(join(bench.paths.plugins, 'guard', '.git'))).toBe(false);
      expect(await bench.store.remove('guard')).toMatchObject({ ok: true });
    }
    expect(existsSync(join(bench.elsewhere, 'hook-ran'))).toBe(false);
  });

  it('takes an npm package, runs no script of it, and records version and hash', async () => {
    await using bench = await rig();
    const marker = join(bench.elsewhere, 'script-ran');
    const script = `touch ${marker}`;
    const source = await bench.write(join(bench.elsewhere, 'pkg'), {
      'package.json': JSON.stringify({
        name: '@me/guard-plugin',
        version: '0.3.0',
        type: 'module',
        scripts: { preinstall: script, install: script, postinstall: script, prepare: script },
        peerDependencies: { herma: '*' },
      }),
      'plugin.yaml': manifestOf('guard'),
      'index.js': GUARD,
    });
    execFileSync('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: source });
    const done = await bench.store.install('./me-guard-plugin-0.3.0.tgz', { cwd: source, signal });
    expect(done).toMatchObject({
      ok: true,
      value: { entry: { version: '0.3.0', integrity: expect.stringMatching(/^sha512-/) } },
    });
    expect(readdirSync(join(bench.paths.plugins, 'guard')).sort()).toEqual([
      'index.js',
      'package.json',
      'plugin.yaml',
    ]);
    expect(existsSync(marker)).toBe(false);
  });

  it('answers that the journal is built in', async () => {
    await using bench = await rig();
    expect(await bench.store.install('agent-ledger', { cwd: '/', signal })).toMatchObject({
      ok: false,
      code: 'built_in',
      message: expect.stringContaining('built in'),
    });
  });

  it.each([
    ['a manifest that is missing', 'no_plugin', (folder: string) => rmSync(join(folder, 'plugin.yaml'))],
    [
      'a name that leads elsewhere',
      'no_plugin',
      (folder: string) => writeFileSync(join(folder, 'plugin.yaml'), 'name: ../evil\nversion: 1\n'),
    ],
    [
      'a hidden name',
      'no_plugin',
      (folder: string) => writeFileSync(join(folder, 'plugin.yaml'), 'name: .evil\nversion: 1\n'),
    ],
    [
      'the name of the journal',
      'no_plugin',
      (folder: string) => writeFileSync(join(folder, 'plugin.yaml'), manifestOf('agent-ledger')),
    ],
    [
      'a link to elsewhere',
      'outside',
      (folder: string) => symlinkSync('/etc/passwd', join(folder, 'lib', 'p')),
    ],
    ['a link upwards', 'outside', (folder: string) => symlinkSync('../../..', join(folder, 'lib', 'up'))],
    [
      'a link that leads nowhere',
      'outside',
      (folder: string) => symlinkSync('nothing', join(folder, 'dangling')),
    ],
    [
      'an absolute link to itself',
      'outside',
      (folder: string) => symlinkSync(join(folder, 'index.js'), join(folder, 'abs')),
    ],
    ['a pipe', 'not_a_file', (folder: string) => execFileSync('mkfifo', [join(folder, 'pipe')])],
    [
      'a module that throws',
      'does_not_register',
      (folder: string) => writeFileSync(join(folder, 'index.js'), 'throw new Error("x")'),
    ],
  ])('of something with %s leaves nothing behind', async (_, code, harm) => {
    await using bench = await rig();
    const folder = await folderOf(bench);
    harm(folder);
    expect(await bench.store.install(folder, { cwd: '/', signal })).toMatchObject({ ok: false, code });
    expect(readdirSync(bench.paths.plugins)).toEqual([]);
    expect(existsSync(join(bench.paths.pluginData, 'installed.json'))).toBe(false);
  });

  it.each(['-rf', '--version', 'ext::sh -c id', 'a b', 'git@host:-x', 'Upper', ''])(
    'of %j is refused before anything is started',
    async (given) => {
      await using bench = await rig();
      const done = await bench.store.install(given, { cwd: '/', signal });
      expect(done).toMatchObject({ ok: false, code: 'bad_source' });
      expect(readdirSync(bench.paths.plugins)).toEqual([]);
    },
  );

  it('of a commit that does not exist fails, and leaves nothing', async () => {
    await using bench = await rig();
    git(bench.elsewhere, 'init', '-q', '--bare', 'empty.git');
    expect(await bench.store.install('./empty.git', { cwd: bench.elsewhere, signal })).toMatchObject({
      ok: false,
      code: 'git_failed',
    });
    expect(readdirSync(bench.paths.plugins)).toEqual([]);
  });

  it('never replaces a plugin, and clears away what a killed installation left', async () => {
    await using bench = await rig();
    await bench.plugin('guard', '// mine');
    mkdirSync(join(bench.paths.plugins, '.staging-old'));
    expect(await bench.store.install(await folderOf(bench), { cwd: '/', signal })).toMatchObject({
      code: 'exists',
    });
    expect(readFileSync(join(bench.paths.plugins, 'guard', 'index.js'), 'utf8')).toBe('// mine');
    expect(readdirSync(bench.paths.plugins)).toEqual(['guard']);
  });

  it('leaves a record alone that it does not understand', async () => {
    await using bench = await rig();
    await bench.write(bench.paths.pluginData, { 'installed.json': 'nonsense' });
    expect(await bench.store.install(await folderOf(bench), { cwd: '/', signal })).toMatchObject({
      code: 'corrupt',
    });
    expect(readdirSync(bench.paths.plugins)).toEqual([]);
    expect(readFileSync(join(bench.paths.pluginData, 'installed.json'), 'utf8')).toBe('nonsense');
  });
});

describe('enable and disable', () => {
  it('change the list, and remember which hooks were seen', async () => {
    await using bench = await rig(['other']);
    await bench.plugin('guard', GUARD);
    expect(await bench.store.enable('guard', signal)).toMatchObject({ ok: true, value: { isChanged: true } });
    expect(await bench.store.enable('guard', signal)).toMatchObject({
      ok: true,
      value: { isChanged: false },
    });
    expect(bench.enabledNames()).toEqual(['other', 'guard']);
    expect(installedIn(bench)).toMatchObject({
      plugins: { guard: { source: 'folder', hooks: ['pre_tool_call'] } },
    });
    expect(await bench.store.disable('guard')).toEqual({ ok: true, value: true });
    expect(await bench.store.disable('guard')).toEqual({ ok: true, value: false });
    expect(bench.enabledNames()).toEqual(['other']);
  });

  it('does not enable what cannot be loaded, and disables it all the same', async () => {
    await using bench = await rig(['broken', 'gone']);
    await bench.plugin('broken', 'throw new Error("x")');
    await bench.plugin('unlisted', 'throw new Error("x")');
    expect(await bench.store.enable('unlisted', signal)).toMatchObject({
      ok: false,
      code: 'does_not_register',
    });
    expect(await bench.store.disable('broken')).toEqual({ ok: true, value: true });
    expect(await bench.store.disable('gone')).toEqual({ ok: true, value: true });
    expect(bench.enabledNames()).toEqual([]);
    expect(await bench.store.disable('never')).toMatchObject({ ok: false, code: 'not_found' });
  });

  it.each(['../x', '/etc', '.', ''])('refuse the name %j', async (name) => {
    await using bench = await rig();
    for (const done of [
      await bench.store.enable(name, signal),
      await bench.store.disable(name),
      await bench.store.remove(name),
      await bench.store.preview(name, signal),
    ])
      expect(done).toMatchObject({ ok: false, code: 'bad_name' });
  });
});

describe('list', () => {
  it('shows what is there, what is broken, and what is enabled and not there', async () => {
    await using bench = await rig(['guard', 'gone']);
    await bench.plugin('guard', GUARD);
    await bench.write(join(bench.paths.plugins, 'empty'), { 'readme.md': '' });
    await bench.write(join(bench.paths.plugins, 'Bad Name'), { 'plugin.yaml': manifestOf('x') });
    await bench.write(bench.paths.plugins, { 'a-file': '' });
    const listed = await bench.store.list();
    expect(
      listed.ok && listed.value.map(({ name, isEnabled, found }) => [name, isEnabled, found.ok]),
    ).toEqual([
      ['Bad Name', false, false],
      ['empty', false, false],
      ['gone', true, false],
      ['guard', true, true],
    ]);
  });
});

describe('remove', () => {
  it('disables the plugin, removes it and its record, and leaves its data', async () => {
    await using bench = await rig(['guard']);
    await bench.store.install(await folderOf(bench), { cwd: '/', signal });
    await bench.write(join(bench.paths.pluginData, 'guard'), { notes: 'mine' });
    expect(await bench.store.remove('guard')).toEqual({ ok: true, value: undefined });
    expect([readdirSync(bench.paths.plugins), bench.enabledNames()]).toEqual([[], []]);
    expect(installedIn(bench)).toEqual({ version: 1, plugins: {} });
    expect(existsSync(join(bench.paths.pluginData, 'guard', 'notes'))).toBe(true);
    expect(await bench.store.remove('guard')).toMatchObject({ ok: false, code: 'not_found' });
  });

  it('removes a link and not what it leads to', async () => {
    await using bench = await rig();
    const folder = await folderOf(bench);
    symlinkSync(folder, join(bench.paths.plugins, 'guard'));
    expect(await bench.store.remove('guard')).toMatchObject({ ok: true });
    expect([readdirSync(bench.paths.plugins), existsSync(join(folder, 'index.js'))]).toEqual([[], true]);
  });
});
