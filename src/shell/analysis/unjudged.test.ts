import { describe, expect, it } from 'vitest';
import { analyseCommand } from './analyse-command.ts';
import type { CommandPlace } from './command-analysis.ts';

const PLACE: CommandPlace = {
  cwd: '/home/u/proj',
  home: '/home/u',
  workspace: '/home/u/proj',
  hermaHome: '/home/u/.herma',
};

const DISASTERS = [
  ['delete-root', 'rm -rf /'],
  ['delete-home', 'sudo rm -rf ~'],
  ['device', 'dd if=/dev/zero of=/dev/sda'],
  ['device', 'echo x > /dev/sda'],
  ['delete-root', 'bash -c "rm -rf /"'],
  ['delete-root', 'cd / && rm -rf *'],
  ['delete-root', 'echo $(rm -rf /)'],
  ['delete-root', 'find / -delete'],
  ['power', 'sudo poweroff'],
  ['delete-root', '(rm -rf /)'],
  ['delete-root', 'if true; then rm -rf /; fi'],
  ['delete-root', 'eval "rm -rf /"'],
  ['device', 'mkfs.ext4 /dev/sda1'],
  ['delete-root', 'ls | xargs rm -rf /'],
  ['kill-all', 'kill -9 -1'],
  ['delete-home', 'mv ~ /tmp/x'],
] as const;
const FUNCTIONS = Array.from({ length: 500 }, (_, at) => `f${at}(){ f${at + 1};f${at + 1}; };`).join('');
const LOOPS = `${'for i in 1 2 3 4 5 6 7 8;do '.repeat(60)}:${';done'.repeat(60)}`;

/** Why it cannot be judged as a whole, and a disaster in it. */
const SETTINGS: readonly (readonly [string, string, (disaster: string) => string])[] = [
  ['a long comment behind it', 'too_long', (disaster) => `${disaster} # ${'x'.repeat(40_000)}`],
  ['a long word before it', 'too_long', (disaster) => `echo ${'x'.repeat(40_000)}; ${disaster}`],
  ['many words before it', 'too_long', (disaster) => `echo ${'x y '.repeat(25_000)}; ${disaster}`],
  ['10,000 commands before it', 'too_long', (disaster) => `${'ls;'.repeat(10_000)}${disaster}`],
  ['30,000 commands before it', 'too_long', (disaster) => `${'ls;'.repeat(30_000)}${disaster}`],
  ['3,000 wrapped commands before it', 'too_long', (disaster) => `${'sudo ls;'.repeat(3000)}${disaster}`],
  [
    'a long here-document before it',
    'too_long',
    (disaster) => `cat > x <<'E'\n${'rm x\n'.repeat(12_000)}E\n${disaster}`,
  ],
  ['in a group behind many commands', 'too_long', (disaster) => `${'ls;'.repeat(5000)}{ ls; ${disaster}; }`],
  [
    'in a function behind many commands',
    'too_long',
    (disaster) => `${'ls;'.repeat(5000)}f(){ ${disaster}; }; f`,
  ],
  ['functions that call two others before it', 'too_deep', (disaster) => `${FUNCTIONS}f0; ${disaster}`],
  ['loops in loops before it', 'syntax', (disaster) => `${LOOPS}\n${disaster}`],
  ['a quote that is not closed behind it', 'syntax', (disaster) => `${disaster}\necho "x`],
  ['an if that is not closed behind it', 'syntax', (disaster) => `${disaster}\nif true; then\n`],
  ['a bracket too many behind it', 'syntax', (disaster) => `${disaster}\n)`],
  [
    '20 KB before it and a mistake behind it',
    'syntax',
    (disaster) => `${'ls\n'.repeat(7000)}${disaster}\necho "x`,
  ],
  [
    'brackets that the parser gives up on',
    'syntax',
    (disaster) => `${'('.repeat(300)}:${')'.repeat(300)}; ${disaster}`,
  ],
  ['code in code before it', 'too_deep', (disaster) => `${'eval '.repeat(50)}ls; ${disaster}`],
  ['wrappers in wrappers before it', 'too_deep', (disaster) => `${'sudo '.repeat(500)}ls; ${disaster}`],
  ['characters that cannot be seen behind it', 'hidden_characters', (disaster) => `${disaster}; echo \u200b`],
];

describe('what cannot be judged as a whole', () => {
  it.each(SETTINGS)('a disaster is seen all the same: %s', (_name, problem, around) => {
    for (const [found, disaster] of DISASTERS) {
      const answer = analyseCommand(around(disaster), PLACE);
      expect(answer.problem, disaster).toBe(problem);
      expect(
        answer.findings.map((finding) => finding.class),
        disaster,
      ).toContain(found);
    }
  });

  it.each(SETTINGS)('what only mentions one is none: %s', (_name, _problem, around) => {
    for (const text of [
      "echo 'rm -rf /'",
      'grep "dd of=/dev/sda" a',
      'git commit -m "kill -9 -1; rm -rf ~"',
    ]) {
      const { findings } = analyseCommand(around(text), PLACE);
      expect(findings.map((finding) => finding.class)).toEqual(['not-understood']);
    }
  });

  it('a mistake ends what runs: what stands behind it does not', () => {
    const { findings } = analyseCommand('ls\n)\nrm -rf /', PLACE);
    expect(findings.map((finding) => finding.class)).toEqual(['not-understood']);
  });

  it('a here-document without its end is data', () => {
    const { findings } = analyseCommand('cat > notes <<E\nrm -rf /\n', PLACE);
    expect(findings.map((finding) => finding.class)).toEqual(['not-understood']);
  });

  it('there is an end to it: of many that may be one, the first are looked at', () => {
    const read: string[] = [];
    const realPath = (path: string): string => {
      read.push(path);
      return path;
    };
    analyseCommand('rm -f a/b;'.repeat(13_000), { ...PLACE, realPath });
    expect(read.length).toBeLessThan(3000);
  });
});
