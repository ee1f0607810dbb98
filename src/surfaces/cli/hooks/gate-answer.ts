import type { EventName } from '../../../kernel/events/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import type { Directive } from './try-hook.ts';

/** What the answers of all hooks amount to. */
export type GateAnswer =
  | { readonly decision: 'allow' }
  | { readonly decision: 'block'; readonly message: string }
  | { readonly decision: 'ask'; readonly message: string; readonly args?: JsonObject }
  | { readonly decision: 'modify'; readonly args: JsonObject }
  | { readonly decision: 'context'; readonly text: string }
  | { readonly decision: 'continue'; readonly message: string };

/** Puts together what hooks want, in their order: a block wins over a question, and changes to arguments are merged. */
export function gateAnswer(directives: readonly Directive[], given: JsonObject | undefined): GateAnswer {
  const block = directives.find((directive) => directive.type === 'block');
  if (block !== undefined) return { decision: 'block', message: block.message };
  const changes = directives.flatMap((directive) => {
    const args = directive.type === 'modify' || directive.type === 'ask' ? directive.args : undefined;
    return args === undefined ? [] : [args];
  });
  const args = changes.reduce((merged, change) => ({ ...merged, ...change }), given ?? {});
  const asks = directives.filter((directive) => directive.type === 'ask');
  if (asks.length > 0) {
    const message = asks.map((ask) => ask.message).join('; ');
    return { decision: 'ask', message, ...(changes.length === 0 ? {} : { args }) };
  }
  if (changes.length > 0) return { decision: 'modify', args };
  const goOn = directives.find((directive) => directive.type === 'continue');
  if (goOn !== undefined) return { decision: 'continue', message: goOn.message };
  const texts = directives.flatMap((directive) => (directive.type === 'context' ? [directive.text] : []));
  return texts.length === 0 ? { decision: 'allow' } : { decision: 'context', text: texts.join('\n\n') };
}

/** The same in a sentence. */
export function gateAnswerText(event: EventName, answer: GateAnswer): string {
  switch (answer.decision) {
    case 'block':
      return `The gate would block the call: ${answer.message}`;
    case 'ask': {
      const changed = answer.args === undefined ? '' : `, with the arguments ${JSON.stringify(answer.args)}`;
      return `The gate would ask a person${changed}: ${answer.message}`;
    }
    case 'modify':
      return `The gate would run the call with the arguments ${JSON.stringify(answer.args)}`;
    case 'context':
      return `The user message would get besides: ${answer.text}`;
    case 'continue':
      return `The model would be sent on: ${answer.message}`;
    case 'allow':
      return event === 'pre_tool_call' ? 'The gate would let the call pass.' : 'Nothing would change.';
    default:
      return answer satisfies never;
  }
}
