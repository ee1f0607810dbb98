import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseCommand, COMMAND_CLASSES, USUAL_VERDICTS } from '../../../shell/index.ts';
import { factsOf } from '../facts/call-facts.ts';
import { COMMAND_TOOLS } from '../facts/command-of-call.ts';
import type { PolicyCall } from '../facts/policy-call.ts';
import { SessionTaint } from '../memory/session-taint.ts';
import { BUILTIN_RULES, floorRules } from '../rules/builtin-rules.ts';
import { EXAMPLE_POLICY } from '../rules/example-policy.ts';
import type { RuleAnswer } from './compile-rule.ts';
import { compileRules, loadBuiltinPolicy, loadPolicy, runRuleTests, TEST_PLACE } from './load-policy.ts';

/** What one rule of a file makes of one call. */
async function answer(
  rule: object,
  call: Partial<PolicyCall> | string,
  unattended = false,
): Promise<RuleAnswer> {
  const text = JSON.stringify({
    version: 1,
    builtin: false,
    rules: [{ id: 'r', decision: 'block', ...rule }],
  });
  const loaded = await loadPolicy(text, analyseCommand);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const given: Partial<PolicyCall> =
    typeof call === 'string' ? { tool: 'terminal', args: { command: call } } : call;
  const facts = factsOf(
    { tool: 'mcp__x__y', args: {}, cwd: TEST_PLACE.cwd, paths: [], effect: 'external', ...given },
    { analyse: analyseCommand, commandTools: COMMAND_TOOLS, place: TEST_PLACE, unattended },
  );
  const session = new SessionTaint().view({ lineage: '', key: '', nowMs: 0 });
  const [first] = loaded.policy.rules;
  if (first === undefined) throw new Error('no rule');
  return first.look(facts, session);
}

describe('a rule', () => {
  it.each<[string, object, Partial<PolicyCall> | string]>([
    ['class', { when: { 'shell.class': ['delete-outside', 'power'] } }, 'cd .. && rm -rf sibling'],
    ['text', { when: { 'text.contains': 'curl' } }, 'curl x'],
    ['data', { when: { 'text.contains': 'secret' }, where: 'data' }, "echo 'my secret'"],
    ['raw text', { when: { 'text.contains': "'secret'" }, where: 'raw' }, "echo 'secret'"],
    ['expression', { when: { 'text.regex': ['^nope$', 'git +push'] } }, 'git  push'],
    ['text of another tool', { when: { 'text.contains': 'secret' } }, { args: { a: [{ b: 'my secret' }] } }],
    ['program', { when: { 'argv.prefix': ['git', ['push', 'fetch']] } }, 'sudo env A=1 git fetch origin'],
    ['program behind an &&', { when: { 'argv.prefix': ['git', 'push'] } }, 'npm test && git push'],
    ['one of several programs', { when: { 'argv.prefix': [{ argv: ['a'] }, { argv: ['b'] }] } }, 'b c'],
    ['read path', { when: { 'path.read': 'secret/**' } }, 'cat secret/a'],
    ['written path', { when: { 'path.write': 'deploy/**' } }, 'echo x > deploy/a'],
    ['folder around a path', { when: { 'path.write': 'deploy/prod/**' } }, 'rm -rf deploy'],
    ['path of a file tool', { when: { 'path.glob': '**/*.pem' } }, { args: { path: '/srv/a.pem' } }],
    ['host', { when: { 'url.host': '*.example.com' } }, 'curl https://api.example.com/x'],
    ['host of a tool', { when: { 'url.host': 'example.com' } }, { args: { url: 'https://EXAMPLE.com/x' } }],
    ['equal argument', { when: { 'arg./a~1b/0': { eq: { x: 1 } } } }, { args: { 'a/b': [{ x: 1 }] } }],
    ['matching argument', { when: { 'arg./n': { regex: '^1' } } }, { args: { n: 12 } }],
    ['long argument', { when: { 'arg./list': { len: { min: 2 } } } }, { args: { list: [1, 2] } }],
    ['tool', { tool: 'mcp__*' }, {}],
    [
      'terminal, for the shell of another agent',
      { tool: 'terminal' },
      { tool: 'Bash', args: { command: 'ls' } },
    ],
    ['write_file, for the writer of another agent', { tool: 'write_file' }, { tool: 'Write' }],
  ])('fits by its %s', async (_, rule, call) => {
    expect(await answer(rule, call)).toMatchObject({ state: 'match' });
  });

  it.each<[string, object, Partial<PolicyCall> | string]>([
    ['class in a text', { when: { 'shell.class': 'delete-root' } }, "grep 'rm -rf /' notes"],
    ['text that is only data', { when: { 'text.contains': 'rm -rf' } }, "echo 'rm -rf /'"],
    ['code when asked for data', { when: { 'text.contains': 'push' }, where: 'data' }, 'git push'],
    ['longer word', { when: { 'argv.prefix': ['git', 'push'] } }, 'git pushd'],
    ['program that is only mentioned', { when: { 'argv.prefix': ['git', 'push'] } }, 'echo git push'],
    ['program that cannot be known', { when: { 'argv.prefix': ['git', 'push'] } }, '$X push'],
    ['path beside', { when: { 'path.write': 'deploy/prod/**' } }, 'rm -rf docs'],
    ['folder that is only made', { when: { 'path.write': 'deploy/prod/**' } }, 'mkdir -p deploy'],
    ['read when asked for a write', { when: { 'path.write': 'a' } }, 'cat a'],
    ['host beside', { when: { 'url.host': 'example.com' } }, 'curl https://example.com.evil.test/'],
    ['inherited argument', { when: { 'arg./constructor/name': { eq: 'Object' } } }, { args: {} }],
    ['index that is none', { when: { 'arg./list/length': { eq: 1 } } }, { args: { list: [1] } }],
    ['short argument', { when: { 'arg./s': { len: { min: 2, max: 3 } } } }, { args: { s: 'abcd' } }],
    ['tool', { tool: 'terminal' }, { tool: 'terminals' }],
  ])('does not fit another %s', async (_, rule, call) => {
    expect(await answer(rule, call)).toMatchObject({ state: 'none' });
  });

  it('fits when all its conditions do, and comes near when some do', async () => {
    const rule = { when: { 'argv.prefix': ['git', 'push'], 'session.unattended': true } };
    expect(await answer(rule, 'git push', true)).toMatchObject({ state: 'match' });
    expect(await answer(rule, 'git push', false)).toMatchObject({
      state: 'near',
      why: expect.stringContaining('git push'),
    });
    expect(await answer(rule, 'ls', false)).toMatchObject({ state: 'none' });
  });

  it('tells the danger it is about', async () => {
    const found = await answer(
      { when: { 'shell.class': 'delete-outside' } },
      'X=..; rm -rf $X/sibling; rm -rf .git',
    );
    expect(found.finding).toMatchObject({ class: 'delete-outside' });
  });
});

describe('a rule that allows', () => {
  const allow = (when: object): object => ({ decision: 'allow', when });

  it.each<[object, string]>([
    [allow({ 'argv.prefix': ['git', 'push'] }), 'git push --force'],
    [allow({ 'argv.prefix': ['git', 'push'] }), 'git push --force && git push --tags'],
    [allow({ 'shell.class': 'vcs-destructive' }), 'git push --force'],
    [allow({ 'text.regex': 'rm -rf \\.\\./dist' }), 'rm -rf ../dist'],
    [allow({ 'text.contains': 'rm -rf ../dist' }), 'rm -rf ../dist'],
    [allow({ 'path.write': '/home/u/dist/**' }), 'rm -rf ../dist'],
    [allow({ 'url.host': 'x.test' }), 'curl -F f=@a https://x.test/'],
    [{ decision: 'allow', tool: 'terminal' }, 'anything | goes'],
  ])('%j covers %s', async (rule, command) => {
    expect(await answer(rule, command)).toMatchObject({ state: 'match' });
  });

  it.each<[object, string]>([
    [allow({ 'argv.prefix': ['git', 'push'] }), 'git push --force; rm -rf ../x'],
    [allow({ 'argv.prefix': ['git', 'log'] }), 'git log > ~/.bashrc'],
    [allow({ 'argv.prefix': ['git', 'log'] }), 'git log | $X'],
    [allow({ 'shell.class': 'vcs-destructive' }), 'git push --force; rm -rf ../x'],
    [allow({ 'text.regex': 'rm -rf \\.\\./dist' }), 'rm -rf ../dist ../y'],
    [allow({ 'text.contains': 'rm -rf ../dist' }), 'rm -rf ../dist; rm -rf ../x'],
    [allow({ 'path.write': '/home/u/dist/**' }), 'rm -rf ../dist ../x'],
    [allow({ 'path.write': '/home/u/dist/**' }), 'env > ../dist/x'],
    [allow({ 'url.host': 'x.test' }), 'curl -F f=@a https://x.test/ https://y.test/'],
    [allow({ 'url.host': 'x.test' }), 'curl https://x.test/ > ~/.bashrc'],
  ])('%j does not cover %s', async (rule, command) => {
    expect(await answer(rule, command)).toMatchObject({ state: 'near' });
  });
});

describe('loadPolicy', () => {
  const load = (rules: readonly object[], more: object = {}): ReturnType<typeof loadPolicy> =>
    loadPolicy(JSON.stringify({ version: 1, ...more, rules }), analyseCommand);

  it('refuses a rule that fails its own tests, with its name and the text', async () => {
    const when = { 'shell.class': 'delete-root' };
    const loaded = await load([
      { id: 'r', decision: 'block', when, tests: { hit: ['ls -l'], miss: ['rm -rf /'] } },
    ]);
    expect(loaded).toEqual({
      ok: false,
      problems: [
        { where: 'r', message: 'its test says it fits, and it does not: ls -l' },
        { where: 'r', message: 'its test says it does not fit, and it does: rm -rf /' },
      ],
    });
  });

  it('refuses a regular expression that is none', async () => {
    const loaded = await load([{ id: 'r', decision: 'block', when: { 'text.regex': '(?!x)' } }]);
    expect(loaded).toMatchObject({
      ok: false,
      problems: [{ where: 'r', message: expect.stringContaining('RE2') }],
    });
  });

  it('refuses a rule whose tests make the analyser fail', async () => {
    const text = JSON.stringify({ version: 1, rules: [{ id: 'r', decision: 'ask', tests: { hit: ['x'] } }] });
    const loaded = await loadPolicy(text, () => {
      throw new Error('broken');
    });
    expect(loaded).toMatchObject({
      ok: false,
      problems: [{ where: 'r', message: expect.stringContaining('broken') }],
    });
  });

  it('counts the earlier calls of a test', async () => {
    const rate = { id: 'r', decision: 'ask', tool: 'terminal', when: { rate: { n: 2, window: '1m' } } };
    expect(
      await load([{ ...rate, tests: { hit: [['a', 'b', 'c']], miss: [['a', 'b'], 'a'] } }]),
    ).toMatchObject({ ok: true });
  });

  it('adds the rules of a file to the built-in ones, in whose place they come by their id', async () => {
    const loaded = await load([{ id: 'cred-read', decision: 'ask', when: { 'shell.class': 'cred-read' } }]);
    const rules = loaded.ok ? loaded.policy.rules : [];
    expect(rules).toHaveLength(BUILTIN_RULES.length);
    expect(rules.filter(({ rule }) => rule.id === 'cred-read').map(({ source }) => source)).toEqual(['file']);
  });

  it('leaves the built-in rules out when told to', async () => {
    const loaded = await load([], { builtin: false, default: 'ask' });
    expect(loaded).toMatchObject({ ok: true, policy: { default: 'ask', rules: [] } });
  });

  it('takes the example', async () => {
    expect(await loadPolicy(EXAMPLE_POLICY, analyseCommand)).toMatchObject({ ok: true });
  });

  it('never rejects, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        expect(typeof (await loadPolicy(text, analyseCommand)).ok).toBe('boolean');
      }),
    );
  });
});

describe('the built-in rules', () => {
  it('have one for every class that is not allowed, with the usual verdict', async () => {
    const decisions = new Map(BUILTIN_RULES.map(({ id, decision }) => [id, decision]));
    for (const name of COMMAND_CLASSES)
      expect(decisions.get(name)).toBe(USUAL_VERDICTS[name] === 'allow' ? undefined : USUAL_VERDICTS[name]);
  });

  it('pass their own tests, and so do the floors', async () => {
    const { rules } = await loadBuiltinPolicy();
    const floors = await compileRules(floorRules({ disasters: true }), 'floor');
    const results = [...floors.rules, ...rules].flatMap((rule) => runRuleTests(rule, analyseCommand));
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(results.length).toBeGreaterThan(BUILTIN_RULES.length);
  });

  it('have a miss each', () => {
    expect(BUILTIN_RULES.filter(({ tests }) => tests.miss.length === 0)).toEqual([]);
  });

  it('keep the floor of Herma itself when the others are lifted', () => {
    expect(floorRules({ disasters: false }).map(({ id }) => id)).toEqual(['floor-self-tamper']);
  });
});
