import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const config = join(repository, '.dependency-cruiser.cjs');

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

/** The file that imports, and what it imports: a path from the root of the tree, a built-in or a package. */
type Import = readonly [from: string, to: string];

/** One import per rule that breaks this rule and no other. */
const PLANTED: Record<string, Import> = {
  'no-cycles': ['src/kernel/json/there.ts', 'src/kernel/json/back.ts'],
  'kernel-imports-downwards': ['src/kernel/json/up.ts', 'src/platform/clock/index.ts'],
  'platform-imports-downwards': ['src/platform/clock/up.ts', 'src/shell/index.ts'],
  'shell-imports-downwards': ['src/shell/up.ts', 'src/safety/policy/index.ts'],
  'safety-imports-downwards': ['src/safety/policy/up.ts', 'src/gate/index.ts'],
  'gate-imports-downwards': ['src/gate/up.test.ts', 'src/agent/loop/index.ts'],
  'agent-imports-downwards': ['src/agent/loop/up.ts', 'src/services/cron/index.ts'],
  'services-imports-downwards': ['src/services/cron/up.ts', 'src/app/index.ts'],
  'app-imports-downwards': ['src/app/up.ts', 'src/surfaces/cli/index.ts'],
  'testing-is-for-tests': ['src/surfaces/cli/helped.ts', 'src/testing/index.ts'],
  'tests-are-not-imported': ['src/agent/loop/borrows.ts', 'src/agent/loop/lent.test.ts'],
  'subsystem-through-index': ['src/agent/loop/inside.ts', 'src/agent/tools/inside.ts'],
  'subsystem-through-index-from-houses': ['src/app/inside.ts', 'src/agent/tools/inside.ts'],
  'house-through-index': ['src/agent/loop/reaches.ts', 'src/gate/inside.ts'],
  'safety-houses-stand-alone': ['src/safety/policy/beside.ts', 'src/safety/hooks/index.ts'],
  'posture-reads-ledger-only': ['src/safety/posture/beside.ts', 'src/safety/hooks/index.ts'],
  'services-stand-alone': ['src/services/cron/beside.ts', 'src/services/gateway/index.ts'],
  'kernel-is-pure': ['src/kernel/json/impure.ts', 'node:perf_hooks'],
  'system-in-platform': ['src/agent/loop/files.ts', 'node:fs/promises'],
  'sockets-in-their-places': ['src/agent/loop/socket.ts', 'node:net'],
  'one-process-runner': ['src/platform/files/spawns.ts', 'node:child_process'],
  'one-sqlite-opener': ['src/platform/files/opens.ts', 'node:sqlite'],
  'ai-has-one-home': ['src/agent/loop/model.ts', 'ai'],
  'modelcontextprotocol-has-one-home': ['src/agent/llm/servers.ts', '@modelcontextprotocol/client'],
  'cfworker-json-schema-has-one-home': ['src/agent/tools/schema.ts', '@cfworker/json-schema'],
  'diff-has-one-home': ['src/safety/checkpoints/listing/counts.ts', 'diff'],
  're-js-has-one-home': ['src/safety/hooks/shell/words.ts', 're2js'],
  'unbash-has-one-home': ['src/shell/words.ts', 'unbash'],
  'commander-has-one-home': ['src/surfaces/hook/options.ts', 'commander'],
  'earendil-works-pi-tui-has-one-home': ['src/app/asks.ts', '@earendil-works/pi-tui'],
  'no-schema-libraries-on-the-hook-path': ['src/surfaces/hook/schema.ts', 'zod'],
  'package-without-a-home': ['src/agent/loop/new-package.ts', 'not-placed'],
  'no-development-packages-in-the-product': ['src/testing/helper.ts', 'vitest'],
  'declared-packages': ['tools/uses.ts', 'fast-check'],
  'imports-resolve': ['src/agent/loop/lost.ts', 'src/agent/loop/nowhere.ts'],
};

/** Imports that look like violations and are none. */
const ALLOWED: readonly Import[] = [
  ['src/surfaces/cli/down.ts', 'src/kernel/json/index.ts'],
  ['src/surfaces/cli/prompts.ts', '@earendil-works/pi-tui'],
  ['src/surfaces/dashboard/server.ts', 'node:http'],
  ['src/safety/egress/proxy.ts', 'node:tls'],
  ['src/safety/posture/reads.ts', 'src/safety/ledger/index.ts'],
  ['src/services/cron/plugin.ts', 'src/services/plugins/index.ts'],
  ['src/platform/process/spawn.ts', 'node:child_process'],
  ['src/platform/sqlite/open.ts', 'node:sqlite'],
  ['src/kernel/json/hash.ts', 'node:crypto'],
  ['src/kernel/json/files.test.ts', 'node:fs'],
  ['src/kernel/json/helped.test.ts', 'src/testing/index.ts'],
  ['src/agent/llm/provider.ts', 'ai'],
  ['src/shell/parser/reads.ts', 'unbash'],
  ['src/agent/loop/options.ts', 'zod'],
  ['src/gate/near.ts', 'src/gate/inside.ts'],
  ['test/scenario.ts', 'src/testing/index.ts'],
  ['tools/generate.ts', 'src/kernel/json/index.ts'],
];

/** The ways to import something; each reaches upwards from the kernel. */
const FORMS = [
  "import '../../app/index.ts';",
  "import { value } from '../../app/index.ts'; export const used = value;",
  "import type { Value } from '../../app/index.ts'; export type Used = Value;",
  "export { value } from '../../app/index.ts';",
  "export type { Value } from '../../app/index.ts';",
  "export const used = await import('../../app/index.ts');",
  "export type Used = import('../../app/index.ts').Value;",
];

function cruise(root: string, folders: readonly string[]): Violation[] {
  const binary = join(repository, 'node_modules/.bin/depcruise');
  const run = spawnSync(process.execPath, [binary, ...folders, '--config', config, '--output-type', 'json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (run.stdout === '') throw new Error(run.stderr);
  const report: { summary: { violations: Violation[] } } = JSON.parse(run.stdout);
  return report.summary.violations;
}

function plant(imports: readonly Import[]): string {
  const root = mkdtempSync(join(tmpdir(), 'layers-'));
  copyFileSync(join(repository, 'tsconfig.json'), join(root, 'tsconfig.json'));
  plantPackages(root);
  for (const [from, to] of imports) {
    const isFile = to.endsWith('.ts');
    const specifier = isFile ? `./${relative(dirname(from), to)}` : to;
    append(root, from, `import * as imported from '${specifier}';\nexport const used = imported;\n`);
    if (isFile && !to.endsWith('/nowhere.ts')) append(root, to, 'export const value = 1;\n');
  }
  append(root, 'src/kernel/json/back.ts', "export { used as other } from './there.ts';\n");
  return root;
}

function append(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text, { flag: 'a' });
}

/** The real packages, one that has no place in the rules, and one that is there without being declared. */
function plantPackages(root: string): void {
  const placed = [
    'ai',
    'commander',
    'diff',
    're2js',
    'unbash',
    'zod',
    '@earendil-works/pi-tui',
    '@cfworker/json-schema',
  ];
  const dependencies = [...placed, '@modelcontextprotocol/client', 'not-placed'];
  const manifest = {
    name: 'planted',
    dependencies: asVersions(dependencies),
    devDependencies: asVersions(['vitest']),
  };
  writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
  for (const name of [...placed, '@modelcontextprotocol/client', 'vitest', 'fast-check']) {
    mkdirSync(dirname(join(root, 'node_modules', name)), { recursive: true });
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name));
  }
  append(
    root,
    'node_modules/not-placed/package.json',
    JSON.stringify({ name: 'not-placed', main: 'index.js' }),
  );
  append(root, 'node_modules/not-placed/index.js', '');
}

function asVersions(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '*']));
}

describe('the rules of the layers', () => {
  let violations: Violation[] = [];
  beforeAll(() => {
    const root = plant([...Object.values(PLANTED), ...ALLOWED]);
    for (const [index, statement] of FORMS.entries())
      append(root, `src/kernel/json/form-${index}.ts`, statement);
    violations = cruise(root, ['src', 'test', 'tools']);
  });

  /** A cycle is reported from one of its ends. */
  function rulesBrokenBy(file: string): string[] {
    return violations.filter(({ from, to }) => from === file || to === file).map(({ rule }) => rule.name);
  }

  it('are all planted here', () => {
    const rules: { forbidden: { name: string }[] } = createRequire(import.meta.url)(config);
    expect(Object.keys(PLANTED).toSorted()).toEqual(rules.forbidden.map(({ name }) => name).toSorted());
  });

  it.each(Object.entries(PLANTED))('%s fires, and nothing else does', (name, [from]) => {
    expect(rulesBrokenBy(from)).toEqual([name]);
  });

  it.each(FORMS)('see an import of the form %s', (statement) => {
    expect(rulesBrokenBy(`src/kernel/json/form-${FORMS.indexOf(statement)}.ts`)).toEqual([
      'kernel-imports-downwards',
    ]);
  });

  it.each(ALLOWED)('%s may import %s', (from) => {
    expect(rulesBrokenBy(from)).toEqual([]);
  });
});

describe('the house', () => {
  it('keeps the rules of the layers', () => {
    const folders = ['src', 'test', 'bench', 'tools'].filter((folder) =>
      existsSync(join(repository, folder)),
    );
    const found = cruise(repository, folders);
    expect(found.map(({ rule, from, to }) => `${rule.name}: ${from} imports ${to}`)).toEqual([]);
  });
});
