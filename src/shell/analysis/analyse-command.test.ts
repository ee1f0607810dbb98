import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyseCommand } from './analyse-command.ts';
import { COMMAND_CLASSES, type CommandClass, type CommandPlace } from './command-analysis.ts';
import { USUAL_VERDICTS } from './usual-verdicts.ts';

const PLACE: CommandPlace = {
  cwd: '/home/u/proj',
  home: '/home/u',
  workspace: '/home/u/proj',
  hermaHome: '/home/u/.herma',
};
const ORDER = ['allow', 'ask', 'block'] as const;

function classesOf(command: string, place: Partial<CommandPlace> = {}): CommandClass[] {
  return [
    ...new Set(analyseCommand(command, { ...PLACE, ...place }).findings.map((finding) => finding.class)),
  ];
}

function verdictOf(classes: readonly CommandClass[]): string {
  return ORDER[Math.max(0, ...classes.map((each) => ORDER.indexOf(USUAL_VERDICTS[each])))] ?? '';
}

function rowsOf(file: string): string[][] {
  return readFileSync(new URL(`./fixtures/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replaceAll('␊', '\n').replaceAll('<U+202E>', '\u202e').split('\t'));
}

function everyday(): string[] {
  const text = readFileSync(new URL('./fixtures/everyday.txt', import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [line.replaceAll('␊', '\n')]));
}

describe('corpus', () => {
  it.each(rowsOf('policy.tsv').map(([id, verdict, kind, ...rest]) => [id, verdict, kind, rest.join('\t')]))(
    '%s is %s (%s): %s',
    (_id, verdict, _kind, command) => {
      expect(verdictOf(classesOf(command))).toBe(verdict);
    },
  );

  it('gives the classes that the corpus names, but for what it judges in two ways', () => {
    // For these the corpus has a class of another verdict.
    const split = new Set(['R155', 'R149', 'R150', 'R173', 'R162']);
    const wrong = rowsOf('policy.tsv').filter(([id = '', , kind, ...rest]) => {
      const named = COMMAND_CLASSES.find((each) => each === kind);
      return named !== undefined && !split.has(id) && !classesOf(rest.join('\t')).includes(named);
    });
    expect(wrong.map(([id]) => id)).toEqual([]);
  });
});

describe('pairs of a danger and what only looks like it', () => {
  it.each(
    [...rowsOf('pairs.tsv'), ...rowsOf('spellings.tsv')].map(([verdict, kind, ...rest]) => [
      verdict,
      kind,
      rest.join('\t'),
    ]),
  )('%s (%s): %s', (verdict, kind, command) => {
    const classes = classesOf(command);
    expect(verdictOf(classes)).toBe(verdict);
    if (kind === '-') expect(classes).toEqual([]);
    else expect(classes).toContain(kind);
  });
});

describe('everyday commands', () => {
  it.each(everyday())('nothing is found in %s', (command) => {
    expect(classesOf(command).filter((each) => each !== 'install')).toEqual([]);
  });
});

describe('what is known of a command', () => {
  it('programs are named behind their wrappers, in order, words that are not known left out', () => {
    const { programs } = analyseCommand(
      'sudo env A=1 /usr/bin/git status; x=ls; $x "$y" | wc -l; $z a',
      PLACE,
    );
    expect(programs).toEqual([
      { argv: ['git', 'status'] },
      { argv: ['ls', undefined] },
      { argv: ['wc', '-l'] },
      { argv: [undefined, 'a'] },
    ]);
  });

  it('at most 500 programs are listed', () => {
    expect(analyseCommand('ls;'.repeat(800), PLACE).programs).toHaveLength(500);
  });

  it('files that are read and written are absolute, those of redirections too', () => {
    const { reads, writes } = analyseCommand(
      'cd src && cat a ../b < ~/c > out 2>> /var/log/x; cp d e',
      PLACE,
    );
    expect(reads).toEqual(
      expect.arrayContaining(['/home/u/proj/src/a', '/home/u/proj/b', '/home/u/c', '/home/u/proj/src/d']),
    );
    expect(writes).toEqual(
      expect.arrayContaining(['/home/u/proj/src/out', '/var/log/x', '/home/u/proj/src/e']),
    );
  });

  it('downloads, hosts and what is run are told', () => {
    const answer = analyseCommand(
      'curl -so /tmp/i.sh https://USER@Example.com:8443/i.sh; wget http://a.example/b.bin; sh ./run.sh',
      PLACE,
    );
    expect(answer.downloads).toEqual(['/tmp/i.sh', '/home/u/proj/b.bin']);
    expect(answer.hosts).toEqual(['example.com', 'a.example']);
    expect(answer.runs).toEqual(['/home/u/proj/run.sh']);
    expect(answer.sends).toBe(false);
    expect(analyseCommand('curl -T a https://example.com', PLACE).sends).toBe(true);
    expect(analyseCommand('git push', PLACE).sends).toBe(true);
  });

  it('findings come in the order of their weight and carry where they lead', () => {
    const { findings } = analyseCommand('git reset --hard; cat ~/.ssh/id_rsa; rm -rf ~', PLACE);
    expect(findings.map((finding) => finding.class)).toEqual(['delete-home', 'cred-read', 'vcs-destructive']);
    expect(findings[0]?.targets).toEqual(['/home/u']);
    expect(findings[0]?.evidence).toBe('rm -rf /home/u');
    expect(
      analyseCommand(`rm -rf / ${'a'.repeat(1000)}`, PLACE).findings[0]?.evidence.length,
    ).toBeLessThanOrEqual(200);
  });

  it('the same finding is told once', () => {
    expect(analyseCommand('rm -rf /; rm -rf /; bash -c "rm -rf /"', PLACE).findings).toHaveLength(1);
  });

  it('code and data are told apart', () => {
    const { code, data } = analyseCommand(
      `git commit -m "rm -rf / is bad" # curl | sh\ncat <<'E'\nmkfs now\nE\nsh -c 'ls -la'`,
      PLACE,
    );
    expect(code).toContain('ls -la');
    expect(code).not.toContain('rm -rf');
    expect(data).toContain('rm -rf / is bad');
    expect(data).toContain('curl | sh');
    expect(data).toContain('mkfs now');
    expect(data).not.toContain('ls -la');
  });
});

describe('links', () => {
  const realPath = (path: string): string =>
    path
      .replace(/^\/home\/u\/proj\/link(?=\/|$)/, '/home/u')
      .replace(/^\/home\/u\/proj\/etc(?=\/|$)/, '/etc');

  it('what is removed behind a link counts, the link itself does not', () => {
    expect(classesOf('rm -rf link/', { realPath })).toEqual(['delete-home']);
    expect(classesOf('rm -rf link', { realPath })).toEqual([]);
    expect(classesOf('rm -rf link/..', { realPath })).toContain('delete-system');
    expect(classesOf('rm -rf dir/..', { realPath })).toEqual(['delete-workspace']);
    expect(classesOf('cd link && rm -rf *', { realPath })).toContain('delete-home');
    expect(classesOf('rm -rf link/*', { realPath })).toContain('delete-home');
    expect(classesOf('cat link/.ss?/id_rsa', { realPath })).toEqual(['cred-read']);
  });

  it('a file of credentials is recognised behind a link', () => {
    expect(classesOf('cat link/.ssh/id_rsa', { realPath })).toEqual(['cred-read']);
    expect(classesOf('cat etc/shadow', { realPath })).toEqual(['cred-read']);
  });

  it('a write behind a link is one where the link leads', () => {
    expect(classesOf('echo x >> link/.bashrc', { realPath })).toEqual(['startup']);
    expect(analyseCommand('echo x > link/a', { ...PLACE, realPath }).writes).toEqual(['/home/u/a']);
  });
});

describe('scripts of the workspace', () => {
  const withScripts = (
    scripts: Readonly<Record<string, string>>,
  ): { readonly place: CommandPlace; readonly read: string[] } => {
    const read: string[] = [];
    const all = new Map(Object.entries(scripts));
    const readScript = (path: string): string | undefined => {
      read.push(path);
      return all.get(path);
    };
    return { place: { ...PLACE, readScript }, read };
  };

  it.each([
    'sh x.sh',
    './x.sh',
    '. ./x.sh',
    'bash < x.sh',
    'cat x.sh | sh',
    'sudo bash -e x.sh',
    'bash x.sh -n',
  ])('%s is what the script does', (command) => {
    const { place } = withScripts({ '/home/u/proj/x.sh': 'cd /\nrm -rf *' });
    const { findings, runs } = analyseCommand(command, place);
    expect(findings.map((finding) => finding.class)).toContain('delete-root');
    expect(runs).toEqual(['/home/u/proj/x.sh']);
  });

  it('a script gets its arguments', () => {
    const { place } = withScripts({ '/home/u/proj/x.sh': 'rm -rf "$1"' });
    expect(analyseCommand('./x.sh dist', place).findings).toEqual([]);
    expect(analyseCommand('./x.sh /', place).findings[0]?.class).toBe('delete-root');
  });

  it('each is read once, and none outside', () => {
    const { place, read } = withScripts({ '/home/u/proj/x.sh': './y.sh; ./x.sh', '/home/u/proj/y.sh': 'ls' });
    analyseCommand('./x.sh; ./x.sh; sh /opt/z.sh', place);
    expect(read).toEqual(['/home/u/proj/x.sh', '/home/u/proj/y.sh']);
  });

  it('programs of other languages are no disaster because they run commands', () => {
    const { place } = withScripts({
      '/home/u/proj/a.py': 'import subprocess\nsubprocess.run(["ls"])\nshutil.rmtree(path)',
      '/home/u/proj/b.py': 'import shutil\nshutil.rmtree("/")',
      '/home/u/proj/c': '#!/usr/bin/env python3\nimport os\nos.system("rm -rf /")',
    });
    expect(analyseCommand('python3 a.py', place).findings).toEqual([]);
    expect(analyseCommand('python3 b.py', place).findings[0]?.class).toBe('delete-root');
    expect(analyseCommand('./c', place).findings[0]?.class).toBe('delete-root');
  });

  it('a script that is not there is nothing, one that is not understood is said to be', () => {
    const { place } = withScripts({ '/home/u/proj/x.sh': 'if true; then' });
    expect(analyseCommand('sh gone.sh', place).findings).toEqual([]);
    expect(analyseCommand('sh x.sh', place).problem).toBe('syntax');
  });
});

describe('places', () => {
  it('a workspace elsewhere moves what is inside', () => {
    expect(classesOf('rm -rf /srv/app/dist', { cwd: '/srv/app', workspace: '/srv/app' })).toEqual([]);
    expect(classesOf('rm -rf dist', { cwd: '/srv/app', workspace: '/home/u/proj' })).toEqual([
      'delete-outside',
    ]);
    expect(classesOf('rm -rf dist', { cwd: '/usr/src/app', workspace: '/usr/src/app' })).toEqual([]);
  });

  it('a home or a root that is worked in protects nothing below it', () => {
    expect(classesOf('rm -rf Documents', { cwd: '/home/u', workspace: '/home/u' })).toEqual([
      'delete-outside',
    ]);
    expect(classesOf('rm -rf srv/x', { cwd: '/', workspace: '/' })).toEqual(['delete-outside']);
    expect(classesOf('rm -rf .', { cwd: '/home/u', workspace: '/home/u' })).toEqual(['delete-home']);
  });

  it('homes of others and of root are homes', () => {
    expect(classesOf('rm -rf /root')).toEqual(['delete-home']);
    expect(classesOf('rm -rf ~other')).toEqual(['delete-home']);
    expect(classesOf('rm -rf ~root/')).toEqual(['delete-home']);
  });
});

describe('limits', () => {
  it('more than 32 KB are not judged as a whole', () => {
    const { problem, findings } = analyseCommand(`echo ${'a'.repeat(33_000)}`, PLACE);
    expect(problem).toBe('too_long');
    expect(findings.map((finding) => finding.class)).toEqual(['not-understood']);
  });

  it('a here-document of 32 KB is', () => {
    const text = `cat > notes.md <<'E'\n${'rm -rf / is dangerous\n'.repeat(1400)}E\n`;
    const { problem, findings } = analyseCommand(text, PLACE);
    expect(problem).toBeUndefined();
    expect(findings).toEqual([]);
  });

  it('shells in shells are followed eight times', () => {
    const nest = (times: number): string =>
      Array.from({ length: times }).reduce<string>((inner) => `eval ${JSON.stringify(inner)}`, 'rm -rf /');
    expect(classesOf(nest(7))).toContain('delete-root');
    expect(analyseCommand('eval '.repeat(50) + 'ls', PLACE).problem).toBe('too_deep');
    expect(analyseCommand(`${'sudo '.repeat(500)}ls`, PLACE).problem).toBe('too_deep');
  });

  it('nesting of every kind at once gets an answer', () => {
    const nested = (inner: string): string => `${'('.repeat(40)}${inner}${'\n)'.repeat(40)}`;
    const functions = Array.from({ length: 8 }, (_, index) => `f${index}() { ${nested(`f${index + 1}`)}; }`);
    const { problem } = analyseCommand(`${functions.join('\n')}\nf8() { ${nested('eval f9')}; }\nf0`, PLACE);
    expect(problem === undefined || problem === 'too_deep').toBe(true);
  });

  it('what a program nobody knows would run is not counted as run', () => {
    const { findings, programs } = analyseCommand("frobnicate bash -c 'rm -rf /'", PLACE);
    expect(findings.map((finding) => finding.class)).toEqual(['unknown-wrapper']);
    expect(programs).toHaveLength(1);
  });

  // Each of them is a way to make some step of the analysis take its square or worse.
  it.each([
    [
      'assignments and subshells',
      `${Array.from({ length: 1500 }, (_, index) => `a${index}=1;`).join('')}${'(:);'.repeat(4000)}`,
    ],
    [
      'functions that call two others',
      `${Array.from({ length: 500 }, (_, index) => `f${index}(){ f${index + 1};f${index + 1}; };`).join('')}f0`,
    ],
    ['loops in loops', `${'for i in 1 2 3 4 5 6 7 8;do '.repeat(60)}:${';done'.repeat(60)}`],
    ['texts that double', `a=x;${'a=$a$a;'.repeat(4000)}`],
    ['texts that grow', `a=${'x'.repeat(20_000)};${'echo $a>>f;'.repeat(1100)}`],
    ['stars', `cat ${'*/'.repeat(1000)} ${'~/*a*a*a*a*b '.repeat(2000)}`],
    ['one name of stars', `rm -rf ${'*a'.repeat(15_000)}`],
    ['braces', `echo ${'{a,b}'.repeat(200)}`],
    ['rewritten texts', `a=${'x'.repeat(500)};${'${a%*y};'.repeat(4000)}`],
    ['changes of directory', 'cd a;'.repeat(6000)],
    ['code of an interpreter', `python3 -c "${'exec(open(socket '.repeat(2000)}"`],
    ['code of awk', `awk '${'print "a" '.repeat(3200)}'`],
    ['code of sed', `sed '${'s/a/b/;'.repeat(4500)}'`],
  ])('%s end', (_name, command) => {
    const { findings, programs } = analyseCommand(command.slice(0, 32_768), PLACE);
    expect(findings.length).toBeLessThanOrEqual(200);
    expect(programs.length).toBeLessThanOrEqual(500);
  });

  it('characters that cannot be seen are a problem, emoji are not', () => {
    for (const letter of ['\u200b', '\u202e', '\u2066', '\ufeff', '\u001b', '\u{e0041}'])
      expect(analyseCommand(`echo a${letter}b`, PLACE).problem).toBe('hidden_characters');
    expect(analyseCommand('echo "👨‍👩‍👧 🏳️‍🌈 日本語 é"', PLACE).problem).toBeUndefined();
    expect(classesOf('rm -rf /; echo \u200b')).toEqual(['delete-root', 'not-understood']);
  });

  it('what is not closed is a problem, within texts that are run too', () => {
    for (const command of ['echo "a', "sh -c 'echo \"a'", 'if true', 'eval "("', 'echo $(', 'a\r\nb'])
      expect(analyseCommand(command, PLACE).problem).toBe('syntax');
  });
});

describe('verdicts', () => {
  it('every class has one', () => {
    expect(Object.keys(USUAL_VERDICTS).toSorted()).toEqual([...COMMAND_CLASSES].toSorted());
  });
});
