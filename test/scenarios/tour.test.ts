import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunning, olderNodes, processEnds } from '../launcher/checkout.ts';
import { eventually, type Herma, type HermaExit } from '../support/herma.ts';
import { Scene } from '../support/scene.ts';
import { Terminal } from '../support/terminal.ts';

const ACTS = 9;
const LAST_LINE = new RegExp(
  `^${ACTS} of ${ACTS} acts held, in \\d+\\.\\d s\\. Nothing is left behind\\.$`,
  'm',
);

/** A place for temporary files of its own, and where the tour could leave something else behind. */
interface Place extends AsyncDisposable {
  readonly scene: Scene;
  readonly temporary: string;
  readonly env: Readonly<Record<string, string>>;
}

async function place(): Promise<Place> {
  const scene = await Scene.create();
  const temporary = join(scene.home, '..', 'temporary');
  mkdirSync(temporary);
  const home = join(scene.home, '..', 'person');
  mkdirSync(home);
  const env = { TMPDIR: temporary, HOME: home, HERMA_HOME: join(home, '.herma') };
  return { scene, temporary, env, [Symbol.asyncDispose]: async () => scene[Symbol.asyncDispose]() };
}

function expectNothingLeft({ scene, temporary, env }: Place): void {
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(scene.project)).toEqual([]);
  expect(readdirSync(env['HOME'] ?? '')).toEqual([]);
  expect(processesIn(temporary)).toEqual([]);
}

/** The processes that work in a folder. Where there is no /proc, the sentence about them is not tested. */
function processesIn(folder: string): readonly string[] {
  const names = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return names.flatMap((name) => {
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
      const isOurs = environment.includes(`TMPDIR=${folder}\0`) && isRunning(Number(name));
      return isOurs ? [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}

describe.concurrent('herma tour', () => {
  it.each(olderNodes())('holds in all its acts and leaves nothing behind ($title)', async (node) => {
    await using here = await place();
    const { code, stdout, stderr } = await here.scene.run(['tour'], { env: here.env, node });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('The model is a script.');
    expect(stdout.match(/^ {2}✓ /gm)).toHaveLength(ACTS);
    expect(stdout).not.toContain('✗');
    expect(stdout).toMatch(LAST_LINE);
    expect(stdout).toMatch(/jobs there are: 0\n.*NOT_LANDED: there is no job named daily-report\)/);
    expect(stdout).toMatch(/jobs there are: daily-report\.job\n/);
    expect(stdout).toMatch(/ended by SIGKILL while the command ran\n.*its effect is unknown/);
    expect(stdout).not.toContain('\u001b');
    expectNothingLeft(here);
  });

  it('is one document with --json', async () => {
    await using here = await place();
    const { code, stdout, stderr } = await here.scene.run(['tour', '--json'], { env: here.env });
    expect([code, stderr]).toEqual([0, '']);
    const document = JSON.parse(stdout) as { readonly acts: readonly object[] };
    expect(document).toMatchObject({ model: 'script', held: ACTS, seconds: expect.any(Number) });
    expect(document.acts).toHaveLength(ACTS);
    for (const act of document.acts)
      expect(act).toEqual({ title: expect.any(String), lines: expect.any(Array), held: true });
    expectNothingLeft(here);
  });

  it.each([
    ['SIGINT', 130, /^1\. /m],
    ['SIGTERM', 143, /^2\. /m],
    ['SIGTERM', 143, /^7\. /m],
    ['SIGINT', 130, 'the command of the last act'],
  ] as const)('leaves nothing behind when %s ends it (%s) at %s', async (signal, code, moment) => {
    await using here = await place();
    const herma = here.scene.start(['tour'], { env: here.env });
    const command = await reached(herma, here, moment);
    herma.child.kill(signal);
    const exit: HermaExit = await herma.exited;
    expect(exit.code).toBe(code);
    expect(exit.stdout).not.toMatch(/✗|acts held/);
    expect(exit.stderr).toBe('');
    if (command !== undefined) await processEnds(command);
    expectNothingLeft(here);
  });

  it('leaves nothing behind when nobody reads it any more', async () => {
    await using here = await place();
    const herma = here.scene.start(['tour'], { env: here.env });
    await eventually(() => expect(herma.stdout).toMatch(/^1\. /m));
    herma.child.stdout?.destroy();
    await new Promise((resolve) => herma.child.once('exit', resolve));
    expectNothingLeft(here);
  });

  it('shows on a terminal which act is being played, and in colours', async () => {
    await using here = await place();
    await using terminal = await Terminal.open(here.scene, ['tour'], { env: here.env });
    const screen = await terminal.shows(LAST_LINE);
    expect(screen).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/);
    expect(terminal.output()).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] playing act \d: /);
    expect(terminal.output()).toContain('\u001b[1m');
    expect(await terminal.ended()).toEqual({ code: 0, isRestored: true });
  });

  it('fails in one line where there is no place for temporary files', async () => {
    await using here = await place();
    const missing = join(here.temporary, 'missing');
    const { code, stderr } = await here.scene.run(['tour'], { env: { ...here.env, TMPDIR: missing } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^herma: .*missing.*\n( {2}.*\n)?$/);
  });
});

/** Waits for a moment of the tour; gives back the process id of the command where that is the moment. */
async function reached(
  herma: Herma,
  { temporary }: Place,
  moment: RegExp | string,
): Promise<number | undefined> {
  if (moment instanceof RegExp) {
    await eventually(() => expect(herma.stdout).toMatch(moment));
    return undefined;
  }
  return eventually(() => {
    const [scratch = ''] = readdirSync(temporary).filter((name) => name.startsWith('herma-tour-'));
    const pid = readFileSync(join(temporary, scratch, 'project', 'running.pid'), 'utf8');
    expect(pid).toMatch(/^\d+\n$/);
    return Number(pid);
  });
}
