import type { Tool } from '../../../gate/index.ts';
import { fail } from '../../../kernel/errors/index.ts';
import { getOwn, type JsonObject } from '../../../kernel/json/index.ts';
import { textArgument } from '../arguments.ts';
import { defineTool } from '../define-tool.ts';
import { cancelled, failed, succeeded } from '../outcomes.ts';

/** What a person said, or why nobody did. */
export type ClarifyAnswer =
  | { readonly answered: true; readonly answer: string }
  | { readonly answered: false; readonly reason: string };

/** What `clarify` is given. */
export interface ClarifyPorts {
  /** Asks the person; `choices` are suggestions, another answer is possible. Rejects when `signal` is aborted. */
  readonly ask: (question: string, choices: readonly string[], signal: AbortSignal) => Promise<ClarifyAnswer>;
}

const MAX_CHOICES = 4;

/**
 * `clarify`: a question to the person, with up to four answers to choose from. The result is JSON: `{question, answer}`. With
 * nobody to ask, or no answer, it is an error that says so.
 */
export function createClarifyTool({ ask }: ClarifyPorts): Tool {
  return defineTool(
    {
      name: 'clarify',
      description:
        'Ask the person a question that only they can answer, and wait. Not for permission to run a tool: that is asked for by itself.',
      parameters: {
        type: 'object',
        properties: {
          question: { type: 'string', description: 'The question.' },
          choices: {
            type: 'array',
            items: { type: 'string' },
            maxItems: MAX_CHOICES,
            description: 'Answers to choose from; another answer is possible.',
          },
        },
        required: ['question'],
      },
      effect: 'none',
      idempotent: false,
      pathArguments: [],
    },
    async ({ call }, { signal }) => {
      const question = textArgument(call.args, 'question').trim();
      if (question === '')
        return failed(fail('bad_arguments', 'The question is empty.', 'Say what you want to know.'));
      try {
        const answer = await ask(question, choicesOf(call.args), signal);
        if (answer.answered) return succeeded(JSON.stringify({ question, answer: answer.answer }));
        return failed(fail('not_answered', `The question was not answered: ${answer.reason}.`, REMEDY));
      } catch (error) {
        if (signal.aborted) return cancelled('The question was withdrawn before it was answered.');
        throw error;
      }
    },
  );
}

const REMEDY = 'Decide by yourself and say which assumption you made, or stop and say what you need to know.';

function choicesOf(args: JsonObject): readonly string[] {
  const choices = getOwn(args, 'choices');
  if (!Array.isArray(choices)) return [];
  return choices.flatMap((choice) =>
    typeof choice === 'string' && choice.trim() !== '' ? [choice.trim()] : [],
  );
}
