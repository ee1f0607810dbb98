import { EXIT, type ExitCode } from '../exit-code.ts';
import type { VerbContext } from '../verb.ts';
import { measurePosture, type PostureRequest } from './measure-posture.ts';
import { type ReportTarget, reportTarget, sendToTelegram, sendToWebhook } from './send-report.ts';
import { telegramText } from './telegram-text.ts';

/** `herma posture daily`: 0 when the report was sent, 2 when it was not, 4 when there is no journal. */
export async function runDaily(
  context: VerbContext,
  { webhook, ...request }: PostureRequest & { readonly webhook: string | undefined },
): Promise<ExitCode> {
  const target = reportTarget(webhook, context.environment);
  if (!target.ok) return context.fail(target);
  const measured = await measurePosture(context, request);
  if (measured.type === 'failed') return context.fail(measured.failure);
  if (measured.type === 'nothing') {
    context.note(`nothing was sent: there is no journal yet (${measured.path})`);
    if (context.json) context.printJson({ sent: false, to: target.value.kind, score: null });
    return EXIT.nothing;
  }
  const { report } = measured;
  const sent =
    target.value.kind === 'telegram'
      ? await sendToTelegram(target.value, telegramText(report), context)
      : await sendToWebhook(target.value.url, report, context);
  if (!sent.ok) return context.fail(sent);
  if (context.json) context.printJson({ sent: true, to: target.value.kind, score: report.score });
  else context.print(`sent to ${placeOf(target.value)}: ${scoreText(report.score)}`);
  return EXIT.done;
}

function placeOf(target: ReportTarget): string {
  return target.kind === 'telegram' ? 'Telegram' : `the webhook at ${new URL(target.url).origin}`;
}

function scoreText(score: number | null): string {
  return score === null ? 'no score' : `score ${String(score)}`;
}
