import type { SessionChoice } from '../../../app/index.ts';
import type { RuntimeChoices } from '../runtime/open-runtime.ts';

/** What the command line of `herma chat` asks for. */
export interface ChatRequest {
  readonly session: SessionChoice;
  /** The model, and how approvals are answered. */
  readonly runtime: RuntimeChoices;
}
