import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProbeVerdict } from '../../model/probe.ts';
import { checkForeseen } from '../check-foreseen.ts';
import { rowOf } from '../probe-bench.ts';
import { foreseeCommand } from './foresee-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'commands-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const ENVIRONMENT = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};

function bash(command: string, cwd = folder): number | null {
  const env = { ...ENVIRONMENT, HOME: folder };
  return spawnSync('bash', ['--noprofile', '--norc', '-c', command], { cwd, env }).status;
}

function git(...args: readonly string[]): void {
  execFileSync('git', args, { cwd: folder, env: { ...ENVIRONMENT, HOME: folder }, stdio: 'ignore' });
}

/** Files with their own name as content, and folders, which end with a slash. */
function prepare(names: string): void {
  for (const name of names.split(' ').filter((each) => each !== '')) {
    const path = join(folder, name);
    mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!name.endsWith('/')) writeFileSync(path, name);
  }
}

interface Looks {
  readonly before: ProbeVerdict | undefined;
  readonly after: ProbeVerdict | undefined;
  readonly evidence: string;
  readonly status: number | null;
}

/** What is said of a command before it runs, and after it has run. */
async function looksAt(command: string, run = command): Promise<Looks> {
  const foreseen = await foreseeCommand({ command, cwd: folder, home: folder }, signal);
  const row = rowOf({ cwd: folder, foreseen });
  const before = await checkForeseen(row, signal);
  const status = bash(run);
  const after = await checkForeseen(row, signal);
  return { before: before?.verdict, after: after?.verdict, evidence: after?.evidence ?? '', status };
}

describe('a command whose programs are all known', () => {
  it.each([
    ['mkdir', '', 'mkdir new'],
    ['mkdir -p with its parents', '', 'mkdir -pv a/b/c d'],
    ['mkdir -m', '', 'mkdir -m 700 new'],
    ['braces, quotes, home and tilde', '', 'mkdir {x,y}z "a b" ~/t $HOME/u'],
    ['touch', '', 'touch new'],
    ['rm', 'a b', 'rm -f a b'],
    ['rm of a link', '', 'rm link'],
    ['rmdir', 'd/', 'rmdir d'],
    ['cp', 'a', 'cp a b'],
    ['cp over another file', 'a b', 'cp a b'],
    ['cp into a folder', 'a b d/', 'cp a b d'],
    ['mv', 'a', 'mv a b'],
    ['mv of a folder into another', 'd/x e/', 'mv d e'],
    ['mv of a link', '', 'mv link other'],
    ['ln', 'a', 'ln a b'],
    ['ln -s', '', 'ln -s nowhere l'],
    ['ln -s into a folder', 'd/', 'ln -s ../nowhere d'],
    ['echo into a file', '', 'echo  hello "big  world" > f'],
    ['echo at the end of a file', 'f', 'echo more >> f'],
    ['printf', '', 'printf abc >f 2>&1 || true'],
    ['a here-document', 'f', "cat > f <<'EOF'\nline $x\n\nmore\nEOF\n"],
    ['a here-document with tabs removed', '', 'cat <<-E >f\n\tline\n\tE\n'],
    ['a here-string', '', 'cat <<< text > f'],
    ['several joined, with cd', '', 'mkdir -p a && cd a && touch b; mkdir c && ls -la | wc -l'],
    ['one using what another leaves', 'a', 'mkdir d && cp a d && mv d/a d/b && ln -s b d/c'],
    ['what is in a folder that is moved', 'a d/x', 'touch d/n && mv d e'],
    ['what is undone again', 'a', 'touch t && rm t && mv a b'],
    ['an absolute program', '', '/bin/mkdir new'],
    ['a variable for the program', '', 'LC_ALL=C mkdir new'],
    ['a closing word', '', 'mkdir new; echo "done $?"'],
    ['an exported variable', '', 'export X=1 && set -e; mkdir new'],
    ['/dev/null', '', 'mkdir new > /dev/null 2>&1'],
  ])('is NOT_LANDED before and LANDED after: %s', async (_, names, command) => {
    prepare(names);
    symlinkSync('target', join(folder, 'link'));
    const looks = await looksAt(command);
    expect(looks).toMatchObject({ before: 'NOT_LANDED', after: 'LANDED', status: 0 });
  });

  it('is LANDED from the start when it leaves what is there', async () => {
    prepare('d/ a');
    expect(await looksAt('mkdir -p d && rm -f gone')).toMatchObject({ before: 'LANDED', after: 'LANDED' });
  });

  it('is PARTIAL when it got half-way', async () => {
    prepare('a');
    const looks = await looksAt('mv a b && mkdir d', 'mv a b');
    expect(looks).toMatchObject({ after: 'PARTIAL' });
    expect(looks.evidence).toBe('as it was to become: b, a (not there); still as before: d (not there)');
  });

  it('is UNKNOWN when something else came of it', async () => {
    prepare('a');
    expect(await looksAt('cp a b', 'echo other > b')).toMatchObject({
      before: 'NOT_LANDED',
      after: 'UNKNOWN',
    });
  });
});

describe('a command of which only a part is known', () => {
  it.each([
    ['behind a program nobody knows', 'mkdir new && ./deploy.sh', 'mkdir new', 'UNKNOWN', 'PARTIAL'],
    ['before it', './deploy.sh; mkdir new', 'true', 'UNKNOWN', 'UNKNOWN'],
    ['in the background', 'mkdir new; ./serve &', 'mkdir new', 'UNKNOWN', 'PARTIAL'],
    ['in a loop', 'mkdir new; for i in 1 2; do touch $i; done', 'mkdir new', 'UNKNOWN', 'PARTIAL'],
    ['in a substitution', 'mkdir new; echo $(touch x)', 'mkdir new', 'UNKNOWN', 'PARTIAL'],
    ['in an assignment', 'mkdir new; x=$(touch x)', 'mkdir new', 'UNKNOWN', 'PARTIAL'],
    ['behind ||', 'mkdir new || touch failed', 'mkdir new', 'UNKNOWN', 'PARTIAL'],
    ['with a word nobody knows', 'mkdir new; rm $x', 'mkdir new', 'UNKNOWN', 'PARTIAL'],
    ['with an option nobody knows', 'mkdir new; cp -Z a b', 'mkdir new', 'UNKNOWN', 'PARTIAL'],
  ] as const)('is never LANDED nor NOT_LANDED: %s', async (_, command, run, before, after) => {
    prepare('a');
    const looks = await looksAt(command, run);
    expect(looks).toMatchObject({ before, after });
    expect(looks.evidence).toContain('cannot be checked: the rest of the call');
  });

  it.each([
    'if true; then mkdir a; fi',
    'mkdir() { rm -rf x; }; mkdir a',
    'PATH=/tmp/evil mkdir a',
    'PATH=/tmp/evil; mkdir a',
    'exit 0; mkdir a',
    'exec true; mkdir a',
    'cd nowhere; mkdir a',
    'cd $x && mkdir a',
    '$x; mkdir a',
    'export PATH=/tmp/evil; mkdir a',
    'export $x; mkdir a',
    'true || cd d; mkdir a',
    'false || { cd d; }; mkdir a',
    'set -n; mkdir a',
    '(exit 1); { cd d; }; mkdir a',
    'mkdir a*',
    'mkdir $(date)',
    'sudo mkdir a',
    'eval mkdir a',
    'npm run build',
    'mkdir "unclosed',
    'echo x > $f',
    'cp missing a',
    'mkdir missing/a',
    '',
  ])('foresees nothing of %j', async (command) => {
    expect(await foreseeCommand({ command, cwd: folder, home: folder }, signal)).toEqual({ files: [] });
  });

  it('says that a file is being written, not that it is finished', async () => {
    prepare('old');
    expect(await looksAt('seq 3 > new')).toMatchObject({ before: 'NOT_LANDED', after: 'PARTIAL' });
    expect(await looksAt('seq 3 >> old')).toMatchObject({ before: 'NOT_LANDED', after: 'PARTIAL' });
  });

  it('does not take a copied folder that is there for a whole one', async () => {
    prepare('d/x');
    expect(await looksAt('cp -r d e')).toMatchObject({ before: 'NOT_LANDED', after: 'PARTIAL' });
  });

  it('does not take a folder that is still there for an untouched one', async () => {
    prepare('d/x d/y');
    expect(await looksAt('rm -rf d', 'rm d/x')).toMatchObject({ before: 'UNKNOWN', after: 'UNKNOWN' });
    expect(await looksAt('cp d/y d/n && rm -rf d')).toMatchObject({ before: 'UNKNOWN', after: 'LANDED' });
  });

  it('says nothing about a folder that is removed and made again', async () => {
    prepare('build/x');
    expect((await looksAt('rm -rf build && mkdir build')).after).toBeUndefined();
  });
});

describe('git', () => {
  beforeEach(() => {
    git('init', '-q', '-b', 'main');
    prepare('a');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    prepare('b');
  });

  it.each([
    ['a commit', 'git add -A && git commit -q -m "second one"'],
    ['a commit elsewhere', 'mkdir sub && git add . && git -C sub commit -q --allow-empty -m x'],
    ['a branch', 'git branch topic'],
    [
      'a branch with a slash, and a commit on it',
      'git checkout -q -b fix/1 && git add . && git commit -qm x',
    ],
    ['a branch by switch', 'git switch -c topic'],
    ['a new repository', 'git init -q -b main inner'],
    ['a clone', 'git clone -q . copy'],
    ['a clone with a name of its own', 'mkdir up && git clone -q --depth 1 "file://$HOME" up/copy'],
  ])('is NOT_LANDED before and LANDED after: %s', async (_, command) => {
    prepare(command.includes('-C sub') ? 'sub/x' : '');
    const text = command.replace('mkdir sub && ', '');
    expect(await looksAt(text)).toMatchObject({ before: 'NOT_LANDED', after: 'LANDED', status: 0 });
  });

  it('is LANDED for the first commit of all', async () => {
    git('checkout', '-q', '--orphan', 'fresh');
    expect(await looksAt('git commit -q -m first')).toMatchObject({ before: 'NOT_LANDED', after: 'LANDED' });
  });

  it('finds a commit in another working tree, and a branch that was packed', async () => {
    git('worktree', 'add', '-q', '-b', 'side', 'tree');
    prepare('tree/new');
    const commands = 'cd tree && git add . && git commit -q -m x && git branch side2';
    expect(await looksAt(commands, `${commands} && git pack-refs --all`)).toMatchObject({
      before: 'NOT_LANDED',
      after: 'LANDED',
      status: 0,
    });
  });

  it('is UNKNOWN when HEAD went elsewhere without a commit', async () => {
    git('branch', 'other');
    git('commit', '-q', '--allow-empty', '-m', 'second');
    const looks = await looksAt('git add . && git commit -q -m third', 'git reset -q --hard HEAD~1');
    expect(looks).toMatchObject({ before: 'NOT_LANDED', after: 'UNKNOWN' });
    expect(looks.evidence).toMatch(
      /^neither as before nor as it was to become: HEAD of .* \([0-9a-f]{10} to [0-9a-f]{10}\)$/,
    );
  });

  it('is PARTIAL for a clone that was cut off', async () => {
    const looks = await looksAt('git clone -q . copy', 'git clone -q -n . copy && rm -f copy/.git/index');
    expect(looks).toMatchObject({ before: 'NOT_LANDED', after: 'PARTIAL' });
  });

  it.each([
    'git push',
    'git commit --dry-run',
    'git branch main',
    'git branch -D main',
    'git checkout main',
    'git reset --hard',
  ])('foresees nothing of %j', async (command) => {
    expect(await foreseeCommand({ command, cwd: folder, home: folder }, signal)).toEqual({ files: [] });
  });

  it('leaves the repository as it is, and runs nothing it is configured to run', async () => {
    git('config', 'core.fsmonitor', 'touch spied; false');
    git('config', 'alias.commit', '!touch spied');
    const before = readdirSync(join(folder, '.git')).sort();
    await foreseeCommand({ command: 'git add -A && git commit -m x', cwd: folder, home: folder }, signal);
    expect(readdirSync(join(folder, '.git')).sort()).toEqual(before);
    expect(existsSync(join(folder, 'spied'))).toBe(false);
  });
});

describe('any sequence of known programs that bash runs without an error', () => {
  const name = fc.constantFrom('a', 'b', 'd', 'd/x', 'n', 'd/n', 'n/x');
  const program = fc.oneof(
    fc.tuple(
      fc.constantFrom('mkdir', 'mkdir -p', 'touch', 'rm -f', 'rm -r', 'rmdir', 'echo x >', 'echo y >>'),
      name,
    ),
    fc.tuple(fc.constantFrom('cp', 'cp -r', 'mv', 'ln', 'ln -s'), name, name),
  );
  const script = fc
    .array(program, { minLength: 1, maxLength: 4 })
    .map((programs) => programs.map((words) => words.join(' ')).join(' && '));

  it('is neither NOT_LANDED after it, nor anything but LANDED where nothing about it is unknown', async () => {
    let landed = 0;
    await fc.assert(
      fc.asyncProperty(script, async (command) => {
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
        prepare('a b d/x');
        const foreseen = await foreseeCommand({ command, cwd: folder, home: folder }, signal);
        const row = rowOf({ cwd: folder, foreseen });
        if (bash(command) !== 0) return;
        const after = await checkForeseen(row, signal);
        const isWhole = foreseen.files.every(({ after: fact }) => fact !== undefined);
        if (after !== undefined) expect(after.verdict).not.toBe('NOT_LANDED');
        if (after !== undefined && isWhole) expect(after.verdict).toBe('LANDED');
        if (after?.verdict === 'LANDED') landed += 1;
      }),
      { numRuns: 250 },
    );
    expect(landed).toBeGreaterThan(20);
  });
});
