import { describe, expect, it, vi } from 'vitest';
import {
  colourEnabled,
  credentialFreeEnvironment,
  credentialNames,
  freezeVariables,
  isTerminal,
  nodeVersion,
  platformName,
  readEnvironment,
} from './index.ts';

describe('readEnvironment', () => {
  it('is a copy of the environment that stays as it was', () => {
    vi.stubEnv('HERMA_TEST_VARIABLE', 'before');
    const environment = readEnvironment();
    vi.stubEnv('HERMA_TEST_VARIABLE', 'after');
    expect(environment['HERMA_TEST_VARIABLE']).toBe('before');
    expect(() => Object.assign(environment, { HERMA_TEST_VARIABLE: 'x' })).toThrow(TypeError);
  });

  it.each(['constructor', '__proto__', 'toString'])('finds no variable %s', (name) => {
    expect(readEnvironment()[name]).toBeUndefined();
  });
});

describe('freezeVariables', () => {
  it('leaves out what is undefined and keeps __proto__ as a plain name', () => {
    const environment = freezeVariables([
      ['A', '1'],
      ['B', undefined],
      ['__proto__', 'x'],
    ]);
    expect(Object.keys(environment)).toEqual(['A', '__proto__']);
    expect(environment['toString']).toBeUndefined();
  });
});

describe('the machine', () => {
  it('is named in the words of Node', () => {
    expect(['linux', 'darwin']).toContain(platformName());
    expect(nodeVersion()).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('colourEnabled', () => {
  const terminal = { isTTY: true };
  const pipe = {};

  it.each([
    { stream: terminal, variables: { TERM: 'xterm' }, expected: true },
    { stream: terminal, variables: {}, expected: true },
    { stream: terminal, variables: { TERM: 'dumb' }, expected: false },
    { stream: terminal, variables: { NO_COLOR: '1' }, expected: false },
    { stream: terminal, variables: { NO_COLOR: '' }, expected: true },
    { stream: terminal, variables: { FORCE_COLOR: '0' }, expected: false },
    { stream: terminal, variables: { FORCE_COLOR: 'false' }, expected: false },
    { stream: terminal, variables: { NO_COLOR: '1', FORCE_COLOR: '1' }, expected: false },
    { stream: pipe, variables: { TERM: 'xterm' }, expected: false },
    { stream: pipe, variables: { FORCE_COLOR: '' }, expected: true },
    { stream: pipe, variables: { FORCE_COLOR: '3', TERM: 'dumb' }, expected: true },
    { stream: { isTTY: false }, variables: {}, expected: false },
  ])('is $expected for $stream and $variables', ({ stream, variables, expected }) => {
    expect(colourEnabled(stream, freezeVariables(Object.entries(variables)))).toBe(expected);
  });

  it('takes only a terminal for a terminal', () => {
    expect([isTerminal(terminal), isTerminal(pipe), isTerminal({ isTTY: undefined })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('credentialFreeEnvironment', () => {
  const environment = freezeVariables([
    ['PATH', '/usr/bin'],
    ['OPENAI_API_KEY', 'sk-1'],
    ['ANTHROPIC_API_KEY', 'sk-2'],
    ['GOOGLE_API_KEY', 'sk-3'],
    ['GEMINI_API_KEY', 'sk-4'],
    ['OPENROUTER_API_KEY', 'sk-5'],
    ['MY_MODEL_KEY', 'sk-6'],
    ['OPENAI_BASE_URL', 'http://127.0.0.1'],
  ]);

  it('removes the well-known credentials and those named, and nothing else', () => {
    expect({ ...credentialFreeEnvironment(environment, ['MY_MODEL_KEY']) }).toEqual({
      PATH: '/usr/bin',
      OPENAI_BASE_URL: 'http://127.0.0.1',
    });
  });

  it('keeps an unlisted name unless it is named', () => {
    expect(credentialFreeEnvironment(environment)['MY_MODEL_KEY']).toBe('sk-6');
  });

  it('keeps what is allowed by name', () => {
    const kept = credentialFreeEnvironment(environment, ['MY_MODEL_KEY'], ['MY_MODEL_KEY', 'OPENAI_API_KEY']);
    expect(Object.keys(kept)).toEqual(['PATH', 'OPENAI_API_KEY', 'MY_MODEL_KEY', 'OPENAI_BASE_URL']);
  });

  it('does not add an allowed variable that is not set', () => {
    expect('XAI_API_KEY' in credentialFreeEnvironment(environment, [], ['XAI_API_KEY'])).toBe(false);
  });

  it('leaves the environment it was given alone', () => {
    credentialFreeEnvironment(environment);
    expect(environment['OPENAI_API_KEY']).toBe('sk-1');
  });

  it('knows only names that a shell can set', () => {
    for (const name of credentialNames) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
  });
});
