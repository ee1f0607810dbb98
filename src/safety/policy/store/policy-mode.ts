import { suggest } from '../../../kernel/errors/index.ts';
import { POLICY_MODES, type PolicyMode } from '../evaluation/policy-verdict.ts';

export interface ReadMode {
  readonly mode: PolicyMode;
  /** What is wrong with the word; undefined when nothing is. */
  readonly warning: string | undefined;
}

/** The mode in the text of a `policy_mode` file; `undefined` is a file that is not there. An unknown word enforces. */
export function readMode(text: string | undefined): ReadMode {
  if (text === undefined) return { mode: 'off', warning: undefined };
  const word = text.replace(/^\uFEFF/, '').trim();
  const mode = POLICY_MODES.find((known) => known === word);
  if (mode !== undefined) return { mode, warning: undefined };
  const near = suggest(word, POLICY_MODES);
  const help =
    near === undefined ? `write ${POLICY_MODES.join(', ')}` : `did you mean ${JSON.stringify(near)}?`;
  const warning = `policy_mode says ${JSON.stringify(word.slice(0, 40))}, which is no mode; ${help} Until then the policy is enforced.`;
  return { mode: 'enforce', warning };
}
