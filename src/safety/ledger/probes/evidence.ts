import type { Redactor } from '../../../kernel/redact/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import type { ProbeResult, ProbeVerdict } from '../model/probe.ts';

/** UTF-16 code units of an evidence, at most. */
const MAX_EVIDENCE_CHARS = 300;
/** What is read of a longer one. */
const MAX_READ_CHARS = 2000;

const VERDICTS: readonly ProbeVerdict[] = ['LANDED', 'NOT_LANDED', 'PARTIAL', 'UNKNOWN'];

/** Whether a plugin has given what it is to give. */
export function isProbeResult(value: unknown): value is ProbeResult {
  if (typeof value !== 'object' || value === null || !('verdict' in value) || !('evidence' in value))
    return false;
  return VERDICTS.some((verdict) => verdict === value.verdict) && typeof value.evidence === 'string';
}

/** A result as it may be kept and shown: one printable line without secrets, whoever wrote it. */
export function presentable({ verdict, evidence }: ProbeResult, redactor: Redactor): ProbeResult {
  const line = printable(redactor.redactAndCut(evidence, MAX_READ_CHARS).toWellFormed());
  if (line.length <= MAX_EVIDENCE_CHARS) return { verdict, evidence: line };
  return { verdict, evidence: `${redactor.redactAndCut(line, MAX_EVIDENCE_CHARS - 1).trimEnd()}…` };
}
