import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPage } from './markdown.ts';
import { isInstalled, root } from './program.ts';
import { IdMap, transcriptOf } from './transcript.ts';

const PAGES = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)].filter((file) =>
  file.endsWith('.md'),
);

const transcripts = PAGES.flatMap((file) => {
  const steps = transcriptOf(readPage(readFileSync(join(root, file), 'utf8')).blocks);
  return steps.length === 0 ? [] : [{ file, steps }];
});

/** A home and a project that hold the scripts of the examples; runs a command line in it, with `herma` on its path. */
function createShell(): (command: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'transcript-'));
  const [home, project, bin] = [join(folder, 'you'), join(folder, 'you/project'), join(folder, 'bin')];
  for (const made of [home, project, bin]) mkdirSync(made);
  symlinkSync(join(root, 'bin/herma.js'), join(bin, 'herma'));
  cpSync(join(root, 'docs/examples'), project, { recursive: true });
  const { HERMA_HOME: _, ...env } = process.env;
  const path = [bin, env['PATH'] ?? ''].join(delimiter);
  return (command) => {
    const { stdout } = spawnSync('bash', ['-c', `exec 2>&1\n${command}`], {
      cwd: project,
      encoding: 'utf8',
      env: { ...env, HOME: home, PATH: path },
    });
    return stdout.replaceAll(home, '/home/you').trimEnd();
  };
}

describe('a transcript', () => {
  it('is found on the pages', () => {
    expect(transcripts.length).toBeGreaterThan(4);
  });

  it.skipIf(!isInstalled('jq')).each(transcripts)('of $file shows what the program prints', ({ steps }) => {
    const run = createShell();
    const ids = new IdMap();
    for (const { command, output } of steps) {
      const printed = run(ids.translate(command));
      ids.learn(output, printed);
      expect({ command, output: printed }).toEqual({ command, output: ids.translate(output) });
    }
  });
});
