import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue, parseJson, toJsonValue } from '../../../kernel/json/index.ts';
import { EXAMPLE_POLICY } from './example-policy.ts';
import { describeProblems, readPolicy } from './read-policy.ts';

const RULE = { id: 'a', decision: 'block', tool: 'terminal', when: { 'shell.class': 'delete-root' } };

function policyWith(...rules: readonly unknown[]): string {
  return JSON.stringify({ version: 1, rules });
}

function problemsOf(text: string): readonly string[] {
  const read = readPolicy(text);
  return read.ok ? [] : describeProblems(read.problems);
}

describe('readPolicy', () => {
  it('reads every part of a rule', () => {
    const read = readPolicy(
      policyWith({
        ...RULE,
        severity: 'high',
        tool: ['terminal', 'mcp__*exec*'],
        when: {
          'argv.prefix': ['git', ['push', 'fetch']],
          'arg./a~1b/0': { len: { min: 3 } },
          rate: { n: 2, window: '5m' },
          sequence: { after: ['downloaded-run', 'written-run'], within: 5 },
        },
        where: 'data',
        message: 'no',
        tests: { hit: ['x', { tool: 'read_file', args: { path: 'p' } }, ['a', 'b']], miss: [] },
      }),
    );
    expect(read).toMatchObject({
      ok: true,
      policy: {
        default: 'allow',
        builtin: true,
        rules: [
          {
            id: 'a',
            severity: 'high',
            tools: ['terminal', 'mcp__*exec*'],
            where: 'data',
            when: [
              { kind: 'argv.prefix', prefixes: [[['git'], ['push', 'fetch']]] },
              { kind: 'argument', pointer: ['a/b', '0'], test: { type: 'len', min: 3 } },
              { kind: 'rate', count: 2, windowMs: 300_000 },
              { kind: 'sequence', within: 5, after: { taints: ['downloaded-run', 'written-run'] } },
            ],
          },
        ],
      },
    });
    const calls = read.ok ? read.policy.rules[0]?.tests.hit.map((example) => example.calls.length) : [];
    expect(calls).toEqual([1, 1, 2]);
  });

  it('gives a rule without severity and tool the middle severity and every tool', () => {
    const read = readPolicy(policyWith({ id: 'a', decision: 'ask' }));
    expect(read).toMatchObject({
      ok: true,
      policy: { rules: [{ severity: 'medium', tools: ['*'], when: [] }] },
    });
  });

  it.each([
    ['{"version":1,"rules":[],"defualt":"ask"}', 'policy: unknown key "defualt"; did you mean "default"?'],
    [policyWith({ ...RULE, descision: 'x' }), 'a: unknown key "descision"; did you mean "decision"?'],
    [
      policyWith({ ...RULE, when: { 'shell.clas': 'x' } }),
      'unknown condition "shell.clas"; did you mean "shell.class"?',
    ],
    [policyWith({ ...RULE, when: { 'shell.class': 'delete-rot' } }), 'did you mean "delete-root"?'],
    [policyWith({ ...RULE, when: { constructor: 'x' } }), 'unknown condition "constructor"'],
    [policyWith({ ...RULE, decision: 'deny' }), '"deny" is none of the words that can stand here'],
    [policyWith({ ...RULE, decision: 'blok' }), 'did you mean "block"?'],
    [policyWith({ ...RULE, where: 'cod' }), 'did you mean "code"?'],
    [policyWith({ ...RULE, severity: 'hihg' }), 'did you mean "high"?'],
    [policyWith(RULE, RULE), 'a: two rules have this id'],
    [policyWith({ ...RULE, id: 'floor-power' }), `ids that begin with "floor-" are Herma's own`],
    [policyWith({ ...RULE, id: 'a b' }), 'rules[0]: id must be letters'],
    [policyWith({ ...RULE, when: { 'arg.path': { eq: 1 } } }), 'did you mean "arg./path"?'],
    [
      policyWith({ ...RULE, when: { 'arg./path': { eq: 1, regex: 'x' } } }),
      'exactly one of eq, regex and len',
    ],
    [policyWith({ ...RULE, when: { 'arg./path': { len: {} } } }), 'len must have min, max or both'],
    [policyWith({ ...RULE, when: { 'url.host': 'https://x.test/' } }), 'is no host'],
    [policyWith({ ...RULE, when: { 'argv.prefix': [] } }), 'must be a list of words'],
    [policyWith({ ...RULE, when: { 'argv.prefix': ['git', 7] } }), 'must be a list of words'],
    [policyWith({ ...RULE, when: { 'text.contains': [] } }), 'must be a text or a list of texts'],
    [policyWith({ ...RULE, when: { 'session.unattended': 'yes' } }), 'must be true or false'],
    [policyWith({ ...RULE, when: { rate: { n: 0, window: '1m' } } }), 'at least 1'],
    [
      policyWith({ ...RULE, when: { rate: { n: 1, window: '1 day' } } }),
      'window must be a time such as "30s"',
    ],
    [
      policyWith({ ...RULE, when: { sequence: { after: 'downloded-run', within: 3 } } }),
      'did you mean "downloaded-run"?',
    ],
    [
      policyWith({ ...RULE, when: { sequence: { after: 'secret-sent', within: 101 } } }),
      'may be 100 at most',
    ],
    [
      policyWith({ id: 'a', decision: 'allow', when: { rate: { n: 1, window: '1m' } } }),
      'an allow rule can have neither',
    ],
    [policyWith({ ...RULE, tests: { hits: [] } }), 'did you mean "hit"?'],
    [policyWith({ ...RULE, tests: { hit: [{ tool: 'x' }] } }), 'must be a command, or'],
    ['{"version":2,"rules":[]}', 'version: must be 1, not 2'],
    ['{"version":1}', 'rules: must be a list of rules, not nothing'],
    ['[]', 'policy: must be an object'],
    ['{', 'not valid JSON'],
    ['', 'the text is empty'],
  ])('refuses %s', (text, message) => {
    expect(problemsOf(text).join('\n')).toContain(message);
  });

  it('tells everything that is wrong at once', () => {
    expect(
      problemsOf(policyWith({ ...RULE, decision: 'no', severity: 'no' }, { ...RULE, x: 1 })),
    ).toHaveLength(3);
  });

  it('never throws, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = readPolicy(JSON.stringify(value));
        expect(read.ok ? 1 : read.problems.length).toBeGreaterThan(0);
      }),
    );
  });

  it('never throws when a part of a policy is something else', () => {
    const parsed = parseJson(EXAMPLE_POLICY);
    const example = parsed.ok ? parsed.value : null;
    fc.assert(
      fc.property(fc.constantFrom(...placesIn(example)), fc.jsonValue(), (path, value) => {
        const text = JSON.stringify(replaced(example, path, toJsonValue(value)));
        expect(typeof readPolicy(text).ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });
});

/** The way to every value inside another. */
function placesIn(value: JsonValue): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    [key],
    ...placesIn(item).map((path) => [key, ...path]),
  ]);
}

function replaced(value: JsonValue, [key, ...rest]: readonly string[], by: JsonValue): JsonValue {
  if (key === undefined || typeof value !== 'object' || value === null) return by;
  const entries = Object.entries(value).map(([name, item]): [string, JsonValue] => [
    name,
    name === key ? replaced(item, rest, by) : item,
  ]);
  return isJsonObject(value) ? Object.fromEntries(entries) : entries.map(([, item]) => item);
}
