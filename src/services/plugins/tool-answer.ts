import type { ToolOutcome } from '../../gate/index.ts';
import { isJsonObject, toJsonValue } from '../../kernel/json/index.ts';

/** The error type of a call that a plugin's tool ended badly. */
const PLUGIN_ERROR = 'plugin_error';

/** What a tool of a plugin answered, as the gate knows outcomes. Anything that is no answer is an error, and not an empty result. */
export function readToolAnswer(answer: unknown): ToolOutcome {
  if (typeof answer === 'string') return { status: 'ok', result: answer };
  const read = toJsonValue(answer);
  if (isJsonObject(read) && Object.hasOwn(read, 'error')) {
    const { error } = read;
    return failedAnswer(typeof error === 'string' ? error : JSON.stringify(error));
  }
  if (!isJsonObject(read) || !Object.hasOwn(read, 'result'))
    return failedAnswer('The tool ended without a result; its effect is unknown.');
  const { result } = read;
  return { status: 'ok', result: typeof result === 'string' ? result : JSON.stringify(result) };
}

export function failedAnswer(message: string): ToolOutcome {
  return { status: 'error', errorType: PLUGIN_ERROR, message };
}
