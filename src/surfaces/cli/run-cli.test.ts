import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HermaError } from '../../kernel/errors/index.ts';
import { EXIT } from './exit-code.ts';
import { FakeHost, runOn } from './fake-host.ts';
import {
  choiceArgument,
  flagOption,
  integerOption,
  listOption,
  optionalArgument,
  restArgument,
  textOption,
} from './inputs.ts';
import type { Verb, VerbContext, VerbEntry } from './verb.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'home-'));
});

function entryOf(verb: Verb): VerbEntry {
  return { name: verb.name, summary: verb.summary, load: () => Promise.resolve({ verb }) };
}

/** A table with one verb `work` that does what it is told. */
function tableWith(run: NonNullable<Verb['run']>, more: Partial<Verb> = {}): readonly VerbEntry[] {
  return [entryOf({ name: 'work', summary: 'do some work', example: 'herma work', ...more, run })];
}

const name = textOption('-n, --name <text>', 'a name');
const tags = listOption('-t, --tag <text>', 'a tag');
const limit = integerOption('--limit <n>', 'how many', { min: 1, max: 10 });
const quick = flagOption('-q, --quick', 'quickly');
const colour = choiceArgument('colour', 'which', ['red', 'blue']);
const first = optionalArgument('first', 'the first');
const rest = restArgument('rest', 'the others');

const inputs: Partial<Verb> = { options: [name, tags, limit, quick], arguments: [first, rest] };

async function given(argv: readonly string[]): Promise<unknown> {
  let seen: unknown;
  const table = tableWith((context) => {
    seen = {
      name: context.get(name),
      tags: context.get(tags),
      limit: context.get(limit),
      quick: context.get(quick),
      first: context.get(first),
      rest: context.get(rest),
    };
    return Promise.resolve(EXIT.done);
  }, inputs);
  const { code, stderr } = await runOn(new FakeHost({ home }), argv, table);
  return code === EXIT.done ? seen : stderr;
}

describe('the inputs of a verb', () => {
  it('have their types, and are absent when they are not given', async () => {
    expect(await given(['work'])).toEqual({
      name: undefined,
      tags: [],
      limit: undefined,
      quick: false,
      first: undefined,
      rest: [],
    });
    expect(
      await given(['work', '-n', 'x', '--tag', 'a', '-t', 'b', '--limit=3', '-q', 'one', 'two', 'three']),
    ).toEqual({
      name: 'x',
      tags: ['a', 'b'],
      limit: 3,
      quick: true,
      first: 'one',
      rest: ['two', 'three'],
    });
  });

  it('may look like options where a value is expected, or after --', async () => {
    expect(await given(['work', '-n', '--json'])).toMatchObject({ name: '--json' });
    expect(await given(['work', '--', '--json', '-y'])).toMatchObject({ first: '--json', rest: ['-y'] });
  });

  it.each([
    [
      ['work', '--limit', '11'],
      "option '--limit <n>' argument '11' is invalid, expected a whole number from 1 to 10",
    ],
    [['work', '--limit', '1.5'], 'expected a whole number'],
    [['work', '--limit', ''], 'expected a whole number'],
    [['work', '--name', ''], 'expected a text that is not empty'],
    [['work', '--name'], "option '-n, --name <text>' argument missing"],
    [['work', '--nam', 'x'], "unknown option '--nam'; did you mean --name?"],
    [['work', '--tagg'], "unknown option '--tagg'; did you mean --tag?"],
    [['wrk'], "unknown command 'wrk'; did you mean work?"],
    [['frobnicate'], "unknown command 'frobnicate'; `herma --help` lists the commands"],
    [['frobnicate', '--help'], "unknown command 'frobnicate'"],
    [['--frobnicate', 'work'], "unknown option '--frobnicate'"],
    [['\u001b]0;title\u0007'], "unknown command '\\x1b]0;title\\x07'"],
  ])('of %j are refused in one line, exit 2', async (argv, message) => {
    const host = new FakeHost({ home });
    const table = tableWith(() => Promise.resolve(EXIT.done), inputs);
    const { code, stdout, stderr } = await runOn(host, argv, table);
    expect([code, stdout]).toEqual([EXIT.couldNot, '']);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^herma: [^\n]+\n$/);
  });

  it('of a fixed set are checked', async () => {
    const table = tableWith(
      (context) => {
        context.print(context.get(colour));
        return Promise.resolve(EXIT.done);
      },
      { arguments: [colour] },
    );
    expect(await runOn(new FakeHost({ home }), ['work', 'blue'], table)).toMatchObject({
      code: 0,
      stdout: 'blue\n',
    });
    const { code, stderr } = await runOn(new FakeHost({ home }), ['work', 'green'], table);
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected one of red, blue')]);
  });
});

describe('options for every command', () => {
  const show = tableWith(
    (context) => {
      const { json, verbose, acceptHooks, yes, paths, environment } = context;
      context.print(JSON.stringify([json, verbose, acceptHooks, yes, paths.home, environment['HERMA_HOME']]));
      return Promise.resolve(EXIT.done);
    },
    { options: [] },
  );

  it.each([
    [['--json', '--verbose', '--accept-hooks', '-y', '--home', '/h', 'work']],
    [['work', '--json', '--verbose', '--accept-hooks', '--yes', '--home=/h']],
    [['--verbose', 'work', '-f', '--json', '--accept-hooks', '--home', '/h']],
  ])('work before and after the command: %j', async (argv) => {
    const { stdout } = await runOn(new FakeHost({ home }), argv, show);
    expect(JSON.parse(stdout)).toEqual([true, true, true, true, '/h', '/h']);
  });

  it('work between a noun and its verb, and the last --home wins', async () => {
    const verb: Verb = {
      name: 'noun',
      summary: 'a noun',
      example: 'herma noun verb',
      subcommands: [
        {
          name: 'verb',
          summary: 'a verb',
          example: 'herma noun verb',
          run: (context) => {
            context.print(`${String(context.json)} ${context.paths.home}`);
            return Promise.resolve(EXIT.done);
          },
        },
      ],
    };
    const argv = ['--home', '/a', 'noun', '--json', '--home', '/b', 'verb', '--home', '/c'];
    expect((await runOn(new FakeHost({ home }), argv, [entryOf(verb)])).stdout).toBe('true /c\n');
  });

  it('behind a noun that runs by itself are a command that is not there', async () => {
    const verb: Verb = {
      name: 'noun',
      summary: 'a noun',
      example: 'herma noun',
      subcommands: [
        {
          name: 'verb',
          summary: 'a verb',
          example: 'herma noun verb',
          run: () => Promise.resolve(EXIT.done),
        },
      ],
      run: () => Promise.resolve(EXIT.done),
    };
    const stderrOf = async (...argv: readonly string[]): Promise<string> =>
      (await runOn(new FakeHost({ home }), argv, [entryOf(verb)])).stderr;
    expect(await stderrOf('noun', 'vreb')).toBe("herma: unknown command 'noun vreb'; did you mean verb?\n");
    expect(await stderrOf('noun', 'xyzzy')).toContain("unknown command 'noun xyzzy'");
    expect(await stderrOf('noun', 'verb', 'x')).toContain('too many arguments');
    expect(await stderrOf('noun')).toBe('');
  });

  it('leave a short form to a verb that needs it', async () => {
    const follow = flagOption('-f, --follow', 'follow');
    const table = tableWith(
      (context) => {
        context.print(`${String(context.get(follow))} ${String(context.yes)}`);
        return Promise.resolve(EXIT.done);
      },
      { options: [follow] },
    );
    expect((await runOn(new FakeHost({ home }), ['work', '-f'], table)).stdout).toBe('true false\n');
    expect((await runOn(new FakeHost({ home }), ['work', '--force'], table)).stdout).toBe('false true\n');
  });
});

describe('help', () => {
  const table = tableWith(() => Promise.resolve(EXIT.done), inputs);

  it.each([[[]], [['--help']], [['-h']], [['help']], [['--json']]])(
    'lists the commands: %j',
    async (argv) => {
      const { code, stdout, stderr } = await runOn(new FakeHost({ home }), argv, table);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Usage: herma/);
      expect(stdout).toMatch(/work +do some work/);
      expect(stdout).toContain('Example:\n  $ herma doctor\n');
    },
  );

  it.each([[['work', '--help']], [['help', 'work']], [['work', '-h']]])(
    'shows a command: %j',
    async (argv) => {
      const { code, stdout } = await runOn(new FakeHost({ home }), argv, table);
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: herma work [options] [first] [rest...]');
      expect(stdout).toContain('-n, --name <text>');
      expect(stdout).toContain('--home <dir>');
      expect(stdout).toContain('Example:\n  $ herma work\n');
    },
  );

  it('does not hide that a noun lacks its verb', async () => {
    const noun: Verb = {
      name: 'noun',
      summary: 'a noun',
      example: 'herma noun verb',
      subcommands: [
        { name: 'verb', summary: 'v', example: 'herma noun verb', run: () => Promise.resolve(EXIT.done) },
      ],
    };
    const bare = await runOn(new FakeHost({ home }), ['noun'], [entryOf(noun)]);
    expect(bare).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'herma: noun needs one of: verb; `herma noun --help` shows what it takes\n',
    });
    expect(await runOn(new FakeHost({ home }), ['noun', '--help'], [entryOf(noun)])).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await runOn(new FakeHost({ home }), ['noun', 'vrb'], [entryOf(noun)])).toMatchObject({
      code: 2,
      stderr: "herma: unknown command 'vrb'; did you mean verb?\n",
    });
  });

  it('loads no verb, and a command loads only its own', async () => {
    const loaded: string[] = [];
    const watched = ['one', 'two'].map(
      (each): VerbEntry => ({
        name: each,
        summary: each,
        load: () => {
          loaded.push(each);
          return Promise.resolve({
            verb: { name: each, summary: each, example: each, run: () => Promise.resolve(EXIT.done) },
          });
        },
      }),
    );
    await runOn(new FakeHost({ home }), ['--help'], watched);
    await runOn(new FakeHost({ home }), ['three'], watched);
    expect(loaded).toEqual([]);
    await runOn(new FakeHost({ home }), ['two'], watched);
    expect(loaded).toEqual(['two']);
  });

  it('shows the version', async () => {
    expect(await runOn(new FakeHost({ home }), ['--version'], table)).toEqual({
      code: 0,
      stdout: '1.2.3\n',
      stderr: '',
    });
  });
});

describe('a failure', () => {
  const failing = tableWith((context) =>
    Promise.resolve(context.fail({ code: 'nope', message: 'cannot do "x"', remedy: 'do y' })),
  );

  it('is one or two lines on standard error, exit 2', async () => {
    expect(await runOn(new FakeHost({ home }), ['work'], failing)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'herma: cannot do "x"\n  do y\n',
    });
  });

  it('is the one document with --json', async () => {
    const { stdout, stderr } = await runOn(new FakeHost({ home }), ['work', '--json'], failing);
    expect(JSON.parse(stdout)).toEqual({ error: { code: 'nope', message: 'cannot do "x"', remedy: 'do y' } });
    expect(stderr).toContain('cannot do "x"');
  });

  it('does not add a second document', async () => {
    const table = tableWith((context) => {
      context.printJson([1]);
      return Promise.resolve(context.fail({ code: 'late', message: 'too late' }));
    });
    const { code, stdout } = await runOn(new FakeHost({ home }), ['work', '--json'], table);
    expect([code, JSON.parse(stdout)]).toEqual([2, [1]]);
  });

  it('of bad usage is a document, too', async () => {
    const { stdout } = await runOn(new FakeHost({ home }), ['wrk', '--json'], failing);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'usage' } });
  });

  it('that is thrown is told in its own words', async () => {
    const table = tableWith(() => {
      throw new HermaError({ code: 'deep', message: 'deep down', remedy: 'dig' });
    });
    expect(await runOn(new FakeHost({ home }), ['work'], table)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'herma: deep down\n  dig\n',
    });
  });

  it('that is a bug shows its stack with --verbose only', async () => {
    const table = tableWith(() =>
      Promise.reject(new Error('broken\nin two lines', { cause: new Error('why') })),
    );
    const brief = await runOn(new FakeHost({ home }), ['work'], table);
    expect(brief).toMatchObject({
      code: 2,
      stderr: 'herma: internal error: broken\n  `--verbose` shows where; please report it\n',
    });
    const long = await runOn(new FakeHost({ home }), ['work', '--verbose'], table);
    expect(long.stderr).toContain('run-cli.test.ts');
    expect(long.stderr).toContain('caused by: Error: why');
  });

  it('in loading a verb is told as well', async () => {
    const table: VerbEntry[] = [
      { name: 'work', summary: 'x', load: () => Promise.reject(new Error('no such file')) },
    ];
    expect(await runOn(new FakeHost({ home }), ['work'], table)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('internal error: no such file'),
    });
  });

  it('cannot steer the terminal', async () => {
    const table = tableWith((context) =>
      Promise.resolve(context.fail({ code: 'x', message: 'a\u001b[2Jb\nc\u202e' })),
    );
    expect((await runOn(new FakeHost({ home }), ['work'], table)).stderr).toBe(
      'herma: a\\x1b[2Jb\\nc\\u202e\n',
    );
  });

  it('is a folder that is gone, when a verb asks for it', async () => {
    const table = tableWith((context) => {
      context.print(context.workingDirectory());
      return Promise.resolve(EXIT.done);
    });
    expect(await runOn(new FakeHost({ home }), ['work'], table)).toMatchObject({
      code: 2,
      stderr: 'herma: the current folder no longer exists\n  change to another folder\n',
    });
  });

  it('to print one document only is a bug', async () => {
    const table = tableWith((context) => {
      context.printJson(1);
      context.printJson(2);
      return Promise.resolve(EXIT.done);
    });
    const { code, stdout } = await runOn(new FakeHost({ home }), ['work', '--json'], table);
    expect([code, stdout]).toEqual([2, '1\n']);
  });
});

describe('the exit code', () => {
  it.each([EXIT.done, EXIT.no, EXIT.couldNot, EXIT.incomplete, EXIT.nothing])(
    'is that of the verb: %d',
    async (code) => {
      expect(
        (
          await runOn(
            new FakeHost({ home }),
            ['work'],
            tableWith(() => Promise.resolve(code)),
          )
        ).code,
      ).toBe(code);
    },
  );
});

/** A verb that runs until it is aborted, and tells when it has begun. */
function waiting(): { readonly table: readonly VerbEntry[]; readonly begun: Promise<VerbContext> } {
  const { promise, resolve } = Promise.withResolvers<VerbContext>();
  const table = tableWith((context) => {
    resolve(context);
    return new Promise((_, reject) => {
      context.signal.addEventListener('abort', () => reject(context.signal.reason as Error));
    });
  });
  return { table, begun: promise };
}

describe('an interrupt', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('aborts the verb: %s', async (signal, code) => {
    const host = new FakeHost({ home });
    const { table, begun } = waiting();
    const running = runOn(host, ['work'], table);
    await begun;
    host.send(signal);
    expect(await running).toEqual({ code, stdout: '', stderr: '' });
    expect([host.exits, host.listenerCount]).toEqual([[], 0]);
  });

  it('that comes a second time ends at once', async () => {
    const host = new FakeHost({ home });
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: end, resolve: finish } = Promise.withResolvers<0>();
    const stubborn = tableWith(() => {
      resolve();
      return end;
    });
    const running = runOn(host, ['work'], stubborn);
    await promise;
    host.send('SIGINT');
    expect(host.exits).toEqual([]);
    host.send('SIGINT');
    expect(host.exits).toEqual([130]);
    finish(0);
    await running;
  });

  it('leaves a success that was reached all the same', async () => {
    const host = new FakeHost({ home });
    const table = tableWith(() => {
      host.send('SIGINT');
      return Promise.resolve(EXIT.done);
    });
    expect((await runOn(host, ['work'], table)).code).toBe(0);
  });

  it('goes to a verb that takes it over, as often as it comes', async () => {
    const host = new FakeHost({ home });
    let count = 0;
    const table = tableWith((context) => {
      const release = context.onInterrupt(() => (count += 1));
      host.send('SIGINT');
      host.send('SIGINT');
      release();
      release();
      expect(context.signal.aborted).toBe(false);
      host.send('SIGINT');
      expect(context.signal.aborted).toBe(true);
      return Promise.resolve(EXIT.no);
    });
    expect((await runOn(host, ['work'], table)).code).toBe(130);
    expect([count, host.exits]).toEqual([2, []]);
  });

  it('is the end of the launcher, too; what does not end then is ended', async () => {
    const host = new FakeHost({ home });
    const { table, begun } = waiting();
    const running = runOn(host, ['work'], table);
    await begun;
    host.loseLauncher();
    expect((await running).code).toBe(129);
    await host.clock.advance(10_000);
    expect(host.exits).toEqual([129]);
  });
});

describe('standard output', () => {
  it('that nobody reads any more ends the verb quietly, and its answer stands', async () => {
    const host = new FakeHost({ home });
    host.stdout.failWith('EPIPE');
    const table = tableWith((context) => {
      for (let line = 0; line < 1000; line += 1) context.print('x');
      return Promise.resolve(EXIT.no);
    });
    expect(await runOn(host, ['work'], table)).toEqual({ code: 1, stdout: '', stderr: '' });
  });

  it('that nobody reads any more aborts what goes on', async () => {
    const host = new FakeHost({ home });
    host.stdout.failWith('EPIPE');
    const { table, begun } = waiting();
    const running = runOn(host, ['work'], table);
    (await begun).print('x');
    expect(await running).toEqual({ code: 141, stdout: '', stderr: '' });
  });

  it('that cannot be written is a failure', async () => {
    const host = new FakeHost({ home });
    host.stdout.failWith('ENOSPC');
    const table = tableWith((context) => {
      context.print('x');
      return Promise.resolve(EXIT.done);
    });
    expect(await runOn(host, ['work'], table)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'herma: cannot write to standard output (ENOSPC)\n',
    });
  });

  it('is coloured for a terminal, unless NO_COLOR says otherwise', async () => {
    const table = tableWith((context) => {
      context.print(context.colours.bad('x'));
      return Promise.resolve(EXIT.done);
    });
    const red = '\u001b[31mx\u001b[39m\n';
    expect((await runOn(new FakeHost({ home, isTty: true }), ['work'], table)).stdout).toBe(red);
    expect((await runOn(new FakeHost({ home }), ['work'], table)).stdout).toBe('x\n');
    expect(
      (await runOn(new FakeHost({ home, isTty: true, environment: { NO_COLOR: '1' } }), ['work'], table))
        .stdout,
    ).toBe('x\n');
    expect(
      (await runOn(new FakeHost({ home, isTty: true, environment: { TERM: 'dumb' } }), ['work'], table))
        .stdout,
    ).toBe('x\n');
    expect(
      (await runOn(new FakeHost({ home, environment: { FORCE_COLOR: '1' } }), ['work'], table)).stdout,
    ).toBe(red);
  });
});
