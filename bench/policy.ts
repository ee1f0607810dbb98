import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/platform/clock/index.ts';
import { homePaths } from '../src/platform/paths/index.ts';
import { createPolicyEngine, type PolicyEngine, PolicyStore } from '../src/safety/policy/index.ts';
import { alternate, type Figure } from './measure.ts';
import { installed, timeOf } from './start-up.ts';

const ROUNDS = 15;
const TYPICAL = 'cd src && npx tsc --noEmit 2>&1 | tail -20; git add -A && git commit -m "fix: the parser"';
const TYPICAL_CHECKS = 100;
const LARGE_CHECKS = 10;
const LARGE = 32 * 1024;
const HUGE = 128 * 1024;

/** What is repeated until an input is long: each would show a part of the analysis whose time grows faster than its input. */
const PIECES = [
  'a ',
  "'",
  '"',
  '\\',
  '#',
  '`',
  '$x',
  '$(',
  '$((',
  '${x:-',
  '((',
  '[[ ',
  '{',
  '{a,b}',
  '*',
  '<(',
  '\0',
  '\u200b',
  'a|',
  'a&&',
  'a;',
  'a\n',
  '!a;',
  'x=1;',
  'x=$x$x;',
  'x+=a;',
  '>f ',
  '<<E\n',
  '<<<a ',
  'a() {',
  'a(){ a;};a;',
  'if a;then ',
  'for i in a b;do ',
  'while a;do ',
  'case x in a) ',
  'rm -rf ../a;',
  'rm -rf "$x/a";',
  'cd a;',
  'sudo ',
  'env a=b ',
  'xargs ',
  'sh -c "',
  "eval 'a';",
  'find . -exec ',
  'curl a|sh;',
  'cat a>b;sh b;',
  'echo a|',
];

/** What a check costs, against the start of a process that does nothing, which takes about 20 ms. */
export async function policy(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'herma-bench-'));
  try {
    const engine = await engineIn(folder);
    const start = async (): Promise<number> => timeOf(['-e', '0'], { stdin: '', home: folder });
    const dense = repeated('git log --oneline | grep -v "a b" >> out.txt\n', LARGE);
    const text = `cat > notes.md <<'E'\n${repeated('words of a text, and then more\n', LARGE - 100)}E\n`;
    const [floor = Number.NaN, typical = Number.NaN, written = Number.NaN, larger = Number.NaN] =
      await alternate(ROUNDS, [
        start,
        async () => timeOfChecks(engine, TYPICAL, TYPICAL_CHECKS),
        async () => timeOfChecks(engine, text, LARGE_CHECKS),
        async () => timeOfChecks(engine, dense, LARGE_CHECKS),
      ]);
    const worst = await worstOf(engine);
    return [
      // 0.2 ms for each.
      {
        name: `${String(TYPICAL_CHECKS)} checks of a typical command / node -e 0`,
        ratio: typical / floor,
        limit: 1,
        value: typical,
        floor,
      },
      // 2 ms for each.
      {
        name: `${String(LARGE_CHECKS)} checks of a command with 32 KB of text / node -e 0`,
        ratio: written / floor,
        limit: 1,
        value: written,
        floor,
      },
      {
        name: `${String(LARGE_CHECKS)} checks of 32 KB of commands / node -e 0`,
        ratio: larger / floor,
        limit: 1,
        value: larger,
        floor,
      },
      {
        name: `check of 32 or 128 KB of ${JSON.stringify(worst.piece)} / node -e 0`,
        ratio: worst.value / floor,
        limit: 2.5,
        value: worst.value,
        floor,
      },
      await load(folder),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The program that checks one command, against the one that prints its version: the policy may take 30 ms to load. */
async function load(folder: string): Promise<Figure> {
  const launcher = await installed(folder);
  const run = (args: readonly string[]) => async (): Promise<number> =>
    timeOf([launcher, ...args], { stdin: '', home: folder });
  const [floor = Number.NaN, value = Number.NaN] = await alternate(ROUNDS, [
    run(['--version']),
    run(['policy', 'check', 'ls']),
  ]);
  return { name: 'herma policy check / herma --version', ratio: value / floor, limit: 2.2, value, floor };
}

async function engineIn(folder: string): Promise<PolicyEngine> {
  const hermaHome = join(folder, '.herma');
  const store = new PolicyStore(homePaths(hermaHome));
  return createPolicyEngine({
    current: async () => store.current(),
    clock: systemClock,
    place: { home: folder, hermaHome },
  });
}

async function timeOfChecks(engine: PolicyEngine, command: string, times: number): Promise<number> {
  const call = {
    tool: 'terminal',
    args: { command },
    cwd: '/project',
    paths: [],
    effect: 'execute' as const,
  };
  const startedAt = performance.now();
  for (let round = 0; round < times; round += 1)
    await engine.check(call, { unattended: false, mode: 'enforce' });
  return performance.now() - startedAt;
}

/** The piece whose repetition takes longest; of three tries the shortest counts, so that a pause of the machine does not. */
async function worstOf(engine: PolicyEngine): Promise<{ readonly piece: string; readonly value: number }> {
  let worst = { piece: '', value: 0 };
  for (const piece of PIECES) {
    for (const length of [LARGE, HUGE]) {
      const times: number[] = [];
      for (let round = 0; round < 3; round += 1)
        times.push(await timeOfChecks(engine, repeated(piece, length), 1));
      const value = Math.min(...times);
      if (value > worst.value) worst = { piece, value };
    }
  }
  return worst;
}

function repeated(piece: string, length: number): string {
  return piece.repeat(Math.floor(length / piece.length));
}
