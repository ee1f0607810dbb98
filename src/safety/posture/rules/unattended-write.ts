import type { CommandClass } from '../../../shell/index.ts';
import type { ReadCall } from '../reading/read-call.ts';
import type { PostureRule } from './posture-rule.ts';

const IRREVERSIBLE: readonly CommandClass[] = [
  'delete-root',
  'delete-home',
  'delete-system',
  'delete-outside',
  'delete-vcs',
  'delete-unknown',
  'device',
  'vcs-destructive',
  'exfil',
  'power',
  'kill-all',
];

/** What cannot be taken back, done with nobody there to stop it. */
export const unattendedWrite: PostureRule = {
  id: 'unattended-write',
  asi: 'ASI11',
  severity: 'MEDIUM',
  find: ({ calls, isUnattended }) =>
    calls
      .filter((call) => call.isExecuted && isUnattended(call) && isIrreversible(call))
      .map((call) => ({ calls: [call], evidence: `with nobody there: ${call.title}` })),
};

function isIrreversible(call: ReadCall): boolean {
  if (call.row.effectClass === 'external') return true;
  return call.reading().findings.some((finding) => IRREVERSIBLE.includes(finding.class));
}
