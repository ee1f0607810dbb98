import { displayPath } from '../../../platform/paths/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { VerbContext } from '../verb.ts';

/** Said where no call was ever journalled. `document` is what `--json` prints. */
export function nothingYet(context: VerbContext, document: unknown): ExitCode {
  context.note(`there is no journal yet (${displayPath(context.paths.ledgerDatabase)})`);
  if (context.json) context.printJson(document);
  return EXIT.nothing;
}
