import { describe, expect, it } from 'vitest';
import { systemPrompt } from './index.ts';

const facts = { cwd: '/home/you/project', platform: 'linux x64', day: '2026-11-30' };

describe('systemPrompt', () => {
  it('is the same text for the same facts', () => {
    expect(systemPrompt({ ...facts })).toBe(systemPrompt({ ...facts }));
  });

  it('tells where the agent is, and since when', () => {
    const prompt = systemPrompt(facts);
    expect(prompt).toContain(
      'Working directory: /home/you/project\nPlatform: linux x64\nSession started: 2026-11-30',
    );
  });

  it.each([/you are herma/i, /passes a gate/i, /blocked call did not run/i, /effect of a call is unknown/i])(
    'says %s',
    (words) => {
      expect(systemPrompt(facts)).toMatch(words);
    },
  );

  it('holds the instructions of the project and of the person, the person last', () => {
    const prompt = systemPrompt({
      ...facts,
      projectInstructions: '\nuse tabs\n',
      personInstructions: 'be brief',
    });
    expect(prompt).toContain('Instructions of this project (AGENTS.md):\nuse tabs');
    expect(prompt.endsWith('Instructions of the person:\nbe brief')).toBe(true);
  });

  it.each(['', '  \n'])('leaves out instructions that are blank (%j)', (blank) => {
    const prompt = systemPrompt({ ...facts, projectInstructions: blank, personInstructions: blank });
    expect(prompt).toBe(systemPrompt(facts));
  });

  it('says how much of long instructions it left out, and cuts no character in two', () => {
    const prompt = systemPrompt({ ...facts, projectInstructions: `x${'😀'.repeat(20_000)}` });
    expect(prompt).toContain('[… 20001 more characters in the file …]');
    expect(prompt.isWellFormed()).toBe(true);
    expect(prompt.length).toBeLessThan(23_000);
  });

  it('tells a delegated agent that its last answer is all that is seen', () => {
    expect(systemPrompt({ ...facts, isDelegated: true })).toMatch(
      /nothing of your work but your last answer/,
    );
    expect(systemPrompt({ ...facts, isDelegated: false })).toBe(systemPrompt(facts));
  });
});
