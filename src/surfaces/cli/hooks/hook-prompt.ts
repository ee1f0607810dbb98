import type { RuntimeOptions } from '../../../app/index.ts';
import type { VerbContext } from '../verb.ts';
import { createConsentPrompt } from './consent-prompt.ts';

/** Who is asked about a hook script that is new; nobody where there is no terminal. */
export function hookPrompt(context: VerbContext): Pick<RuntimeOptions, 'approveHook'> {
  const approveHook = createConsentPrompt(context);
  return approveHook === undefined ? {} : { approveHook };
}
