import { describe, expect, it } from 'vitest';
import type { ToolOutcome } from '../../gate/index.ts';
import type { JsonObject } from '../../kernel/json/index.ts';
import { defineTool } from './define-tool.ts';
import { callTool } from './tool-bench.ts';

async function textFor(args: JsonObject, outcome: ToolOutcome): Promise<string> {
  const tool = defineTool(
    {
      name: 'x',
      description: '',
      parameters: { type: 'object', properties: { replace_all: { type: 'boolean' } } },
      effect: 'none',
      idempotent: true,
      pathArguments: [],
    },
    () => Promise.resolve(outcome),
  );
  return (await callTool(tool, args, { cwd: '/' })).text;
}

describe('defineTool', () => {
  it('leaves the result alone when every argument is known', async () => {
    expect(await textFor({ replace_all: true }, { status: 'ok', result: '{"a":1}' })).toBe('{"a":1}');
  });

  it('names arguments that took no effect, in JSON, in text and in errors', async () => {
    const args = { replaceAll: true, env: {} };
    const named = 'replaceAll (did you mean replace_all?), env';
    expect(JSON.parse(await textFor(args, { status: 'ok', result: '{"a":1}' }))).toEqual({
      a: 1,
      ignored_arguments: named.split(', '),
    });
    expect(await textFor(args, { status: 'ok', result: '{no json' })).toBe(
      `{no json\n[ignored arguments: ${named}]`,
    );
    expect(await textFor(args, { status: 'error', errorType: 'e', message: 'failed' })).toContain(named);
    expect(await textFor(args, { status: 'error', errorType: 'e', message: 'm', result: '{}' })).toContain(
      'ignored_arguments',
    );
  });

  it('does not know inherited names', async () => {
    expect(await textFor({ constructor: 1 }, { status: 'ok', result: 'x' })).toContain(
      'ignored arguments: constructor',
    );
  });
});
