import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger, type Logger, type LoggerOptions } from './index.ts';

const moduleUrl = fileURLToPath(new URL('index.ts', import.meta.url));

function createFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'log-')));
}

function create(options: Partial<LoggerOptions> = {}): { readonly logger: Logger; readonly path: string } {
  const path = options.path ?? join(createFolder(), 'herma.log');
  return { logger: createLogger({ level: 'info', redact: (text) => text, ...options, path }), path };
}

function linesOf(path: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Everything that was ever written beside `path`, set aside or not, oldest file first. */
function allLinesOf(path: string): readonly Readonly<Record<string, unknown>>[] {
  const folder = join(path, '..');
  const names = readdirSync(folder).filter((name) => name !== 'herma.log');
  return [...names.toSorted((a, b) => (a < b ? -1 : 1)), 'herma.log'].flatMap((name) =>
    linesOf(join(folder, name)),
  );
}

describe('createLogger', () => {
  it('creates nothing before the first line', () => {
    const { logger, path } = create({ level: 'warn' });
    logger.info('not important');
    logger.close();
    expect(existsSync(path)).toBe(false);
  });

  it('writes a line of JSON at once, to a private file in a private folder', () => {
    const folder = createFolder();
    const { logger, path } = create({
      path: join(folder, 'logs/herma.log'),
      now: () => Date.UTC(2030, 0, 2, 3, 4, 5, 6),
    });
    logger.info('a tool ran', { tool: 'read_file', duration: 1.5, ok: true, nothing: null });
    expect(linesOf(path)).toEqual([
      {
        time: '2030-01-02T03:04:05.006Z',
        level: 'info',
        pid: process.pid,
        message: 'a tool ran',
        tool: 'read_file',
        duration: 1.5,
        ok: true,
        nothing: null,
      },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'logs')).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
    ['silent', []],
  ] as const)('at level %s writes %j', (level, written) => {
    const { logger, path } = create({ level });
    for (const each of ['debug', 'info', 'warn', 'error'] as const) logger[each](each);
    expect(existsSync(path) ? linesOf(path).map((line) => line['message']) : []).toEqual(written);
    expect(logger.status()).toEqual({ written: written.length, dropped: 0, problem: undefined });
  });

  it('adds to a file that is there, closes it to others, and ends a line that was cut short', () => {
    const { logger, path } = create();
    writeFileSync(path, '{"message":"old"}\n{"torn');
    chmodSync(path, 0o644);
    logger.info('new');
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.slice(0, 2)).toEqual(['{"message":"old"}', '{"torn']);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ message: 'new' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('gives fields of a child to each of its lines, and shares the file', () => {
    const { logger, path } = create();
    const child = logger.child({ session: 's1' }).child({ turn: 't1' });
    child.warn('first', { turn: 't2' });
    logger.info('second');
    expect(linesOf(path)).toMatchObject([{ session: 's1', turn: 't2' }, { message: 'second' }]);
    expect(linesOf(path)[1]).not.toHaveProperty('session');
    expect(child.status().written).toBe(2);
  });

  it('goes on after it was closed, any number of times', () => {
    const { logger, path } = create();
    logger.info('first');
    logger.close();
    logger.close();
    logger.info('second');
    expect(linesOf(path)).toHaveLength(2);
  });

  it('keeps what it was given apart from what it says itself', () => {
    const { logger, path } = create();
    logger.info('real', { level: 'error', pid: 0, message: 'false', ['__proto__']: 'x' });
    expect(linesOf(path)).toMatchObject([
      { level: 'info', message: 'real', level_: 'error', pid_: 0, message_: 'false' },
    ]);
  });

  it('writes whatever it is given', () => {
    const { logger, path } = create();
    const circle: Record<string, unknown> = { name: 'circle' };
    circle['self'] = circle;
    const cause = Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' });
    logger.error('all kinds', {
      circle,
      big: 2n ** 70n,
      absent: undefined,
      text: 'a\nb\0c\u2028\ud800',
      date: new Date(0),
      error: new TypeError('broken', { cause }),
      run: () => 1,
    });
    expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(1);
    expect(linesOf(path)).toMatchObject([
      {
        circle: { name: 'circle', self: '[circular]' },
        big: '1180591620717411303424',
        text: 'a\nb\0c\u2028\ud800',
        date: '1970-01-01T00:00:00.000Z',
        error: {
          name: 'TypeError',
          message: 'broken',
          stack: expect.stringContaining('logging.test.ts'),
          cause: { message: 'no route', code: 'EHOSTUNREACH' },
        },
      },
    ]);
  });

  it('writes any JSON back as it was', () => {
    const { logger, path } = create();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (message, value) => {
        logger.info(message, { value });
        const last = linesOf(path).at(-1);
        expect([last?.['message'], JSON.stringify(last?.['value'])]).toEqual([
          message,
          JSON.stringify(value),
        ]);
        rmSync(path);
      }),
      { numRuns: 200 },
    );
  });

  it('cuts what is very long, between words', () => {
    const { logger, path } = create();
    const text = `${'word '.repeat(3190)}secret-${'x'.repeat(5_000_000)}`;
    logger.info(text, { deep: [{ text }] });
    const [line] = linesOf(path);
    expect(String(line?.['message']).length).toBeLessThan(16_100);
    expect(String(line?.['message'])).toMatch(/word … \(5000007 more characters\)$/);
    expect(JSON.stringify(line?.['deep'])).not.toContain('secret');
    logger.info('x'.repeat(5_000_000));
    expect(String(linesOf(path)[1]?.['message']).length).toBeLessThan(16_100);
  });
});

describe('redaction', () => {
  it('sees every part of every line', () => {
    const { logger, path } = create({ redact: (text) => text.replaceAll('hunter2', '[secret]') });
    logger.child({ bound: 'hunter2' }).info('the password is hunter2', {
      hunter2: 'a name',
      list: [{ deep: 'hunter2' }],
      error: new Error('hunter2'),
    });
    expect(readFileSync(path, 'utf8')).not.toContain('hunter2');
    expect(linesOf(path)).toMatchObject([{ bound: '[secret]', message: 'the password is [secret]' }]);
  });

  it('that breaks the line leaves a line that can be read', () => {
    const redact = (text: string): string => text.replaceAll('hunter2', '"\n{');
    const { logger, path } = create({ redact });
    logger.info('the password is hunter2');
    logger.info('next');
    expect(linesOf(path)).toMatchObject([
      { level: 'info', message: expect.stringContaining('the password is "\n{') },
      { message: 'next' },
    ]);
  });

  it('that fails lets nothing through', () => {
    const redact = (text: string): string => {
      throw new Error(`cannot redact ${text}`);
    };
    const { logger, path } = create({ redact });
    logger.info('the password is hunter2', { key: 'hunter2' });
    expect(readFileSync(path, 'utf8')).not.toContain('hunter2');
    expect(linesOf(path)).toMatchObject([{ message: 'a line was withheld: it could not be redacted' }]);
  });
});

describe('a full file', () => {
  it('is set aside under the time, and the newest are kept', () => {
    let nowMs = Date.UTC(2030, 0, 1);
    const { logger, path } = create({ maxBytes: 1000, keep: 2, now: () => nowMs });
    for (let count = 0; count < 100; count += 1) {
      nowMs += 1000;
      logger.info(`line ${count}`);
    }
    const names = readdirSync(join(path, '..'));
    expect(names).toHaveLength(3);
    for (const name of names) {
      expect(name).toMatch(/^herma\.log(\.20300101T\d{9}Z-\d+)?$/);
      expect(statSync(join(path, '..', name)).size).toBeLessThanOrEqual(1000);
      expect(statSync(join(path, '..', name)).mode & 0o777).toBe(0o600);
    }
    const messages = allLinesOf(path).map((line) => line['message']);
    expect(messages).toEqual(
      Array.from({ length: messages.length }, (_, index) => `line ${100 - messages.length + index}`),
    );
  });

  it('never replaces another, in the same millisecond', () => {
    const { logger, path } = create({ maxBytes: 300, keep: 1000, now: () => 0 });
    for (let count = 0; count < 30; count += 1) logger.info(`line ${count}`);
    expect(new Set(allLinesOf(path).map((line) => line['message'])).size).toBe(30);
  });

  it('leaves files of others alone', () => {
    const { logger, path } = create({ maxBytes: 200, keep: 0 });
    for (const name of ['herma.log.old', 'herma.log.20300101', 'other.log'])
      writeFileSync(join(path, '..', name), '');
    for (let count = 0; count < 10; count += 1) logger.info(`line ${count}`);
    expect(readdirSync(join(path, '..')).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'herma.log',
      'herma.log.20300101',
      'herma.log.old',
      'other.log',
    ]);
  });

  it('takes one line that is longer than a file may be', () => {
    const { logger, path } = create({ maxBytes: 100 });
    logger.info('y'.repeat(500));
    expect(linesOf(path)).toHaveLength(1);
  });

  it('loses no line of several processes', async () => {
    const path = join(createFolder(), 'herma.log');
    const program = `import(process.argv[1]).then(({ createLogger }) => {
      const logger = createLogger({ path: process.argv[2], level: 'info', redact: (text) => text, maxBytes: 20_000, keep: 1000 });
      for (let count = 0; count < 400; count += 1) logger.info('line', { count });
      process.exit(logger.status().dropped);
    })`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['-e', program, moduleUrl, path]),
    );
    await Promise.all(children.map((child) => once(child, 'close')));
    expect(children.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    const seen = new Set(allLinesOf(path).map((line) => `${String(line['pid'])}-${String(line['count'])}`));
    expect(seen.size).toBe(1600);
  });

  it('that somebody else renamed or removed is begun anew', () => {
    const { logger, path } = create();
    logger.info('first');
    rmSync(path);
    logger.info('second');
    expect(linesOf(path).map((line) => line['message'])).toEqual(['second']);
  });
});

describe('a log that cannot be written', () => {
  it('is no matter to the caller; it is counted, said once, and said in the log as soon as that works', () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'logs'), 'a file where the folder should be');
    const problems: string[] = [];
    const { logger, path } = create({
      path: join(folder, 'logs/herma.log'),
      onProblem: (message) => problems.push(message),
    });
    for (let count = 0; count < 3; count += 1) logger.info('lost');
    expect(problems).toEqual([`cannot write the log ${path}: a part of the path is not a folder`]);
    expect(logger.status()).toEqual({ written: 0, dropped: 3, problem: problems[0] });
    rmSync(join(folder, 'logs'));
    logger.info('kept');
    expect(linesOf(path)).toMatchObject([
      { level: 'warn', message: '3 lines before this one were lost' },
      { message: 'kept' },
    ]);
    expect(logger.status()).toEqual({ written: 1, dropped: 3, problem: undefined });
    rmSync(join(folder, 'logs'), { recursive: true });
    writeFileSync(join(folder, 'logs'), '');
    logger.info('lost again');
    expect(problems).toHaveLength(2);
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path), 'it is a folder, not a file'],
    ['a full device', () => undefined, 'it is a device, a pipe or a socket, not a file'],
  ])('because it is %s is a problem with that name', (name, prepare, reason) => {
    const path = name === 'a full device' ? '/dev/full' : join(createFolder(), 'herma.log');
    prepare(path);
    const { logger } = create({ path });
    logger.info('lost');
    expect(logger.status().problem).toBe(`cannot write the log ${path}: ${reason}`);
  });

  it('half-way through a line does not spoil the next one', async () => {
    const path = join(createFolder(), 'herma.log');
    // No file may be longer than 4 KB in this process: a line ends in the middle, as on a full disk.
    const program = `import(process.argv[1]).then(({ createLogger }) => {
      const logger = createLogger({ path: process.argv[2], level: 'info', redact: (text) => text });
      logger.info('x'.repeat(3000));
      logger.info('y'.repeat(3000));
      console.log(JSON.stringify(logger.status()));
    })`;
    const child = spawn('bash', [
      '-c',
      'ulimit -f 4; exec "$@"',
      'bash',
      process.execPath,
      '-e',
      program,
      moduleUrl,
      path,
    ]);
    const [output] = (await once(child.stdout, 'data')) as [Buffer];
    expect(JSON.parse(output.toString())).toMatchObject({
      written: 1,
      dropped: 1,
      problem: `cannot write the log ${path}: the file would become larger than allowed`,
    });
    await once(child, 'close');
    expect(statSync(path).size).toBe(4096);
    const { logger } = create({ path });
    logger.info('sound');
    appendFileSync(path, '');
    expect(JSON.parse(readFileSync(path, 'utf8').trim().split('\n').at(-1) ?? '')).toMatchObject({
      message: 'sound',
    });
  });
});
