import { acceptTampering } from '../doctor/accept-tampering.ts';
import { doctorChecks } from '../doctor/doctor-checks.ts';
import { type NamedFinding, runChecks } from '../doctor/run-checks.ts';
import { EXIT } from '../exit-code.ts';
import { flagOption } from '../inputs.ts';
import { printableLine } from '../output/printable.ts';
import { startProgress } from '../output/progress.ts';
import type { Verb, VerbContext } from '../verb.ts';

const accept = flagOption(
  '--accept',
  'take note of changes an agent made to files of Herma, and lift the block; always asks',
);

export const verb: Verb = {
  name: 'doctor',
  summary: 'check that everything Herma needs is there and works',
  details: 'Exit code 1 when there are problems; warnings do not count.',
  example: 'herma doctor --json',
  options: [accept],
  run: async (context) => {
    if (context.get(accept)) return acceptTampering(context);
    const { paths, environment, clock, signal } = context;
    const subject = { paths, environment, clock, workingDirectory: context.workingDirectory() };
    const progress = startProgress(context.stderr, clock, 'checking');
    const findings = await runChecks(doctorChecks, subject, signal).finally(() => progress.stop());
    const problems = countOf(findings, 'problem');
    const warnings = countOf(findings, 'warn');
    if (context.json) context.printJson({ checks: findings, problems, warnings });
    else printFindings(context, findings);
    return problems === 0 ? EXIT.done : EXIT.no;
  },
};

function countOf(findings: readonly NamedFinding[], status: NamedFinding['status']): number {
  return findings.filter((each) => each.status === status).length;
}

function printFindings(context: VerbContext, findings: readonly NamedFinding[]): void {
  const { good, warning, bad, faint } = context.colours;
  const marks = { ok: good('ok     '), warn: warning('warning'), problem: bad('problem') };
  const width = Math.max(...findings.map(({ name }) => name.length));
  for (const { name, status, message, remedy, details = [] } of findings) {
    context.print(`${marks[status]}  ${name.padEnd(width)}  ${printableLine(message)}`);
    if (remedy !== undefined) context.print(`${' '.repeat(width + 11)}${faint(printableLine(remedy))}`);
    for (const line of details) context.print(`${' '.repeat(width + 11)}${line}`);
  }
  const problems = countOf(findings, 'problem');
  context.print(
    problems === 0 ? 'No problems.' : `${problems === 1 ? '1 problem' : `${problems} problems`}.`,
  );
}
