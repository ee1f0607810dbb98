import { describe, expect, it } from 'vitest';
import type { CallReport } from '../../../gate/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { callTool } from '../tool-bench.ts';
import { type ClarifyPorts, createClarifyTool } from './clarify-tool.ts';

function clarify(args: JsonObject, ask: ClarifyPorts['ask'], signal?: AbortSignal): Promise<CallReport> {
  return callTool(createClarifyTool({ ask }), args, {
    cwd: '/',
    ...(signal === undefined ? {} : { signal }),
  });
}

const nobody: ClarifyPorts['ask'] = () =>
  Promise.resolve({ answered: false, reason: 'nobody is there to ask' });

describe('clarify', () => {
  it('asks the person and hands over the answer', async () => {
    const asked: unknown[] = [];
    const report = await clarify(
      { question: ' Which one? ', choices: [' a ', '', 'b'] },
      (question, choices) => {
        asked.push(question, choices);
        return Promise.resolve({ answered: true, answer: 'neither' });
      },
    );
    expect(asked).toEqual(['Which one?', ['a', 'b']]);
    expect(report).toMatchObject({ status: 'ok', text: '{"question":"Which one?","answer":"neither"}' });
  });

  it('says when nobody answers, and what to do then', async () => {
    expect(await clarify({ question: 'x?' }, nobody)).toMatchObject({
      status: 'error',
      errorType: 'not_answered',
      text: 'The question was not answered: nobody is there to ask. Decide by yourself and say which assumption you made, or stop and say what you need to know.',
    });
  });

  it.each([{ question: '' }, { question: '  ' }, {}, { question: 'x', choices: ['1', '2', '3', '4', '5'] }])(
    'refuses %j without asking',
    async (args) => {
      const report = await clarify(args, () => Promise.reject(new Error('was asked')));
      expect(report).toMatchObject({ status: 'error', errorType: 'bad_arguments' });
    },
  );

  it('is withdrawn when the call is cancelled', async () => {
    const controller = new AbortController();
    const report = clarify(
      { question: 'x?' },
      (_, __, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('withdrawn')));
          controller.abort();
        }),
      controller.signal,
    );
    expect(await report).toMatchObject({ status: 'cancelled' });
  });
});
