import type { PostureFinding, PostureReport, Severity } from '../../../safety/posture/index.ts';
import type { Colours } from '../output/colours.ts';
import { formatTable } from '../output/format-table.ts';
import { printableLine } from '../output/printable.ts';
import type { VerbContext } from '../verb.ts';
import {
  categoriesOf,
  categoryText,
  coverageLines,
  extentLine,
  type PostureCategory,
  rateLine,
  rowsText,
  ruleLines,
  scoreLine,
  sumLine,
  weightsLine,
} from './report-lines.ts';

const BAR_CELLS = 20;
const FULL_BAR = 100;
const GOOD_SCORE = 80;
const BAD_SCORE = 50;
/** A row of the table is one line; `--json` has every id. */
const SHOWN_IDS = 12;

/** The report for a person at a terminal. */
export function postureText(
  report: PostureReport,
  { colours, stdout }: Pick<VerbContext, 'colours' | 'stdout'>,
): readonly string[] {
  const { findings, caveat } = report;
  const sum = sumLine(report);
  const rate = rateLine(report);
  return [
    scorePaint(report.score, colours)(scoreLine(report)),
    colours.faint(printableLine(extentLine(report))),
    '',
    ...categoryLines(categoriesOf(report), colours),
    '',
    ...(findings.length === 0 ? ['No findings.'] : tableOf(findings, colours, stdout.columns)),
    '',
    ...(sum === undefined
      ? []
      : [`Sum:    ${sum}`, `        ${weightsLine(report)}; equal findings count each time`]),
    ...ruleLines(report).map((line, index) => `${index === 0 ? 'Rules:  ' : '        '}${line}`),
    ...(rate === undefined ? [] : [`Rate:   ${rate}`]),
    ...coverageLines(report),
    colours.warning(caveat),
  ];
}

function scorePaint(score: number | null, colours: Colours): (text: string) => string {
  if (score === null) return colours.strong;
  if (score >= GOOD_SCORE) return colours.good;
  return score < BAD_SCORE ? colours.bad : colours.warning;
}

function categoryLines(categories: readonly PostureCategory[], colours: Colours): readonly string[] {
  const width = Math.max(...categories.map(({ title }) => title.length));
  return categories.map(({ id, title, lost, findings }) => {
    const filled =
      lost === 0 ? 0 : Math.max(1, Math.round((Math.min(lost, FULL_BAR) / FULL_BAR) * BAR_CELLS));
    const bar = `${colours.bad('█'.repeat(filled))}${colours.faint('░'.repeat(BAR_CELLS - filled))}`;
    const amount = lost === 0 ? '0' : `−${String(lost)}`;
    return `${id} ${title.padEnd(width)} ${bar} ${amount.padStart(5)}  ${String(findings)}`;
  });
}

function tableOf(
  findings: readonly PostureFinding[],
  colours: Colours,
  columns: number | undefined,
): readonly string[] {
  return formatTable(
    findings,
    [
      {
        title: 'SEVERITY',
        text: ({ severity }) => severity,
        paint: (text, { severity }) => severityPaint(severity, colours)(text),
      },
      { title: 'WEIGHT', text: ({ weight }) => String(weight), align: 'right' },
      { title: 'RULE', text: ({ rule }) => rule },
      { title: 'CATEGORY', text: categoryText },
      { title: 'CALLS', text: ({ ledger_ids: ids }) => rowsText(ids, SHOWN_IDS), shrinks: true },
      { title: 'EVIDENCE', text: ({ evidence }) => evidence, shrinks: true },
    ],
    { columns, paintTitle: colours.strong },
  );
}

function severityPaint(severity: Severity, colours: Colours): (text: string) => string {
  if (severity === 'CRITICAL' || severity === 'HIGH') return colours.bad;
  return severity === 'MEDIUM' ? colours.warning : colours.faint;
}
