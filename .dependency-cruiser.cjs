'use strict';

/**
 * The direction of the house: who may import whom. `test/house/layers.test.ts` plants one violation per rule, so a rule
 * that no longer fires is found. Rules about what a file contains are in `test/house/source-rules.ts`.
 */

const LAYERS = [
  'kernel',
  'platform',
  'shell',
  'safety',
  'gate',
  'agent',
  'services',
  'app',
  'surfaces',
  'testing',
];

/** Layers whose second-level folders are subsystems, each with its own door; every other layer is one house. */
const DIVIDED = ['kernel', 'platform', 'safety', 'agent', 'services', 'surfaces'];
const UNDIVIDED = LAYERS.filter((layer) => !DIVIDED.includes(layer));

/** Where a third-party package may be imported. `src` means anywhere, apart from what `SCHEMA_FREE` says. */
const PACKAGE_HOMES = {
  'ai|@ai-sdk/[^/]+': 'src/agent/llm',
  '@modelcontextprotocol/[^/]+': 'src/agent/tools',
  '@cfworker/json-schema': 'src/kernel/json',
  diff: 'src/safety/checkpoints/listing/line-diff',
  re2js: 'src/kernel/regex',
  unbash: 'src/shell/parser',
  commander: 'src/surfaces/cli',
  '@earendil-works/pi-tui|picocolors': 'src/surfaces/cli',
  'zod|yaml|semver': 'src',
};

/** What loads in the small process of a foreign agent's hook: no package there takes tens of milliseconds to load. */
const SCHEMA_FREE = ['^src/(kernel|shell|gate|safety)/', '^src/surfaces/hook/'];

const SOCKETS = ['net', 'tls', 'dgram', 'dns', 'http', 'https', 'http2'];
const SYSTEM = ['fs', 'child_process', 'os', 'process', 'sqlite', 'worker_threads', 'cluster', 'inspector'];
const PURE_BUILTINS = ['crypto', 'util', 'path', 'buffer', 'url', 'string_decoder'];

const TEST = '[.]test[.]ts$';
const anyOf = (names) => `(${names.join('|')})`;
const inLayers = (layers) => `^src/${anyOf(layers)}/`;
const builtins = (names) => `^(node:)?${anyOf(names)}(/|$)`;
const packages = (names) => `(^|/)node_modules/(${names})/`;
const rule = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

/** `testing` is above everything and has a rule of its own. */
const layerRules = LAYERS.slice(0, -2).map((layer, index) =>
  rule(
    `${layer}-imports-downwards`,
    `Layers, from the ground up: ${LAYERS.join(', ')}.`,
    { path: inLayers([layer]) },
    { path: inLayers(LAYERS.slice(index + 1, -1)) },
  ),
);

const packageRules = Object.entries(PACKAGE_HOMES)
  .filter(([, home]) => home !== 'src')
  .map(([names, home]) =>
    rule(
      `${names
        .split('|')[0]
        .replaceAll(/[^a-z-]+/g, '-')
        .replaceAll(/^-|-$/g, '')}-has-one-home`,
      `Imported in ${home} only, behind an interface of our own.`,
      { path: '^src/', pathNot: [`^${home}/`, TEST] },
      { path: packages(names) },
    ),
  );

module.exports = {
  forbidden: [
    rule('no-cycles', 'Two files that import each other are one file.', {}, { circular: true }),
    ...layerRules,
    rule(
      'testing-is-for-tests',
      'Helpers for tests never load in the product.',
      { pathNot: ['^src/testing/', '^(test|bench)/', TEST] },
      { path: '^src/testing/' },
    ),
    rule('tests-are-not-imported', 'A test is nobody’s library.', {}, { path: TEST }),
    rule(
      'subsystem-through-index',
      'The index.ts of a subsystem is its only door.',
      { path: `^src/${anyOf(DIVIDED)}/([^/]+)/` },
      { path: `${inLayers(DIVIDED)}[^/]+/`, pathNot: ['^src/$1/$2/', '^src/[^/]+/[^/]+/index[.]ts$'] },
    ),
    rule(
      'subsystem-through-index-from-houses',
      'The index.ts of a subsystem is its only door.',
      { path: [inLayers(UNDIVIDED), '^(test|bench|tools)/'] },
      {
        path: `${inLayers(DIVIDED)}[^/]+/`,
        pathNot: ['^src/[^/]+/[^/]+/index[.]ts$', '^src/surfaces/cli/main[.]ts$'],
      },
    ),
    rule(
      'house-through-index',
      'The index.ts of a house is its only door.',
      { path: '^(src/[^/]+|test|bench|tools)/' },
      { path: inLayers(UNDIVIDED), pathNot: ['^$1/', '^src/[^/]+/index[.]ts$'] },
    ),
    rule(
      'safety-houses-stand-alone',
      'Each safety house is usable without the others; they meet in the gate.',
      { path: '^src/safety/([^/]+)/', pathNot: '^src/safety/posture/' },
      { path: '^src/safety/', pathNot: '^src/safety/$1/' },
    ),
    rule(
      'posture-reads-ledger-only',
      'Posture summarises the journal, through its door.',
      { path: '^src/safety/posture/' },
      { path: '^src/safety/', pathNot: ['^src/safety/posture/', '^src/safety/ledger/index[.]ts$'] },
    ),
    rule(
      'services-stand-alone',
      'Services do not know each other; what they share is in plugins.',
      { path: '^src/services/([^/]+)/' },
      { path: '^src/services/', pathNot: ['^src/services/$1/', '^src/services/plugins/'] },
    ),
    rule(
      'kernel-is-pure',
      'Values only: no file, process, clock or network.',
      { path: '^src/kernel/', pathNot: TEST },
      { dependencyTypes: ['core'], pathNot: builtins([...PURE_BUILTINS, ...SOCKETS, ...SYSTEM]) },
    ),
    rule(
      'system-in-platform',
      'Files, processes and the machine are reached through platform.',
      { path: '^src/', pathNot: ['^src/platform/', TEST] },
      { path: builtins(SYSTEM) },
    ),
    rule(
      'sockets-in-their-places',
      'Sockets are opened by platform, the egress proxy, the gateway and the dashboard.',
      {
        path: '^src/',
        pathNot: [
          '^src/platform/',
          '^src/safety/egress/',
          '^src/services/gateway/',
          '^src/surfaces/dashboard/',
          TEST,
        ],
      },
      { path: builtins(SOCKETS) },
    ),
    rule(
      'one-process-runner',
      'Group kill, byte caps and a time limit that really ends are written once.',
      { path: '^src/platform/', pathNot: ['^src/platform/process/', TEST] },
      { path: builtins(['child_process']) },
    ),
    rule(
      'one-sqlite-opener',
      'Pragmas and the differences between versions are written once.',
      { path: '^src/platform/', pathNot: ['^src/platform/sqlite/', TEST] },
      { path: builtins(['sqlite']) },
    ),
    ...packageRules,
    rule(
      'no-schema-libraries-on-the-hook-path',
      'They load slowly; plain JSON Schema and checks by hand are used here.',
      { path: SCHEMA_FREE, pathNot: TEST },
      { path: packages('zod|yaml') },
    ),
    rule(
      'package-without-a-home',
      'Say in PACKAGE_HOMES of this file where the package may be imported.',
      { path: '^src/', pathNot: TEST },
      {
        path: '(^|/)node_modules/',
        pathNot: packages(Object.keys(PACKAGE_HOMES).join('|')),
        dependencyTypesNot: ['npm-dev'],
      },
    ),
    rule(
      'no-development-packages-in-the-product',
      'Whoever installs the package does not have them.',
      { path: '^src/', pathNot: TEST },
      { dependencyTypes: ['npm-dev'] },
    ),
    rule(
      'declared-packages',
      'Every package that is imported is in package.json.',
      {},
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    rule('imports-resolve', 'The import leads nowhere.', {}, { couldNotResolve: true }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)fixtures/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
