import type { JsonSchema } from '../json/index.ts';

/** `pre_tool_call`: block, approve (ask a person) or modify; nothing to let the call pass. */
export const TOOL_CALL_RESULT: JsonSchema = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['block', 'approve', 'modify'] },
    message: { type: 'string' },
    rule_key: { type: 'string' },
    args: { type: 'object' },
  },
  required: ['action'],
};

/** `transform_*`: the new text. */
export const TEXT_RESULT: JsonSchema = { type: 'string' };

/** `pre_llm_call`: text for the model, bare or as `context`. */
export const CONTEXT_RESULT: JsonSchema = {
  anyOf: [
    { type: 'string' },
    { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
  ],
};

/** `pre_verify`: go on, with what is still to be done. */
export const VERIFY_RESULT: JsonSchema = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['continue', 'block'] },
    decision: { type: 'string', enum: ['continue', 'block'] },
    message: { type: 'string' },
    reason: { type: 'string' },
  },
};
