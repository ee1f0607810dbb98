import { fail } from '../../../kernel/errors/index.ts';
import type { PostureReport } from '../../../safety/posture/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { VerbContext } from '../verb.ts';
import { measurePosture, type PostureRequest } from './measure-posture.ts';
import { postureMarkdown } from './posture-markdown.ts';
import { postureText } from './posture-text.ts';

/** How it is shown, and from which score on it fails. */
export interface PostureView extends PostureRequest {
  readonly markdown: boolean;
  readonly failUnder: number | undefined;
}

/** `herma posture`: 1 below `--fail-under`, 2 when the journal cannot be read, 4 when there is none. */
export async function runPosture(context: VerbContext, view: PostureView): Promise<ExitCode> {
  if (view.markdown && context.json)
    return context.fail(fail('usage', '--json and --markdown exclude each other', 'give one of them'));
  const measured = await measurePosture(context, view);
  if (measured.type === 'failed') return context.fail(measured.failure);
  if (measured.type === 'nothing') {
    context.note(`there is no journal yet (${measured.path})`);
    if (context.json) context.printJson(null);
    return EXIT.nothing;
  }
  const { report } = measured;
  if (context.json) context.printJson(report);
  else
    for (const line of view.markdown ? postureMarkdown(report) : postureText(report, context))
      context.print(line);
  return view.failUnder === undefined ? EXIT.done : judge(context, report, view.failUnder);
}

/** Without a score, or with a journal that was changed by hand, nothing shows that the limit is kept. */
function judge(context: VerbContext, { score, ledger }: PostureReport, limit: number): ExitCode {
  const wanted = `--fail-under ${String(limit)}`;
  if (ledger.chain.startsWith('broken')) {
    context.note(`the journal was changed by hand (chain ${ledger.chain}): ${wanted} fails`);
    return EXIT.no;
  }
  if (score === null) {
    context.note(`there is no score: ${wanted} cannot be judged`);
    return EXIT.nothing;
  }
  if (score >= limit) return EXIT.done;
  context.note(`the score ${String(score)} is below ${wanted}`);
  return EXIT.no;
}
