import type { PostureReport } from '../../../safety/posture/index.ts';
import { printableLine } from '../output/printable.ts';
import {
  categoriesOf,
  categoryText,
  coverageLines,
  extentLine,
  rateLine,
  rowsText,
  ruleLines,
  scoreLine,
  sumLine,
  weightsLine,
} from './report-lines.ts';

/** The report as Markdown. What was recorded stands in code, where it formats nothing. */
export function postureMarkdown(report: PostureReport): readonly string[] {
  const { findings, caveat } = report;
  const sum = sumLine(report);
  const rate = rateLine(report);
  return [
    '# Posture',
    '',
    `**${scoreLine(report)}**`,
    '',
    printableLine(extentLine(report)),
    '',
    '| category | lost | findings |',
    '| --- | ---: | ---: |',
    ...categoriesOf(report).map(
      ({ id, title, lost, findings: count }) => `| ${id} ${title} | ${String(lost)} | ${String(count)} |`,
    ),
    '',
    '## Findings',
    '',
    ...(findings.length === 0
      ? ['None.']
      : [
          '| severity | weight | rule | category | calls | evidence |',
          '| --- | ---: | --- | --- | --- | --- |',
          ...findings.map((finding) => {
            const { severity, weight, rule, ledger_ids: ids, evidence } = finding;
            const calls = rowsText(ids, Number.POSITIVE_INFINITY);
            return `| ${severity} | ${String(weight)} | ${rule} | ${categoryText(finding)} | ${calls} | ${code(evidence)} |`;
          }),
        ]),
    '',
    ...(sum === undefined ? [] : [`- Sum: ${sum} (${weightsLine(report)}; equal findings count each time)`]),
    ...ruleLines(report).map((line) => `- Rule: ${line}`),
    ...(rate === undefined ? [] : [`- Rate: ${rate}`]),
    ...coverageLines(report).map((line) => `- ${line}`),
    '',
    caveat,
  ];
}

/** A code span of a cell: its fence is longer than any within, and a bar ends the cell even in code unless it is escaped. */
function code(text: string): string {
  const line = printableLine(text);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${line.replaceAll('|', String.raw`\|`)} ${fence}`;
}
