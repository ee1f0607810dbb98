import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Scene } from '../support/scene.ts';
import { readPage } from './markdown.ts';
import { isInstalled, root } from './program.ts';

const FOLDER = join(root, 'docs/examples/hooks');

/** What `herma hooks test` says the gate would do. */
type GateAnswer = Readonly<Record<string, unknown>>;

interface Example {
  readonly event: string;
  /** What it runs with; without it the test is left out. */
  readonly needs: string;
  /** Fields of an event that is its business, and what comes of them. */
  readonly positive: Case;
  /** Fields of an event that is none of its business. */
  readonly negative: Case;
}

interface Case {
  readonly fields: object;
  readonly prepare?: (scene: Scene) => void;
  readonly answer?: GateAnswer;
  readonly check?: (scene: Scene) => void;
}

const ALLOWED: GateAnswer = { decision: 'allow' };
const blocked = (message: string): GateAnswer => ({ decision: 'block', message });
const command = (text: string): object => ({ tool_name: 'terminal', args: { command: text } });
const write = (path: string, content = 'hello\n'): object => ({
  tool_name: 'write_file',
  args: { path, content },
});

/** A program that stands in for one of the same name, which may not be installed. */
function standIn(scene: Scene, name: string, script: string): void {
  const path = join(scene.home, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

function checkOut(branch: string): (scene: Scene) => void {
  return ({ project }) => {
    expect(spawnSync('git', ['init', '-q', '-b', branch, project]).status).toBe(0);
  };
}

const inHome = (scene: Scene, name: string): string | undefined => {
  const path = join(scene.home, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};

const EXAMPLES: Readonly<Record<string, Example>> = {
  'block-rm-rf.sh': {
    event: 'pre_tool_call',
    needs: 'jq',
    positive: { fields: command('rm -rf /'), answer: blocked('rm -rf / is not run here.') },
    negative: { fields: command('rm -rf build') },
  },
  'block-env-read.py': {
    event: 'pre_tool_call',
    needs: 'python3',
    positive: { fields: command('cat .env'), answer: blocked('Reading .env files is not allowed.') },
    negative: { fields: command('cat environment') },
  },
  'protect-paths.py': {
    event: 'pre_tool_call',
    needs: 'python3',
    positive: {
      fields: write('link/hooks/pre-commit'),
      prepare: (scene) => symlinkSync('.git', scene.path('link')),
      answer: blocked('.git/hooks/pre-commit is protected.'),
    },
    negative: { fields: write('src/.github') },
  },
  'scan-secrets.mjs': {
    event: 'pre_tool_call',
    needs: 'node',
    positive: {
      fields: write('a.txt', `key = "AKIA${'A'.repeat(16)}"\n`),
      answer: blocked('The text holds an AWS access key; read it from the environment instead.'),
    },
    negative: { fields: write('a.txt', 'key = process.env.KEY\n') },
  },
  'npm-ignore-scripts.mjs': {
    event: 'pre_tool_call',
    needs: 'node',
    positive: {
      fields: { tool_name: 'terminal', args: { command: 'cd a && npm ci', timeout: 9 } },
      answer: { decision: 'modify', args: { command: 'cd a && npm ci --ignore-scripts', timeout: 9 } },
    },
    negative: { fields: command('npm install --ignore-scripts left-pad') },
  },
  'guard-main-branch.sh': {
    event: 'pre_tool_call',
    needs: 'jq',
    positive: {
      fields: command('git commit -m x'),
      prepare: checkOut('main'),
      answer: blocked('main is checked out; make a branch first.'),
    },
    negative: { fields: command('git commit -m x'), prepare: checkOut('feature') },
  },
  'ask-before-deploy.sh': {
    event: 'pre_tool_call',
    needs: 'jq',
    positive: {
      fields: command('terraform apply -auto-approve'),
      answer: { decision: 'ask', message: 'This deploys.' },
    },
    negative: { fields: command('terraform plan') },
  },
  'format-after-write.sh': {
    event: 'post_tool_call',
    needs: 'jq',
    positive: {
      fields: write('a.py'),
      prepare: (scene) => {
        writeFileSync(scene.path('a.py'), 'x=1\n');
        standIn(scene, 'ruff', 'for path; do :; done; echo "x = 1" > "$path"');
      },
      check: (scene) => expect(scene.read('a.py')).toBe('x = 1\n'),
    },
    negative: {
      fields: write('a.txt'),
      prepare: (scene) => {
        writeFileSync(scene.path('a.txt'), 'x=1\n');
        standIn(scene, 'ruff', 'for path; do :; done; echo "x = 1" > "$path"');
      },
      check: (scene) => expect(scene.read('a.txt')).toBe('x=1\n'),
    },
  },
  'audit-log.mjs': {
    event: 'post_tool_call',
    needs: 'node',
    positive: {
      fields: { ...command('ls'), session_id: 's1', status: 'blocked', result: 'a secret' },
      check: (scene) => {
        const line: object = JSON.parse(inHome(scene, 'audit.jsonl') ?? '');
        expect(line).toMatchObject({ session_id: 's1', tool_name: 'terminal', status: 'blocked' });
      },
    },
    negative: {
      fields: { ...command('echo content'), result: 'content' },
      check: (scene) => expect(inHome(scene, 'audit.jsonl')).not.toContain('content'),
    },
  },
  'git-status.sh': {
    event: 'pre_llm_call',
    needs: 'jq',
    positive: {
      fields: {},
      prepare: checkOut('feature'),
      answer: { decision: 'context', text: expect.stringContaining('feature') },
    },
    negative: { fields: {} },
  },
  'compile-before-stop.py': {
    event: 'pre_verify',
    needs: 'python3',
    positive: {
      fields: { changed_paths: ['a.py', 'b.md', 'deleted.py'] },
      prepare: (scene) => writeFileSync(scene.path('a.py'), 'def f(:\n'),
      answer: { decision: 'continue', message: expect.stringMatching(/^Mend these: a\.py, line 1: /) },
    },
    negative: {
      fields: { changed_paths: ['a.py'] },
      prepare: (scene) => writeFileSync(scene.path('a.py'), 'def f(): pass\n'),
    },
  },
  'notify.sh': {
    event: 'pre_approval_request',
    needs: 'jq',
    positive: {
      fields: { command: 'rm "$x" -r', description: 'policy asks' },
      prepare: (scene) => standIn(scene, 'notify-send', 'printf "%s\\n" "$@" > "$HERMA_HOME/shown"'),
      check: (scene) => expect(inHome(scene, 'shown')).toBe('--\nHerma asks\npolicy asks: rm "$x" -r\n'),
    },
    negative: {
      fields: { command: 'ls', description: 'policy asks' },
      prepare: (scene) => {
        standIn(scene, 'notify-send', 'exit 1');
        standIn(scene, 'osascript', 'for last; do :; done; echo "$last" > "$HERMA_HOME/shown"');
      },
      check: (scene) => expect(inHome(scene, 'shown')).toBe('policy asks: ls\n'),
    },
  },
  'log-subagents.sh': {
    event: 'subagent_stop',
    needs: 'jq',
    positive: {
      fields: { parent_session_id: 's1', child_summary: 'all well' },
      check: (scene) => {
        const line: object = JSON.parse(inHome(scene, 'subagents.log') ?? '');
        expect(line).toMatchObject({ session: 's1', child_summary: 'all well' });
      },
    },
    negative: {
      fields: { child_goal: 'what to do' },
      check: (scene) => expect(inHome(scene, 'subagents.log')).not.toContain('what to do'),
    },
  },
};

describe.concurrent.each(Object.entries(EXAMPLES))('%s', (name, { event, needs, ...cases }) => {
  const run = async ({ fields, prepare, answer = ALLOWED, check }: Case): Promise<void> => {
    await using scene = await Scene.create({
      config: JSON.stringify({ hooks: { [event]: [{ command: join(FOLDER, name), fail_closed: true }] } }),
    });
    prepare?.(scene);
    const file = join(scene.home, 'payload.json');
    writeFileSync(file, JSON.stringify(fields));
    const env = { PATH: [scene.home, process.env['PATH'] ?? ''].join(delimiter) };
    const { stdout, stderr } = await scene.run(
      ['hooks', 'test', event, '--payload-file', file, '--json', ...toolOf(fields)],
      { env },
    );
    const tried: { readonly gate: GateAnswer } = JSON.parse(stdout);
    expect([tried.gate, stderr]).toEqual([answer, '']);
    check?.(scene);
  };

  it.skipIf(!isInstalled(needs))('does what it is for', async () => run(cases.positive));
  it.skipIf(!isInstalled(needs))('lets the rest alone', async () => run(cases.negative));
});

function toolOf(fields: object): readonly string[] {
  return 'tool_name' in fields ? ['--for-tool', String(fields.tool_name)] : [];
}

describe('the example hooks', () => {
  const files = readdirSync(FOLDER).toSorted();

  it('are all tried here, and can be started', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(files);
    for (const file of files) accessSync(join(FOLDER, file), constants.X_OK);
  });

  it('are all in the table of the page, with their events', () => {
    const { tables } = readPage(readFileSync(join(root, 'docs/hooks.md'), 'utf8'));
    const rows = tables.find(([row]) => row?.[0] === '`block-rm-rf.sh`') ?? [];
    const listed = rows.map(([script = '', event = '']) => `${script} ${event}`);
    const expected = Object.entries(EXAMPLES).map(([name, { event }]) => `\`${name}\` \`${event}\``);
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });
});
