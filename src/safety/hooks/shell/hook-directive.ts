import type { JsonObject } from '../../../kernel/json/index.ts';

/** What a script wants, whichever dialect it said it in. */
export type HookDirective =
  | { readonly type: 'block'; readonly message: string }
  | {
      readonly type: 'ask';
      readonly message: string;
      readonly ruleKey?: string;
      /** Changes to the arguments that come with the question. */
      readonly args?: JsonObject;
    }
  | { readonly type: 'modify'; readonly args: JsonObject }
  | { readonly type: 'context'; readonly text: string }
  /** `pre_verify`: the turn goes on. */
  | { readonly type: 'continue'; readonly message: string };

export type DirectiveType = HookDirective['type'];
