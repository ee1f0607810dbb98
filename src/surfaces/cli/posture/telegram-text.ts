import type { PostureReport } from '../../../safety/posture/index.ts';
import { printableLine } from '../output/printable.ts';
import { counted } from '../rollback/text-style.ts';
import {
  categoriesOf,
  categoryText,
  extentLine,
  rateLine,
  rowsText,
  scoreLine,
  sumLine,
} from './report-lines.ts';

/** UTF-16 code units of one message, as the Bot API of Telegram limits it. */
const TELEGRAM_CHARS = 4096;
const SHOWN_IDS = 6;

/** The report as one plain message. Findings that do not fit are counted; the caveat is always there. */
export function telegramText(report: PostureReport): string {
  const { findings, caveat } = report;
  const head = [
    `Herma posture: ${scoreLine(report)}`,
    printableLine(extentLine(report)),
    ...[sumLine(report), rateLine(report)].flatMap((line) => line ?? []),
    ...categoriesOf(report)
      .filter(({ lost }) => lost > 0)
      .map(({ id, title, lost }) => `${id} ${title}: −${String(lost)}`),
    '',
  ];
  const lines = findings.map((finding) => {
    const { severity, rule, ledger_ids: ids, evidence } = finding;
    const named = `${severity} ${rule} ${categoryText(finding)} ${rowsText(ids, SHOWN_IDS)}`;
    return `• ${named}: ${printableLine(evidence)}`;
  });
  const message = (shown: number): string =>
    [
      ...head,
      ...lines.slice(0, shown),
      ...(shown < lines.length ? [`… and ${counted(lines.length - shown, 'finding')} more`] : []),
      caveat,
    ].join('\n');
  let shown = lines.length;
  while (shown > 0 && message(shown).length > TELEGRAM_CHARS) shown -= 1;
  return message(shown);
}
