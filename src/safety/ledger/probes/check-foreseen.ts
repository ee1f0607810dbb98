import type { LedgerRow } from '../model/ledger-row.ts';
import type { ProbeResult } from '../model/probe.ts';
import { verdictOf } from './check.ts';
import { checkFile } from './check-file.ts';
import { checkRepository } from './check-repository.ts';

/** Compares the world with what was foreseen before a call; undefined when nothing was. */
export async function checkForeseen(
  { foreseen, cwd }: LedgerRow,
  signal: AbortSignal,
): Promise<ProbeResult | undefined> {
  const { files = [], repositories = [] } = foreseen ?? {};
  if (files.length + repositories.length === 0) return undefined;
  const checks = [];
  for (const file of files) checks.push(await checkFile(file, cwd, signal));
  for (const repository of repositories) checks.push(await checkRepository(repository, cwd));
  return verdictOf(checks);
}
