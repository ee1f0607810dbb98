import { z } from 'zod';
import type { LedgerConfig, LedgerProbeConfig } from '../config.ts';
import { defaultConfig } from '../default-config.ts';
import { text, wholeNumber } from './fields.ts';

const { ledger } = defaultConfig;
const DAY_SECONDS = 24 * 60 * 60;

const probeSchema = z
  .strictObject({
    tool: text('the name of a tool that only reads').describe('The tool that looks.'),
    args: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Its arguments; {{name}} is one of the call.'),
    expect: text().describe('What its answer holds when the effect is there.'),
  })
  .transform((value): LedgerProbeConfig => value);

export const ledgerSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(ledger.enabled)
      .describe('Whether calls with an effect are journalled before they run.'),
    on_failure: z
      .enum(['block', 'warn'])
      .default(ledger.onFailure)
      .describe('What becomes of a call with an effect that could not be journalled.'),
    retry_limit: wholeNumber(0, 1000)
      .default(ledger.retryLimit)
      .describe('The equal call of unknown effect that is blocked; 0 for none.'),
    grace_seconds: wholeNumber(1, DAY_SECONDS)
      .default(ledger.graceSeconds)
      .describe('Seconds after which an open call counts as lost, when nobody can be seen who could end it.'),
    grace: z
      .record(text('the name of a tool'), wholeNumber(1, DAY_SECONDS))
      .default({})
      .describe('The same, by the name of the tool.'),
    retention_days: wholeNumber(0, 36_500)
      .default(ledger.retentionDays)
      .describe('Days after which rows go; 0 for never.'),
    max_rows: wholeNumber(0, 100_000_000)
      .default(ledger.maxRows)
      .describe('Rows that are kept, the newest; 0 for all.'),
    probes: z
      .record(text('the name of a tool'), probeSchema)
      .default({})
      .describe('How to look whether a call of an MCP tool had an effect.'),
  })
  .transform(
    (value): LedgerConfig => ({
      enabled: value.enabled,
      onFailure: value.on_failure,
      retryLimit: value.retry_limit,
      graceSeconds: value.grace_seconds,
      grace: new Map([...ledger.grace, ...Object.entries(value.grace)]),
      retentionDays: value.retention_days,
      maxRows: value.max_rows,
      probes: new Map(Object.entries(value.probes)),
    }),
  )
  .describe('The journal of calls.');
