import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkSource, countSuppressions, describeFinding, type RuleName, ruleNames } from './source-rules.ts';
import { checkTree, listSources } from './source-tree.ts';

/** How many comments may switch off a checker. This number only ever falls. */
const ALLOWED_SUPPRESSIONS = 0;

const root = fileURLToPath(new URL('../../', import.meta.url));
const product = 'src/agent/loop/planted.ts';
const test = 'src/agent/loop/planted.test.ts';

/** Code that breaks exactly one rule, in every form that is known. */
const PLANTED: readonly [RuleName, file: string, code: string][] = [
  ['json-parse', product, 'export const value: unknown = JSON.parse(text);'],
  ['json-parse', product, "JSON['parse'](text);"],
  ['json-parse', product, 'texts.map(JSON.parse);'],
  ['json-parse', product, 'const { parse } = JSON;'],
  ['json-parse', product, 'globalThis.JSON.parse(text);'],
  ['ambient-time', product, 'const now = Date.now();'],
  ['ambient-time', product, 'const now = new Date();'],
  ['ambient-time', product, 'const now = new Date;'],
  ['ambient-time', product, 'const now = Date();'],
  ['ambient-time', product, 'const now = performance.now();'],
  ['ambient-randomness', product, 'const chance = Math.random();'],
  ['ambient-randomness', product, 'const id = crypto.randomUUID();'],
  ['ambient-randomness', product, "import { randomBytes } from 'node:crypto';"],
  ['ambient-randomness', product, "import { createHash, randomUUID as unique } from 'crypto';"],
  ['ambient-randomness', product, "import * as crypto from 'node:crypto';"],
  ['ambient-environment', product, 'const home = process.env.HOME;'],
  ['ambient-environment', product, "const home = process['env']['HOME'];"],
  ['ambient-environment', product, 'const { env } = process;'],
  ['ambient-network', product, 'await fetch(url);'],
  ['ambient-network', product, 'await globalThis.fetch(url);'],
  ['ambient-network', product, 'new WebSocket(url);'],
  ['tool-execution', product, 'await tool.execute(args);'],
  ['tool-execution', product, 'await tool?.execute?.(args);'],
  ['tool-execution', product, "await tool['execute'](args);"],
  ['tool-execution', product, 'const run = tool.execute;'],
  ['tool-execution', product, 'const { execute } = tool;'],
  ['tool-execution', 'src/gate/gate.ts', 'await tool.execute(args);'],
  ['module-mock', test, "vi.mock('../llm/index.ts');"],
  ['module-mock', test, "vi.doMock('../llm/index.ts');"],
  ['module-mock', product, "vi.mock('../llm/index.ts');"],
  ['sleep-in-test', test, 'await new Promise((resolve) => setTimeout(resolve, 100));'],
  ['sleep-in-test', test, 'await new Promise<void>((done) => { setTimeout(() => done(), 100); });'],
  ['sleep-in-test', test, "import { setTimeout as sleep } from 'node:timers/promises';"],
  ['sleep-in-test', 'test/scenarios/planted.ts', 'Atomics.wait(cells, 0, 0, 100);'],
  ['export-star', 'src/agent/loop/index.ts', "export * from './run-turn.ts';"],
  ['export-star', 'src/agent/loop/index.ts', "export * as loop from './run-turn.ts';"],
  ['default-export', product, 'export default 1;'],
  ['default-export', product, 'export default function run() {}'],
  ['default-export', product, 'const value = 1; export { value as default };'],
  ['default-export', product, "export { default } from './run-turn.ts';"],
];

/** Code that looks like a violation and is none. */
const ALLOWED: readonly [file: string, code: string][] = [
  ['src/kernel/json/parse-json.ts', 'JSON.parse(text);'],
  [test, 'JSON.parse(text); Date.now(); process.env.HOME; tool.execute(args);'],
  [product, 'JSON.stringify(value); new Date(at); Date.parse(text);'],
  [product, "import { createHash } from 'node:crypto';"],
  ['src/platform/clock/system-clock.ts', 'Date.now(); Math.random(); process.env.HOME;'],
  ['src/gate/perform-call.ts', 'tool.execute(args);'],
  [product, 'const tool = { execute: run, async other() {} };'],
  [product, 'export function ask(fetch: Fetch): Answer { return fetch(url); }'],
  [product, '// JSON.parse and Date.now() in a comment\nconst text = "vi.mock( and Math.random()";'],
  [test, 'setTimeout(() => controller.abort(), 0);'],
  [test, 'await new Promise((resolve) => setImmediate(resolve));'],
  [test, 'new Promise((resolve) => { server.once("listening", resolve); });'],
  ['vitest.config.ts', 'export default {};'],
  [product, "export type { Turn } from './turn.ts';"],
];

const SUPPRESSIONS = [
  '// oxlint-disable-next-line no-console',
  '/* eslint-disable */',
  '// biome-ignore format: a table',
  '// @ts-ignore',
  '/* @ts-expect-error */',
  '/**\n * @ts-nocheck\n */',
  '/* v8 ignore next */',
];

describe('the rules for sources', () => {
  it.each(PLANTED)('%s fires in %s for: %s', (rule, file, code) => {
    expect(checkSource(file, code).map((finding) => finding.rule)).toEqual([rule]);
  });

  it.each(ALLOWED)('let %s say: %s', (file, code) => {
    expect(checkSource(file, code)).toEqual([]);
  });

  it('are all planted here', () => {
    expect(new Set(PLANTED.map(([rule]) => rule))).toEqual(new Set(ruleNames));
  });

  it('name the line and the remedy', () => {
    const [finding] = checkSource(product, '\nconst now = Date.now();');
    expect(finding && describeFinding(finding)).toBe(
      `${product}:2 Date.now (ambient-time: the time comes from a clock that is passed in (src/platform/clock))`,
    );
  });

  it.each(SUPPRESSIONS)('count the suppression %j', (comment) => {
    expect(countSuppressions(`${comment}\nrun();`)).toBe(1);
  });

  it('count no mention in a string as a suppression', () => {
    expect(countSuppressions("expect(text).toContain('@ts-ignore')")).toBe(0);
  });
});

describe('the rules for places', () => {
  it.each([
    ['src/agent/utils/pad.ts', /called utils says nothing/],
    ['test/helpers/pad.ts', /called helpers says nothing/],
    ['src/gate/shared/pad.ts', /called shared says nothing/],
    ['src/main.ts', /belongs to no layer/],
    ['src/core-logic/pad.ts', /belongs to no layer/],
    ['src/agent/loop.ts', /belongs to no subsystem of agent/],
  ])('refuse %s', (file, problem) => {
    expect(checkTree([file, 'src/agent/utils/index.ts', 'src/gate/index.ts'])[0]).toMatch(problem);
  });

  it('want a door for each house', () => {
    expect(checkTree(['src/agent/loop/run-turn.ts', 'src/gate/gate.ts'])).toEqual([
      'src/agent/loop has no index.ts',
      'src/gate has no index.ts',
    ]);
    expect(checkTree(['src/agent/loop/index.ts', 'src/gate/gate.ts', 'src/gate/index.ts'])).toEqual([]);
    expect(checkTree(['src/surfaces/cli/main.ts'])).toEqual([]);
  });
});

describe('the house', () => {
  const files = listSources(root, ['src', 'test', 'bench', 'tools']);
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');

  it('has its sources where they belong', () => {
    expect(files).toContain('test/house/source-rules.test.ts');
    expect(checkTree(files)).toEqual([]);
  });

  it('keeps the rules for sources', () => {
    expect(files.flatMap((file) => checkSource(file, read(file))).map(describeFinding)).toEqual([]);
  });

  it('runs tools in one place, and does so there', () => {
    expect(read('src/gate/perform-call.ts')).toMatch(/\.execute\(/);
  });

  it('suppresses its checkers exactly as often as is committed', () => {
    const counted = files
      .filter((file) => file !== 'test/house/source-rules.test.ts')
      .map(read)
      .map(countSuppressions);
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(ALLOWED_SUPPRESSIONS);
  });
});
