import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Clock, FakeClock, systemClock } from '../../../platform/clock/index.ts';
import {
  AllowlistFile,
  type ConsentQuestion,
  type ConsentSubject,
  consentStatus,
  describeConsent,
  HookConsent,
  type HookConsentOptions,
  refusalForModel,
} from './index.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'consent-')));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});
let folders = 0;

interface Setup {
  readonly folder: string;
  readonly consent: HookConsent;
  readonly allowlist: string;
  readonly log: string[];
  /** Writes an executable file, and gives back the hook that runs it. */
  readonly hook: (text?: string, name?: string) => ConsentSubject & { readonly script: string };
  readonly words: (...words: readonly string[]) => ConsentSubject;
  readonly another: (options?: Partial<HookConsentOptions>) => HookConsent;
  readonly writeAllowlist: (...entries: readonly object[]) => void;
}

/** With the fake clock every file is old, so stamps are relied upon; with the machine's they are not. */
function setUp(clock: Clock = new FakeClock(), lockPath?: string): Setup {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const log: string[] = [];
  const path = join(folder, 'shell-hooks-allowlist.json');
  const note = (message: string): void => void log.push(message);
  const another = (options: Partial<HookConsentOptions> = {}): HookConsent =>
    new HookConsent({
      allowlist: new AllowlistFile({ path, lockPath: lockPath ?? join(folder, 'locks/consent'), clock }),
      mode: 'content',
      clock,
      isInsideAgent: false,
      log: { info: note, warn: note },
      ...options,
    });
  const words = (...list: readonly string[]): ConsentSubject => ({
    event: 'pre_tool_call',
    command: ` ${list.join(' ')} `,
    words: list,
    cwd: folder,
    searchPath: `${join(folder, 'bin')}:/usr/bin:/bin`,
  });
  return {
    folder,
    consent: another(),
    another,
    allowlist: path,
    log,
    words,
    hook: (text = '#!/bin/sh\necho "{}"\n', name = 'guard.sh') => {
      const script = join(folder, name);
      writeFileSync(script, text, { mode: 0o755 });
      return { ...words(script), script };
    },
    writeAllowlist: (...entries) => {
      writeFileSync(path, JSON.stringify({ approvals: entries }));
    },
  };
}

async function approve(consent: HookConsent, hook: ConsentSubject): Promise<void> {
  expect(await consent.approve(hook)).toMatchObject({ ok: true });
}

async function stateOf(consent: HookConsent, hook: ConsentSubject): Promise<string> {
  return (await consent.check(hook)).state;
}

const entriesOf = (path: string): Record<string, unknown>[] =>
  (JSON.parse(readFileSync(path, 'utf8')) as { approvals: Record<string, unknown>[] }).approvals;

const entryOf = ({ event, command }: ConsentSubject): object => ({ event, command: command.trim() });

describe('a script', () => {
  it('runs once it is approved, and not before', async () => {
    const { consent, hook } = setUp();
    const guard = hook();
    expect(await consent.check(guard)).toEqual({
      state: 'not_allowlisted',
      mayRun: false,
      reason: 'nobody has approved it',
      notes: [],
    });
    await approve(consent, guard);
    expect(await consent.check(guard)).toMatchObject({ state: 'approved', mayRun: true, notes: [] });
  });

  it('is approved for one event and one exact command', async () => {
    const { consent, hook } = setUp();
    const guard = hook();
    await approve(consent, guard);
    expect(await stateOf(consent, { ...guard, event: 'post_tool_call' })).toBe('not_allowlisted');
    expect(await stateOf(consent, { ...guard, command: `${guard.command.trim()}  x` })).toBe(
      'not_allowlisted',
    );
    expect(await stateOf(consent, { ...guard, command: guard.script })).toBe('approved');
  });

  it.each([
    ['edited in place', (script: string) => writeFileSync(script, '#!/bin/sh\necho x\n')],
    [
      'replaced',
      (script: string) => {
        writeFileSync(`${script}.new`, '#!/bin/sh\necho "{x"\n', { mode: 0o755 });
        renameSync(`${script}.new`, script);
      },
    ],
    [
      'edited to the same size with its old times',
      (script: string) => {
        const { atime, mtime, size } = statSync(script);
        writeFileSync(script, '#!/bin/sh\necho "[]"\n');
        utimesSync(script, atime, mtime);
        expect(statSync(script)).toMatchObject({ size, mtime });
      },
    ],
    [
      'swapped for a link to another',
      (script: string) => {
        writeFileSync(`${script}.evil`, '#!/bin/sh\nevil\n', { mode: 0o755 });
        rmSync(script);
        symlinkSync(`${script}.evil`, script);
      },
    ],
    [
      'a folder now',
      (script: string) => {
        rmSync(script);
        mkdirSync(script);
      },
    ],
    [
      'a pipe now',
      (script: string) => {
        rmSync(script);
        execFileSync('mkfifo', [script]);
      },
    ],
    [
      'a device now',
      (script: string) => {
        rmSync(script);
        symlinkSync('/dev/zero', script);
      },
    ],
  ])('that is %s has drifted, until it is approved again', async (_, change) => {
    for (const clock of [systemClock, new FakeClock()]) {
      const { consent, another, hook } = setUp(clock);
      const guard = hook();
      utimesSync(guard.script, 1e9, 1e9);
      await approve(consent, guard);
      expect(await stateOf(consent, guard)).toBe('approved');
      change(guard.script);
      for (const who of [consent, another()])
        expect(await who.check(guard)).toMatchObject({ state: 'drifted', mayRun: false });
      rmSync(guard.script, { recursive: true });
      hook('#!/bin/sh\nnew\n');
      await approve(another(), guard);
      expect(await stateOf(consent, guard)).toBe('approved');
    }
  });

  it('that is gone is missing, and so is one whose folder is gone', async () => {
    const { consent, folder, hook, words } = setUp();
    mkdirSync(join(folder, 'sub'));
    const guards = [hook(), hook(undefined, 'sub/other.sh'), words('sh', join(folder, 'sub/other.sh'))];
    for (const guard of guards) await approve(consent, guard);
    rmSync(join(folder, 'guard.sh'));
    rmSync(join(folder, 'sub'), { recursive: true });
    for (const guard of guards)
      expect(await consent.check(guard)).toMatchObject({ state: 'script_missing', mayRun: false });
  });

  it('that cannot be read has drifted', async () => {
    const { consent, folder, hook } = setUp();
    const guard = hook();
    await approve(consent, guard);
    rmSync(guard.script);
    symlinkSync(join(folder, 'guard.sh'), guard.script);
    expect(await consent.check(guard)).toMatchObject({ state: 'drifted', mayRun: false });
  });

  it('of 100 MB is read, and drifts with its last byte', async () => {
    const { consent, another, hook } = setUp();
    const guard = hook('#!/bin/sh\n');
    const size = 100 * 1024 * 1024;
    const file = openSync(guard.script, 'r+');
    ftruncateSync(file, size);
    await approve(consent, guard);
    expect(await stateOf(another(), guard)).toBe('approved');
    writeSync(file, 'x', size - 1);
    expect(await stateOf(consent, guard)).toBe('drifted');
  }, 60_000);

  it('is bound where it is found: a relative one in another folder is another one', async () => {
    const { consent, folder, words } = setUp();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'rel.sh'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(folder, 'sub/rel.sh'), '#!/bin/sh\nother\n', { mode: 0o755 });
    const hook = words('./rel.sh');
    await approve(consent, hook);
    expect(await stateOf(consent, { ...hook, cwd: join(folder, 'sub') })).toBe('drifted');
    copyFileSync(join(folder, 'rel.sh'), join(folder, 'sub/rel.sh'));
    const moved = await consent.check({ ...hook, cwd: join(folder, 'sub') });
    expect(moved.state).toBe('approved');
    expect(moved.notes).toEqual([
      `the script was approved as ${join(folder, 'rel.sh')}, with the same content`,
    ]);
  });

  it('without words, as a command that cannot be split has none, never runs', async () => {
    const { consent, words, writeAllowlist } = setUp();
    const hook = { ...words(), command: "x 'y" };
    writeAllowlist({ event: hook.event, command: hook.command });
    expect(await consent.check(hook)).toMatchObject({ state: 'script_missing', mayRun: false });
    expect(await consent.approve(hook)).toMatchObject({ ok: false, code: 'script_missing' });
  });

  it('of two entries for one hook counts by the one that has a hash', async () => {
    const { consent, hook, allowlist, writeAllowlist } = setUp();
    const guard = hook();
    await approve(consent, guard);
    const [bound = {}] = entriesOf(allowlist);
    writeAllowlist(bound, entryOf(guard));
    writeFileSync(guard.script, 'edited');
    expect(await stateOf(consent, guard)).toBe('drifted');
  });
});

describe('an interpreter', () => {
  function withInterpreter(set: Setup): ConsentSubject & { readonly tool: string } {
    const tool = join(set.folder, 'bin/mytool');
    writeFileSync(tool, '#!/bin/sh\nexec sh "$@"\n', { mode: 0o755 });
    writeFileSync(join(set.folder, 'x.sh'), 'echo', { mode: 0o644 });
    return { ...set.words('mytool', 'x.sh'), tool };
  }

  it.each([['mytool x.sh'], ['by its first line'], ['by env in its first line']])(
    'that is changed is drift (%s)',
    async (how) => {
      const set = setUp();
      const { tool, ...named } = withInterpreter(set);
      const line = how.includes('env') ? '#!/usr/bin/env -S mytool -x' : `#!${tool}`;
      const hook = how.startsWith('by') ? set.hook(`${line}\n`) : named;
      await approve(set.consent, hook);
      expect(await stateOf(set.consent, hook)).toBe('approved');
      utimesSync(tool, 1e9, 1e9);
      expect(await stateOf(set.consent, hook)).toBe('approved');
      writeFileSync(tool, '#!/bin/sh\nevil\n');
      const check = await set.consent.check(hook);
      expect(check).toMatchObject({ state: 'drifted', drift: { what: 'interpreter' } });
      rmSync(tool);
      expect(await set.consent.check(hook)).toMatchObject({ state: 'script_missing', mayRun: false });
    },
  );

  it('that another folder of PATH puts in front is drift', async () => {
    const set = setUp();
    const hook = set.hook('#!/usr/bin/env sh\n');
    await approve(set.consent, hook);
    expect(await stateOf(set.consent, hook)).toBe('approved');
    copyFileSync('/bin/sh', join(set.folder, 'bin/sh'));
    expect(await set.consent.check(hook)).toMatchObject({
      state: 'drifted',
      drift: { what: 'interpreter', now: join(set.folder, 'bin/sh') },
    });
  });

  it('of the system that was changed is a note', async () => {
    const set = setUp();
    const hook = set.hook();
    await approve(set.consent, hook);
    const [entry = {}] = entriesOf(set.allowlist);
    const interpreter = entry['interpreter'] as object;
    const other = { ...entry, interpreter: { ...interpreter, stamp: '1:1', sha256: '0'.repeat(64) } };
    set.writeAllowlist(other);
    const check = await set.another().check(hook);
    expect(check.state).toBe('approved');
    expect(check.notes).toEqual([
      expect.stringMatching(/^\/usr\/bin\/\w+, a program of the system, was changed since approval$/),
    ]);
    set.writeAllowlist({ ...other, interpreter: { ...other.interpreter, uid: 1000 } });
    expect(await stateOf(set.another(), hook)).toBe('drifted');
    set.writeAllowlist({ ...other, interpreter: { ...other.interpreter, path: '/home/me/bin/sh' } });
    expect(await stateOf(set.another(), hook)).toBe('drifted');
  });

  it('is all that is bound where there is no script', async () => {
    const set = setUp();
    const hook = set.words('sh', '-c', 'cat > /dev/null; echo "{}"');
    await approve(set.consent, hook);
    expect(await stateOf(set.another(), hook)).toBe('approved');
    writeFileSync(join(set.folder, 'bin/sh'), '#!/bin/bash\n', { mode: 0o755 });
    expect(await set.consent.check(hook)).toMatchObject({ state: 'drifted', drift: { what: 'program' } });
  });
});

describe('an entry without a hash', () => {
  it('counts, and is shown as not bound to the content', async () => {
    const { consent, hook, writeAllowlist } = setUp();
    const guard = hook();
    writeAllowlist(entryOf(guard));
    const check = await consent.check(guard);
    expect(check).toMatchObject({ state: 'not_content_bound', mayRun: true });
    expect(describeConsent(check).map(({ mark, text }) => `${mark} ${text}`)).toEqual([
      '✓ allowlisted (no time recorded)',
      'ℹ not content-bound: a changed script would run; `herma hooks approve` it to bind it',
    ]);
    await approve(consent, guard);
    expect(await stateOf(consent, guard)).toBe('approved');
  });

  it.each([
    ['2026-10-04T05:50:52Z', 0, 'not_content_bound'],
    ['2026-10-04T05:50:52+00:00', 0, 'not_content_bound'],
    ['2026-10-04T05:50:52Z', 0.75, 'not_content_bound'],
    ['2026-10-04T05:50:52.750000Z', 0.75, 'not_content_bound'],
    ['2026-10-04T05:50:52.749990Z', 0.75, 'drifted'],
    ['2026-10-04T05:50:52Z', 1, 'drifted'],
    ['2026-10-04T05:50:52Z', -1, 'not_content_bound'],
    [null, 0, 'not_content_bound'],
    ['yesterday', 0, 'drifted'],
    ['2026-99-99T05:50:52Z', 0, 'drifted'],
    [0, 0, 'drifted'],
    [[], 0, 'drifted'],
  ])('of time %j, %f s before that of the script, is %s', async (time, seconds, state) => {
    const { consent, hook, writeAllowlist } = setUp();
    const guard = hook();
    const at = Date.UTC(2026, 9, 4, 5, 50, 52) / 1000 + seconds;
    utimesSync(guard.script, at, at);
    writeAllowlist({ ...entryOf(guard), script_mtime_at_approval: time });
    expect(await stateOf(consent, guard)).toBe(state);
  });

  it.each([
    [{ sha256: 5 }],
    [{ sha256: 'abc' }],
    [{ sha256: '' }],
    [{ interpreter: { path: '/bin/sh' } }],
    [{ sha256: '0'.repeat(64) }],
    [{ sha256: '0'.repeat(64), interpreter: 'sh' }],
  ])('but with %j has drifted', async (members) => {
    const { consent, hook, writeAllowlist } = setUp();
    const guard = hook();
    writeAllowlist({ ...entryOf(guard), ...members });
    expect(await consent.check(guard)).toMatchObject({ state: 'drifted', mayRun: false });
  });

  it.each([
    ['a folder', (script: string) => mkdirSync(script), 'drifted'],
    ['a pipe', (script: string) => execFileSync('mkfifo', [script]), 'drifted'],
    ['nothing', () => undefined, 'script_missing'],
  ])('does not run %s', async (_, make, state) => {
    const { consent, hook, writeAllowlist } = setUp();
    const guard = hook();
    rmSync(guard.script);
    make(guard.script);
    writeAllowlist(entryOf(guard));
    expect(await consent.check(guard)).toMatchObject({ state, mayRun: false });
  });
});

describe('the mode path', () => {
  it('binds event and command only, and tells what would not run otherwise', async () => {
    const { consent, another, hook } = setUp();
    const guard = hook();
    const byPath = another({ mode: 'path' });
    expect(await stateOf(byPath, guard)).toBe('not_allowlisted');
    await approve(consent, guard);
    writeFileSync(guard.script, 'edited');
    const check = await byPath.check(guard);
    expect(check).toMatchObject({ state: 'approved', mayRun: true });
    expect(check.notes).toEqual([
      'the script was modified since approval; it runs, as hooks_consent is "path"',
    ]);
    rmSync(guard.script);
    expect(await byPath.approve(guard)).toMatchObject({ ok: true });
    expect(await stateOf(byPath, guard)).toBe('approved');
    expect(await stateOf(consent, guard)).toBe('script_missing');
  });
});

describe('first use', () => {
  it.each([
    [{ acceptHooks: true }, true],
    [{ acceptHooks: false }, false],
    [{ environment: [undefined, '1'] }, true],
    [{ environment: ['True'] }, true],
    [{ environment: [' YES '] }, true],
    [{ environment: ['on'] }, true],
    [{ environment: ['0', 'false', '', 'y', '2'] }, false],
    [{ autoAccept: true }, true],
    [{ autoAccept: 'on' }, true],
    [{ autoAccept: 1 }, false],
    [{ autoAccept: 'false' }, false],
    [{ autoAccept: null }, false],
    [{ autoAccept: [true] }, false],
    [{}, false],
  ])('with %j is allowed: %s', async (hatches, allowed) => {
    const { consent, hook, log, allowlist } = setUp();
    const guard = hook();
    const decided = await consent.decideFirstUse({ hook: guard, hatches });
    expect(decided).toMatchObject({ allowed });
    expect([await stateOf(consent, guard), existsSync(allowlist), log.length]).toEqual(
      allowed ? ['approved', true, 1] : ['not_allowlisted', false, 0],
    );
  });

  it('without a terminal or a hatch tells the ways', async () => {
    const { consent, hook } = setUp();
    const guard = hook();
    const decided = await consent.decideFirstUse({ hook: guard, hatches: {} });
    expect(decided.allowed ? '' : decided.warning).toBe(
      `shell hook skipped (pre_tool_call: ${guard.script}): nobody has approved it; start with --accept-hooks, set HERMA_ACCEPT_HOOKS=1, or set hooks_auto_accept: true in config.yaml; or review it, then \`herma hooks approve pre_tool_call <command>\``,
    );
  });

  it('on a terminal shows the script and takes the answer; a refusal is not remembered', async () => {
    const { consent, hook, allowlist } = setUp();
    const guard = hook('#!/bin/sh\n# \u202e\necho\n');
    chmodSync(guard.script, 0o777);
    const asked: ConsentQuestion[] = [];
    const answering = (answer: boolean) => async (question: ConsentQuestion) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const refused = await consent.decideFirstUse({ hook: guard, hatches: {}, prompt: answering(false) });
    expect([refused.allowed, existsSync(allowlist)]).toEqual([false, false]);
    expect(await consent.decideFirstUse({ hook: guard, hatches: {}, prompt: answering(true) })).toMatchObject(
      {
        allowed: true,
        by: 'person',
      },
    );
    expect(
      await consent.decideFirstUse({ hook: guard, hatches: {}, prompt: answering(false) }),
    ).toMatchObject({
      allowed: true,
      by: 'listed',
    });
    expect(asked).toHaveLength(2);
    expect(asked[0]).toEqual({
      event: 'pre_tool_call',
      command: guard.script,
      scriptPath: guard.script,
      scriptText: '#!/bin/sh\n# \u202e\necho\n',
      warnings: [
        'It runs with your rights, and reads what the event tells.',
        'The script holds characters that are invisible or steer a terminal.',
        'Others than you may write to the script.',
      ],
    });
  });

  it('says what of a script it does not show', async () => {
    const { consent, hook, words } = setUp();
    const asked: ConsentQuestion[] = [];
    const prompt = async (question: ConsentQuestion): Promise<boolean> => {
      asked.push(question);
      return Promise.resolve(true);
    };
    const hooks = [
      hook(`#!/bin/sh\n${'#'.repeat(70_000)}`, 'long.sh'),
      hook('\u007fELF\0\0', 'binary'),
      words('sh', '-c', 'x'),
    ];
    for (const guard of hooks) await consent.decideFirstUse({ hook: guard, hatches: {}, prompt });
    expect(asked.map(({ scriptText, warnings }) => [scriptText?.length, warnings[1]])).toEqual([
      [65_536, 'Only the first 64 KiB of 70010 bytes are shown.'],
      [undefined, 'The script is a binary program: it cannot be shown.'],
      [undefined, expect.stringContaining('what it is told to fetch or run is not checked')],
    ]);
  });

  it('is refused when the script changes while a person looks at it', async () => {
    const { consent, hook, allowlist } = setUp();
    const guard = hook();
    const prompt = async (): Promise<boolean> => {
      writeFileSync(guard.script, 'evil');
      return Promise.resolve(true);
    };
    expect(await consent.decideFirstUse({ hook: guard, hatches: {}, prompt })).toMatchObject({
      allowed: false,
      warning: expect.stringContaining('changed while you were asked') as string,
    });
    expect(existsSync(allowlist)).toBe(false);
  });

  it('is over for a script that has drifted: neither hatch nor question counts', async () => {
    const { consent, hook } = setUp();
    const guard = hook();
    await approve(consent, guard);
    writeFileSync(guard.script, 'edited');
    const prompt = async (): Promise<boolean> => Promise.reject(new Error('nobody is to be asked'));
    const decided = await consent.decideFirstUse({ hook: guard, hatches: { acceptHooks: true }, prompt });
    expect(decided).toMatchObject({ allowed: false, check: { state: 'drifted' } });
    expect(await stateOf(consent, guard)).toBe('drifted');
  });

  it('of a script that is not there is refused, whatever is open', async () => {
    const { consent, words, folder, allowlist } = setUp();
    const gone = words(join(folder, 'gone.sh'));
    expect(await consent.decideFirstUse({ hook: gone, hatches: { acceptHooks: true } })).toMatchObject({
      allowed: false,
    });
    expect(existsSync(allowlist)).toBe(false);
  });

  it('does not replace what another process decided in between', async () => {
    const { consent, another, hook } = setUp();
    const guard = hook();
    const first = await Promise.all(
      [consent, another(), another()].map(async (who) =>
        who.decideFirstUse({ hook: guard, hatches: { acceptHooks: true } }),
      ),
    );
    expect(first.map(({ allowed }) => allowed)).toEqual([true, true, true]);
  });
});

describe('inside of an agent', () => {
  it('nothing is approved, accepted or revoked', async () => {
    const { consent, another, hook, allowlist } = setUp();
    const inside = another({ isInsideAgent: true });
    const guard = hook();
    expect(await inside.approve(guard)).toMatchObject({ ok: false, code: 'inside_agent' });
    expect(await inside.decideFirstUse({ hook: guard, hatches: { acceptHooks: true } })).toMatchObject({
      allowed: false,
    });
    expect(existsSync(allowlist)).toBe(false);
    await approve(consent, guard);
    expect(await inside.revoke(guard.command)).toMatchObject({ ok: false, code: 'inside_agent' });
    expect(await stateOf(inside, guard)).toBe('approved');
  });
});

describe('revoking', () => {
  it('takes the command from all events, at once for everybody', async () => {
    const { consent, another, hook } = setUp();
    const guard = hook();
    const late = { ...guard, event: 'post_tool_call' };
    const other = hook(undefined, 'other.sh');
    for (const one of [guard, late, other]) await approve(consent, one);
    const elsewhere = another();
    expect(await stateOf(elsewhere, guard)).toBe('approved');
    expect(await consent.revoke(guard.command)).toEqual({ ok: true, value: 2 });
    expect(await consent.revoke(guard.command)).toEqual({ ok: true, value: 0 });
    for (const who of [consent, elsewhere]) {
      expect([await stateOf(who, guard), await stateOf(who, late), await stateOf(who, other)]).toEqual([
        'not_allowlisted',
        'not_allowlisted',
        'approved',
      ]);
    }
  });
});

describe('an allowlist that cannot be relied upon', () => {
  it.each([
    ['no JSON', '{"approvals": [}'],
    ['empty', ''],
    ['a map by path', '{"/x/guard.sh": {"sha256": "ab"}}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['approvals that are no list', '{"approvals": {}}'],
  ])('(%s) approves nothing, and is kept until a person approves anew', async (_, text) => {
    const { consent, hook, allowlist, folder } = setUp();
    const guard = hook();
    await approve(consent, guard);
    writeFileSync(allowlist, text);
    const check = await consent.check(guard);
    expect(check).toMatchObject({ state: 'not_allowlisted', mayRun: false });
    expect(check.reason).toContain(allowlist);
    expect(describeConsent(check)[0]?.text).toBe('not allowlisted — hook will NOT fire at runtime');
    expect(await consent.decideFirstUse({ hook: guard, hatches: { acceptHooks: true } })).toMatchObject({
      allowed: false,
    });
    expect(await consent.revoke(guard.command)).toMatchObject({ ok: false, code: 'corrupt' });
    expect(readFileSync(allowlist, 'utf8')).toBe(text);
    const approved = await consent.approve(guard);
    const kept = readdirSync(folder).find((name) => name.includes('.corrupt-')) ?? '';
    expect(approved).toMatchObject({
      ok: true,
      value: {
        warnings: [
          `the allowlist was not understood; it is kept as ${join(folder, kept)}, and a new one begun`,
        ],
      },
    });
    expect(readFileSync(join(folder, kept), 'utf8')).toBe(text);
    expect(await stateOf(consent, guard)).toBe('approved');
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a link that leads back', (path: string) => symlinkSync(path, path)],
  ])('(%s) approves nothing and is not touched, not even by a person', async (_, make) => {
    const { consent, hook, allowlist } = setUp();
    const guard = hook();
    make(allowlist);
    expect(await consent.check(guard)).toMatchObject({ state: 'not_allowlisted', mayRun: false });
    expect(await consent.approve(guard)).toMatchObject({ ok: false, code: 'unreadable' });
    expect(lstatSync(allowlist).isFile()).toBe(false);
  });

  it('(an entry of another kind) counts the others, reports that one and keeps it', async () => {
    const { consent, hook, allowlist, writeAllowlist } = setUp();
    const guard = hook();
    const odd = ['text', { event: 'x' }, { event: 1, command: 'y' }] as unknown as object[];
    writeAllowlist(...odd, entryOf(guard));
    const check = await consent.check(guard);
    expect([check.state, check.notes.length, check.notes[0]]).toEqual([
      'not_content_bound',
      3,
      `entry 1 of ${allowlist} needs the texts "event" and "command": it approves nothing`,
    ]);
    await approve(consent, guard);
    expect(entriesOf(allowlist).slice(0, 3)).toEqual(odd);
  });
});

describe('an allowlist that cannot be written', () => {
  it('makes approvals hold for this run only, with a warning', async () => {
    const blocker = join(root, 'blocker');
    writeFileSync(blocker, '');
    const { consent, another, hook, allowlist, log } = setUp(new FakeClock(), join(blocker, 'lock'));
    const guard = hook();
    const decided = await consent.decideFirstUse({ hook: guard, hatches: { acceptHooks: true } });
    expect(decided).toMatchObject({ allowed: true });
    expect(decided.allowed ? decided.warnings[0] : '').toContain('the approval holds for this run only');
    expect([existsSync(allowlist), log.length]).toEqual([false, 2]);
    expect([await stateOf(consent, guard), await stateOf(another(), guard)]).toEqual([
      'approved',
      'not_allowlisted',
    ]);
    writeFileSync(guard.script, 'edited');
    expect(await stateOf(consent, guard)).toBe('drifted');
    expect(await consent.revoke(guard.command)).toMatchObject({ ok: false, code: 'not_written' });
    expect(await stateOf(consent, guard)).toBe('not_allowlisted');
  });
});

describe('what doctor and list say', () => {
  it('follows the state', async () => {
    const { consent, hook } = setUp();
    const guard = hook();
    const lines = async (): Promise<string[]> =>
      describeConsent(await consent.check(guard)).map(({ mark, text }) => `${mark} ${text}`);
    expect(await lines()).toEqual(['✗ not allowlisted — hook will NOT fire at runtime']);
    utimesSync(guard.script, 1e9, 1e9);
    await approve(consent, guard);
    expect(await lines()).toEqual([
      '✓ allowlisted (approved 2030-01-01T00:00:00.000000Z)',
      '✓ script unchanged since approval',
    ]);
    writeFileSync(guard.script, 'edited');
    utimesSync(guard.script, 1e9 + 60, 1e9 + 60);
    expect(await lines()).toEqual([
      '⚠ script modified since approval (was 2001-09-09T01:46:40.000000Z, now 2001-09-09T01:47:40.000000Z) — review changes, then `herma hooks approve` it again',
    ]);
    utimesSync(guard.script, 1e9, 1e9);
    expect((await lines())[0]).toMatch(/\(was sha256 [0-9a-f]{12}…, now sha256 [0-9a-f]{12}…\)/);
    rmSync(guard.script);
    expect(await lines()).toEqual([`✗ there is no ${guard.script} — hook will NOT fire at runtime`]);
  });

  it('tells settings that changed, which does not end consent', async () => {
    const { consent, hook } = setUp();
    const guard = { ...hook(), matcher: 'terminal', timeoutSeconds: 10, failClosed: true };
    await approve(consent, guard);
    const check = await consent.check({ ...guard, matcher: 'web', failClosed: false });
    expect([check.state, check.notes]).toEqual([
      'approved',
      [
        'matcher was "terminal" at approval and is "web" now',
        'fail_closed was true at approval and is false now',
      ],
    ]);
  });

  it.each([
    ['approved', '✓ allowed'],
    ['not_content_bound', '✓ allowed, not content-bound'],
    ['not_allowlisted', '✗ not allowlisted'],
    ['drifted', '⚠ modified since approval'],
    ['script_missing', '✗ script not found'],
  ] as const)('%s is %s', (state, text) => {
    expect(consentStatus({ state })).toBe(text);
    const mayRun = state === 'approved' || state === 'not_content_bound';
    expect(refusalForModel({ state, mayRun }) === undefined).toBe(mayRun);
  });
});
