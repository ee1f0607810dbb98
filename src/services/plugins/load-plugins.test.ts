import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freezeVariables } from '../../platform/environment/index.ts';
import { createPluginBench, manifestOf } from './plugin-bench.ts';

const signal = new AbortController().signal;
const started = { sessionId: 's', model: 'm', platform: 'cli' };
const ISOLATED = { manifest: 'isolate: true' };
const GUARD = `export function register(ctx) { ctx.registerHook('pre_tool_call', () => undefined); }`;
const blocking = (message: string): string =>
  `export function register(ctx) { ctx.registerHook('pre_tool_call', () => ({ action: 'block', message: '${message}' })); }`;
const HUNG = `while (true) {}`;

describe('loading', () => {
  it.each([
    ['index.js', `export function register(ctx) { ctx.registerTool(tool); }`],
    ['index.mjs', `export default async (ctx) => { await null; ctx.registerTool(tool); };`],
    [
      'index.ts',
      `import type { PluginContext } from 'herma/plugin';
       export async function register(ctx: PluginContext): Promise<void> { ctx.registerTool(tool); }`,
    ],
  ])('takes %s, by name or by default, synchronous or not', async (entry, module) => {
    await using bench = await createPluginBench();
    const tool = `const tool = { name: 'hi', description: 'says hi', execute: () => 'hi' };`;
    for (const [name, manifest] of [
      ['same', ''],
      ['own', 'isolate: true'],
    ] as const) {
      await bench.plugin(name, `${module}\n${tool}`, { entry, manifest });
      const loaded = await bench.load([name]);
      expect(loaded.plugins).toEqual([
        {
          name,
          version: '1.10',
          isIsolated: name === 'own',
          isLoaded: true,
          blocksCalls: false,
          hooks: [],
          tools: ['hi'],
          commands: [],
          sections: [],
          problems: [],
        },
      ]);
      await loaded.close();
    }
  });

  it('registers callbacks in the order of the names of the plugins, whatever the order of the list', async () => {
    await using bench = await createPluginBench();
    for (const name of ['c', 'a', 'b']) {
      await bench.plugin(
        name,
        `export function register(ctx) { ctx.registerHook('transform_llm_output', ({ responseText }) => responseText + '${name}'); }`,
        name === 'b' ? ISOLATED : {},
      );
    }
    await bench.load(['b', 'c', 'a', 'a']);
    const text = await bench.callbacks.transform(
      'transform_llm_output',
      (responseText) => ({ ...started, responseText }),
      '',
      signal,
    );
    expect(text).toEqual({ text: 'abc', warnings: [] });
  });

  it('does not look at plugins that are not enabled', async () => {
    await using bench = await createPluginBench();
    await bench.plugin('a', `throw new Error('was loaded')`);
    expect((await bench.load([])).plugins).toEqual([]);
  });

  it('passes over the journal, which is built in', async () => {
    await using bench = await createPluginBench();
    expect((await bench.load(['agent-ledger'])).plugins).toEqual([]);
    expect((await bench.call([], { tool: 'echo' })).status).toBe('ok');
  });

  it.each(['', 'isolate: true'])(
    'gives a plugin its config, its log and a folder of its own (%s)',
    async (manifest) => {
      await using bench = await createPluginBench();
      await bench.plugin(
        'own',
        `import { writeFileSync } from 'node:fs';
       export function register(ctx) {
         if (!Object.isFrozen(ctx.config)) throw new Error('the configuration can be changed');
         ctx.logger.info('registering', { colour: ctx.config.colour });
         if (ctx.config.colour) writeFileSync(ctx.dataDir + '/colour', ctx.name + ctx.config.colour);
       }`,
        { manifest },
      );
      await bench.load(['own'], { settings: new Map([['own', {}]]) });
      expect(existsSync(join(bench.paths.pluginData, 'own'))).toBe(false);
      await bench.load(['own'], {
        settings: new Map([
          ['own', { colour: 'red' }],
          ['other', { colour: 'blue' }],
        ]),
      });
      expect(readFileSync(join(bench.paths.pluginData, 'own', 'colour'), 'utf8')).toBe('ownred');
      expect(readFileSync(bench.paths.log, 'utf8')).toMatch(/"registering","plugin":"own","colour":"red"/);
    },
  );

  it('says which variables are not set, and which promised hooks are missing', async () => {
    await using bench = await createPluginBench();
    await bench.plugin('a', `export function register() {}`, {
      manifest: 'env: [SOME_TOKEN]\nprovides_hooks: [post_tool_call]',
    });
    expect((await bench.load(['a'])).plugins[0]?.problems).toEqual([
      'its manifest lists post_tool_call, which it did not register',
      'SOME_TOKEN, which it needs, is not set in the environment',
    ]);
  });

  it('keeps credentials from a plugin in a thread of its own, apart from those its manifest names', async () => {
    await using bench = await createPluginBench();
    const environment = freezeVariables([
      ['OPENAI_API_KEY', 'one'],
      ['ANTHROPIC_API_KEY', 'two'],
      ['COLOUR', 'red'],
    ]);
    await bench.plugin(
      'own',
      `export function register(ctx) { ctx.logger.info('sees ' + JSON.stringify(process.env)); }`,
      { manifest: 'isolate: true\nenv: [ANTHROPIC_API_KEY]' },
    );
    await bench.load(['own'], { environment });
    const [seen] = /sees (\{.*?\})/.exec(readFileSync(bench.paths.log, 'utf8'))?.slice(1) ?? [];
    const variables: unknown = JSON.parse((seen ?? '').replaceAll('\\"', '"'));
    expect(variables).toEqual({ ANTHROPIC_API_KEY: 'two', COLOUR: 'red' });
  });

  it('takes the callbacks away when it is closed', async () => {
    await using bench = await createPluginBench();
    await bench.plugin('a', blocking('no'));
    await bench.plugin('b', blocking('no'), ISOLATED);
    const loaded = await bench.load(['a', 'b']);
    expect((await bench.call([], { tool: 'echo' })).status).toBe('blocked');
    await loaded.close();
    await loaded.close();
    expect((await bench.call([], { tool: 'echo' })).status).toBe('ok');
  });
});

describe('a plugin that cannot be loaded', () => {
  it.each([
    ['throws', `export function register(ctx) { HOOK; throw new Error('broken'); }`, 'broken'],
    [
      'rejects',
      `export async function register(ctx) { HOOK; await null; throw new Error('broken'); }`,
      'broken',
    ],
    ['has no register', `export const other = 1;`, 'its module exports no function "register"'],
    ['does not parse', `export function register( {`, ''],
    [
      'misspells an event',
      `export function register(ctx) { HOOK; ctx.registerHook('post_tool_cal', () => {}); }`,
      'Did you mean "post_tool_call"?',
    ],
    [
      'registers no function',
      `export function register(ctx) { HOOK; ctx.registerHook('post_tool_call', 7); }`,
      'is no function',
    ],
  ])('because it %s leaves nothing behind, and the others go on', async (_, module, why) => {
    await using bench = await createPluginBench();
    for (const manifest of ['', 'isolate: true']) {
      const source = module.replace(
        'HOOK',
        `ctx.registerHook('on_session_start', () => { throw new Error('still there'); }); ctx.registerTool({ name: 't', description: 'd', execute: () => '' })`,
      );
      await bench.plugin('bad', source, { manifest });
      await bench.plugin(
        'good',
        `export function register(ctx) { ctx.registerTool({ name: 'g', description: 'd', execute: () => '' }); }`,
      );
      const loaded = await bench.load(['bad', 'good']);
      expect(loaded.plugins[0]).toMatchObject({ isLoaded: false, blocksCalls: false, tools: [], hooks: [] });
      expect(loaded.plugins[0]?.problems[0]).toContain(why);
      expect(loaded.tools.map(({ name }) => name)).toEqual(['g']);
      expect(await bench.callbacks.observe('on_session_start', started, signal)).toEqual([]);
      expect((await bench.call([], { tool: 'echo' })).status).toBe('ok');
    }
  });

  it.each([
    ['its manifest lists pre_tool_call', `throw new Error('broken');`, 'provides_hooks: [pre_tool_call]'],
    [
      'it had registered pre_tool_call before it threw',
      `export function register(ctx) { ctx.registerHook('pre_tool_call', () => {}); throw new Error('broken'); }`,
      '',
    ],
    [
      'it had registered pre_tool_call in its thread before it threw',
      `export function register(ctx) { ctx.registerHook('pre_tool_call', () => {}); throw new Error('broken'); }`,
      'isolate: true',
    ],
  ])('blocks every call when %s', async (_, module, manifest) => {
    await using bench = await createPluginBench();
    await bench.plugin('guard', module, { manifest });
    const loaded = await bench.load(['guard']);
    expect(loaded.plugins[0]).toMatchObject({ isLoaded: false, blocksCalls: true });
    const report = await bench.call([], { tool: 'echo' });
    expect(report).toMatchObject({ status: 'blocked', by: 'plugin:guard' });
    expect(report.message).toContain('"guard" is enabled and could not be loaded (broken)');
    expect(report.message).toContain('herma plugins disable guard');
  });

  it('blocks every call when it was a guard the last time it was looked at', async () => {
    await using bench = await createPluginBench();
    await bench.plugin('guard', `throw new Error('broken');`);
    await bench.write(bench.paths.pluginData, {
      'installed.json': JSON.stringify({
        version: 1,
        plugins: { guard: { source: 'x', hooks: ['pre_tool_call'] } },
      }),
    });
    expect((await bench.load(['guard'])).plugins[0]?.blocksCalls).toBe(true);
    await bench.write(bench.paths.pluginData, { 'installed.json': 'nonsense' });
    expect((await bench.load(['guard'])).plugins[0]?.blocksCalls).toBe(true);
  });

  it.each([
    ['is not there', (folder: string) => rmSync(folder, { recursive: true })],
    ['has no manifest', (folder: string) => rmSync(join(folder, 'plugin.yaml'))],
    ['has a broken manifest', (folder: string) => writeFileSync(join(folder, 'plugin.yaml'), 'name: [')],
    [
      'has a misspelt isolation',
      (folder: string) => writeFileSync(join(folder, 'plugin.yaml'), manifestOf('guard', 'isolated: true')),
    ],
  ])('blocks every call when nobody can say whether it is a guard: it %s', async (_, harm) => {
    await using bench = await createPluginBench();
    harm(await bench.plugin('guard', GUARD));
    const loaded = await bench.load(['guard']);
    expect(loaded.plugins[0]).toMatchObject({ isLoaded: false, blocksCalls: true });
    expect((await bench.call([], { tool: 'echo' })).status).toBe('blocked');
    await loaded.close();
    expect((await bench.call([], { tool: 'echo' })).status).toBe('ok');
  });

  it.each(['../evil', '/tmp', '.hidden', 'A', 'a/b', '', '..', 'installed.json'])(
    'is never looked for under the name %j, and blocks',
    async (name) => {
      await using bench = await createPluginBench();
      const loaded = await bench.load([name]);
      expect(loaded.plugins[0]).toMatchObject({ name, isLoaded: false, blocksCalls: true });
    },
  );

  it('is one whose folder, or whose module, is a link to elsewhere', async () => {
    await using bench = await createPluginBench();
    await bench.write(bench.elsewhere, { 'plugin.yaml': manifestOf('linked'), 'index.js': GUARD });
    symlinkSync(bench.elsewhere, join(bench.paths.plugins, 'linked'));
    const folder = await bench.plugin('module', GUARD);
    rmSync(join(folder, 'index.js'));
    symlinkSync(join(bench.elsewhere, 'index.js'), join(folder, 'index.js'));
    const { plugins } = await bench.load(['linked', 'module']);
    expect(plugins.map(({ isLoaded }) => isLoaded)).toEqual([false, false]);
    expect(plugins[0]?.problems[0]).toContain('symbolic link');
    expect(plugins[1]?.problems[0]).toContain('outside');
  });

  it('is one that does not register in time; what it does later is ignored', async () => {
    await using bench = await createPluginBench();
    for (const manifest of ['', 'isolate: true']) {
      await bench.plugin(
        'slow',
        `export async function register(ctx) { await new Promise((r) => setTimeout(r, 60_000).unref()); }`,
        { manifest },
      );
      const { plugins } = await bench.load(['slow'], { callbackTimeoutMs: 300 });
      expect(plugins[0]?.problems[0]).toBe('it could not be loaded: it did not register within 0.3 s');
    }
  });

  it('is one that never gives its thread back while it registers, when it is isolated', async () => {
    await using bench = await createPluginBench();
    await bench.plugin('loop', `export function register() { ${HUNG} }`, ISOLATED);
    const { plugins } = await bench.load(['loop'], { callbackTimeoutMs: 300 });
    expect(plugins[0]).toMatchObject({ isLoaded: false });
  });

  it('cannot register anything after register has ended', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'late',
      `export function register(ctx) {
         ctx.registerTool({ name: 'late', description: 'd', execute: () => { ctx.registerHook('pre_tool_call', () => {}); return 'done'; } });
       }`,
    );
    const { tools } = await bench.load(['late']);
    const report = await bench.call(tools, { tool: 'late' });
    expect(report).toMatchObject({
      status: 'error',
      message: expect.stringContaining('after register had ended'),
    });
  });
});

describe.each(['', 'isolate: true'])('hooks (%s)', (manifest) => {
  it('block calls, rewrite arguments and are told of the end', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'guard',
      `export function register(ctx) {
         ctx.registerHook('pre_tool_call', ({ toolName, args, cwd }) => {
           if (args.bad) return { action: 'block', message: 'no ' + toolName + ' in ' + cwd };
           return { action: 'modify', args: { seen: true } };
         });
         ctx.registerHook('transform_tool_result', ({ result }) => result + '!');
       }`,
      { manifest },
    );
    await bench.load(['guard']);
    expect(await bench.call([], { tool: 'echo', args: { bad: 1 } })).toMatchObject({
      status: 'blocked',
      by: 'plugin:guard',
      message: 'no echo in /work',
    });
    expect((await bench.call([], { tool: 'echo', args: { a: 1 } })).text).toBe('{"a":1,"seen":true}!');
  });

  it('that throw are reported; on pre_tool_call they block', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'bad',
      `export function register(ctx) {
         ctx.registerHook('on_session_start', () => { throw new Error('oops'); });
         ctx.registerHook('pre_tool_call', async () => { throw new Error('cannot tell'); });
       }`,
      { manifest },
    );
    await bench.load(['bad']);
    expect(await bench.callbacks.observe('on_session_start', started, signal)).toEqual([
      'plugin:bad (on_session_start) failed: oops',
    ]);
    expect(await bench.call([], { tool: 'echo' })).toMatchObject({
      status: 'blocked',
      message: 'plugin:bad failed: cannot tell',
    });
  });

  it('that do not answer in time are left; on pre_tool_call they block', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'hung',
      `export function register(ctx) {
         ctx.registerHook('on_session_start', () => new Promise(() => {}), { timeout: 0.2 });
         ctx.registerHook('pre_tool_call', () => new Promise(() => {}), { timeout: 0.2 });
       }`,
      { manifest },
    );
    await bench.load(['hung']);
    const [warning] = await bench.callbacks.observe('on_session_start', started, signal);
    expect(warning).toContain('did not answer within 0.2 s');
    const report = await bench.call([], { tool: 'echo' });
    expect(report).toMatchObject({
      status: 'blocked',
      message: expect.stringContaining('did not answer within 0.2 s'),
    });
  });

  it.each([
    ['an instance of a class', `new (class { get action() { return 'block'; } })()`],
    ['an object with a symbol', `({ [Symbol('action')]: 'block' })`],
    ['an object with a hidden member', `Object.defineProperty({}, 'action', { value: 'block' })`],
    ['a function in an object', `({ block: () => true })`],
    ['an inherited verdict', `Object.create({ action: 'block' })`],
    ['a map', `new Map([['action', 'block']])`],
    ['an error', `new Error('no')`],
    ['a word', `'deny'`],
  ])('that answer %s give no permission', async (_, answer) => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'odd',
      `export function register(ctx) { ctx.registerHook('pre_tool_call', () => ${answer}); }`,
      {
        manifest,
      },
    );
    await bench.load(['odd']);
    expect((await bench.call([], { tool: 'echo' })).status).toBe('blocked');
  });
});

describe('isolation', () => {
  it('ends a callback that never gives its thread back, blocks that call, and starts again for the next', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'loop',
      `export function register(ctx) {
         ctx.registerHook('pre_tool_call', ({ args }) => { if (args.hang) ${HUNG} }, { timeout: 0.5 });
       }`,
      ISOLATED,
    );
    await bench.load(['loop']);
    for (let round = 0; round < 2; round += 1) {
      expect((await bench.call([], { tool: 'echo' })).status).toBe('ok');
      expect(await bench.call([], { tool: 'echo', args: { hang: true } })).toMatchObject({
        status: 'blocked',
        message: 'plugin:loop failed: did not answer within 0.5 s, and its thread was ended',
      });
    }
    expect((await bench.call([], { tool: 'echo' })).status).toBe('ok');
  });

  it('has no limit where the configuration says so, but that of the callback itself', async () => {
    await using bench = await createPluginBench();
    for (const [name, options] of [
      ['loop', '{ timeout: 0.3 }'],
      ['slow', '{}'],
    ] as const) {
      const wait = name === 'slow' ? `await new Promise((resolve) => setTimeout(resolve, 20));` : HUNG;
      await bench.plugin(
        name,
        `export function register(ctx) { ctx.registerHook('on_session_start', async () => { ${wait} }, ${options}); }`,
        ISOLATED,
      );
    }
    await bench.load(['loop', 'slow'], { callbackTimeoutMs: 0 });
    const warnings = await bench.callbacks.observe('on_session_start', started, signal);
    expect(warnings).toEqual([expect.stringContaining('plugin:loop')]);
  });

  it('ends a callback of an event that has no limit of its own', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'loop',
      `export function register(ctx) { ctx.registerHook('on_session_finalize', () => { ${HUNG} }); }`,
      ISOLATED,
    );
    await bench.load(['loop'], { callbackTimeoutMs: 500 });
    const [warning] = await bench.callbacks.observe(
      'on_session_finalize',
      { sessionId: 's', platform: 'cli' },
      signal,
    );
    expect(warning).toContain('did not answer within 0.5 s');
  });

  it('gives up after five restarts, and blocks from then on', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'crash',
      `export function register(ctx) { ctx.registerHook('pre_tool_call', ({ args }) => { if (args.crash) process.exit(3); }); }`,
      ISOLATED,
    );
    await bench.load(['crash']);
    for (let crash = 0; crash < 6; crash += 1) {
      const report = await bench.call([], { tool: 'echo', args: { crash: true } });
      expect(report.message).toContain('its thread ended before it answered');
    }
    expect(await bench.call([], { tool: 'echo' })).toMatchObject({
      status: 'blocked',
      message: 'plugin:crash failed: its thread ended 6 times, and is not started again',
    });
  });

  it('does not take a thread that crashed between two calls for one that agrees', async () => {
    await using bench = await createPluginBench();
    const marker = join(bench.elsewhere, 'crashed');
    await bench.plugin(
      'crash',
      `import { existsSync, writeFileSync } from 'node:fs';
       export function register(ctx) {
         ctx.registerHook('pre_tool_call', ({ args }) => {
           if (args.later) { setImmediate(() => { writeFileSync('${marker}', ''); process.exit(1); }); return; }
           return { action: 'block', message: 'guarded' };
         });
       }`,
      ISOLATED,
    );
    await bench.load(['crash']);
    await bench.call([], { tool: 'echo', args: { later: true } });
    await expect.poll(() => existsSync(marker)).toBe(true);
    for (let call = 0; call < 3; call += 1)
      expect((await bench.call([], { tool: 'echo' })).status).toBe('blocked');
    expect((await bench.call([], { tool: 'echo' })).message).toBe('guarded');
  });

  it('refuses a plugin that registers something else when it is started again', async () => {
    await using bench = await createPluginBench();
    const folder = await bench.plugin(
      'shifty',
      `export function register(ctx) { ctx.registerHook('pre_tool_call', () => process.exit(1)); }`,
      ISOLATED,
    );
    await bench.load(['shifty']);
    writeFileSync(join(folder, 'index.js'), 'export function register() {}');
    await bench.call([], { tool: 'echo' });
    expect(await bench.call([], { tool: 'echo' })).toMatchObject({
      status: 'blocked',
      message: expect.stringContaining('registers something else now'),
    });
  });
});

describe.each(['', 'isolate: true'])('tools (%s)', (manifest) => {
  it.each([
    [`'text'`, { status: 'ok', text: 'text' }],
    [`({ result: { a: [1] } })`, { status: 'ok', text: '{"a":[1]}' }],
    [`({ result: 'plain' })`, { status: 'ok', text: 'plain' }],
    [
      `({ error: 'no such thing' })`,
      { status: 'error', errorType: 'plugin_error', message: 'no such thing' },
    ],
    [
      `(() => { throw new Error('oops'); })()`,
      { status: 'error', errorType: 'plugin_error', message: 'oops' },
    ],
    [`undefined`, { status: 'error', errorType: 'plugin_error' }],
    [`7`, { status: 'error', errorType: 'plugin_error' }],
    [`args.who + ' in ' + run.cwd`, { status: 'ok', text: 'me in /work' }],
  ])('that answer %s', async (answer, expected) => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'tools',
      `export function register(ctx) {
         ctx.registerTool({
           name: 'mine', description: 'does', effect: 'none',
           parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
           execute: async (args, run) => ${answer},
         });
       }`,
      { manifest },
    );
    const { tools } = await bench.load(['tools']);
    expect(await bench.call(tools, { tool: 'mine', args: { who: 'me' } })).toMatchObject(expected);
    expect(await bench.call(tools, { tool: 'mine', args: {} })).toMatchObject({ errorType: 'bad_arguments' });
  });

  it('pass the gate: another plugin blocks them, and they are external unless they say less', async () => {
    await using bench = await createPluginBench();
    await bench.plugin('guard', blocking('not today'));
    await bench.plugin(
      'tools',
      `export function register(ctx) { ctx.registerTool({ name: 'mine', description: 'does', execute: () => 'ran' }); }`,
      {
        manifest,
      },
    );
    const { tools } = await bench.load(['guard', 'tools']);
    expect(tools[0]).toMatchObject({ effect: 'external', idempotent: false, pathArguments: [] });
    expect(await bench.call(tools, { tool: 'mine' })).toMatchObject({
      status: 'blocked',
      message: 'not today',
    });
  });

  it('show progress and end when the person interrupts', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'tools',
      `export function register(ctx) {
         ctx.registerTool({ name: 'slow', description: 'does', execute: (_, { signal, onProgress }) => new Promise((_, reject) => {
           onProgress('one'); onProgress('two');
           signal.addEventListener('abort', () => reject(new Error('stopped')));
         }) });
       }`,
      { manifest },
    );
    const { tools } = await bench.load(['tools']);
    const interrupt = new AbortController();
    const lines: string[] = [];
    const onProgress = (line: string): void => {
      lines.push(line);
      if (line === 'two') interrupt.abort();
    };
    const report = await bench.call(tools, { tool: 'slow', signal: interrupt.signal, onProgress });
    expect([lines, report.status]).toEqual([['one', 'two'], expect.stringMatching(/cancelled|error/)]);
  });
});

describe('a tool', () => {
  it('that never gives its thread back ends with its thread when the person interrupts', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'tools',
      `export function register(ctx) {
         ctx.registerTool({ name: 'loop', description: 'does', execute: async (_, { onProgress }) => { onProgress('begun'); await new Promise((r) => setTimeout(r, 50)); ${HUNG} } });
         ctx.registerTool({ name: 'fine', description: 'does', execute: () => 'fine' });
       }`,
      ISOLATED,
    );
    const { tools } = await bench.load(['tools']);
    const interrupt = new AbortController();
    const report = await bench.call(tools, {
      tool: 'loop',
      signal: interrupt.signal,
      onProgress: () => interrupt.abort(),
    });
    expect(report.status).toBe('cancelled');
    expect(await bench.call(tools, { tool: 'fine' })).toMatchObject({ status: 'ok', text: 'fine' });
  });

  it('that is malformed is left out, and the rest of its plugin stays', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'tools',
      `export function register(ctx) {
         const good = { name: 'good', description: 'does', execute: () => '' };
         for (const tool of [
           undefined, { ...good, name: 'no good' }, { ...good, name: 'mcp__a__b' }, { ...good, description: '' },
           { ...good, effect: 'harmless' }, { ...good, parameters: { type: 'string' } }, { ...good, execute: 'x' },
           { ...good, pathArguments: 'path' }, good,
         ]) ctx.registerTool(tool);
       }`,
    );
    const { plugins, tools } = await bench.load(['tools']);
    expect(tools.map(({ name }) => name)).toEqual(['good']);
    expect(plugins[0]?.problems).toHaveLength(8);
  });

  it('cannot take the name of another one: what is built in wins, then the first plugin', async () => {
    await using bench = await createPluginBench();
    const tools = `export function register(ctx) { for (const name of ['terminal', 'mine', '__proto__']) ctx.registerTool({ name, description: 'd', execute: () => ctx.name }); }`;
    await bench.plugin('a', tools);
    await bench.plugin('b', tools);
    const loaded = await bench.load(['a', 'b'], { reservedTools: ['terminal'] });
    expect(loaded.plugins.map((plugin) => plugin.problems)).toEqual([
      ['the tool terminal was left out: Herma itself has one of that name'],
      [
        'the tool terminal was left out: Herma itself has one of that name',
        'the tool mine was left out: the plugin a has one of that name',
        'the tool __proto__ was left out: the plugin a has one of that name',
      ],
    ]);
    expect((await bench.call(loaded.tools, { tool: 'mine' })).text).toBe('a');
  });
});

describe.each(['', 'isolate: true'])('commands (%s)', (manifest) => {
  it('print, and what goes wrong in them is a failure', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'cmd',
      `export function register(ctx) {
         ctx.registerCommand({ name: 'hello', summary: 'says\\n hello', usage: '[name]', run: async (argument, { print }) => { print('hello ' + argument); print('bye'); } });
         ctx.registerCommand({ name: 'broken', summary: 'breaks', run: () => { throw new Error('oops'); } });
         ctx.registerCommand({ name: 'help', summary: 'takes a name', run: () => {} });
         ctx.registerCommand({ name: 'Bad Name', summary: '', run: () => {} });
         ctx.registerCommand({ name: 'nothing', summary: '' });
       }`,
      { manifest },
    );
    const { commands, plugins } = await bench.load(['cmd'], { reservedCommands: ['help'] });
    expect(commands.map(({ name, summary, usage, plugin }) => [name, summary, usage, plugin])).toEqual([
      ['hello', 'says hello', '[name]', 'cmd'],
      ['broken', 'breaks', undefined, 'cmd'],
    ]);
    expect(plugins[0]?.problems).toHaveLength(3);
    const printed: string[] = [];
    const io = { print: (line: string) => void printed.push(line), signal };
    expect(await commands[0]?.run('you', io)).toEqual({ ok: true, value: undefined });
    expect(printed).toEqual(['hello you', 'bye']);
    expect(await commands[1]?.run('', io)).toMatchObject({
      ok: false,
      message: '/broken of the plugin cmd failed: oops',
    });
  });
});

describe('sections of the system prompt', () => {
  const sections = (list: readonly object[]): string =>
    `export function register(ctx) { for (const section of ${JSON.stringify(list)}) ctx.registerSystemPromptSection(section); }`;

  it('have an id and a text of bounded length', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'a',
      sections([
        { id: 'ok', text: 'x'.repeat(4000) },
        { id: 'long', text: 'x'.repeat(4001) },
        { id: 'Bad', text: 'x' },
        { id: 'blank', text: ' ' },
        { id: 'x'.repeat(129), text: 'x' },
      ]),
    );
    const loaded = await bench.load(['a']);
    expect(loaded.plugins[0]).toMatchObject({ sections: ['ok'], problems: { length: 4 } });
  });

  it('have at most 8,000 characters together, headings included', async () => {
    await using bench = await createPluginBench();
    await bench.plugin('a', sections([{ id: 'a', text: 'x'.repeat(3990) }]));
    await bench.plugin(
      'b',
      sections([
        { id: 'b', text: 'x'.repeat(3997) },
        { id: 'c', text: 'x'.repeat(3996) },
        { id: 'a', text: 'x' },
      ]),
    );
    const loaded = await bench.load(['a', 'b']);
    expect(loaded.sections.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(loaded.plugins[1]?.problems).toHaveLength(2);
  });

  it('are at most 32', async () => {
    await using bench = await createPluginBench();
    await bench.plugin(
      'a',
      sections(Array.from({ length: 40 }, (_, index) => ({ id: `s${String(index)}`, text: 'x' }))),
    );
    const loaded = await bench.load(['a']);
    expect([loaded.sections.length, loaded.plugins[0]?.problems.length]).toEqual([32, 8]);
  });
});
