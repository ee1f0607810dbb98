import { EXIT, type ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { counted } from '../rollback/text-style.ts';
import type { VerbContext } from '../verb.ts';
import type { Journal } from './open-journal.ts';
import { type SelfCheck, selfTest } from './self-test.ts';
import { verifyJournal } from './verify-journal.ts';

/** `herma ledger selftest`: whether the journal of this installation does what it is for. 1 when something fails. */
export async function runSelftest(context: VerbContext, journal: Journal): Promise<ExitCode> {
  const { paths, clock, colours } = context;
  const tested = await selfTest({ folder: paths.ledger, settings: journal.settings, clock });
  const checks = [...tested, await liveCheck(context, journal)];
  const failed = checks.filter(({ ok }) => !ok).length;
  if (context.json) context.printJson({ ok: failed === 0, checks });
  else {
    for (const { ok, name, seen } of checks)
      context.print(
        `${ok ? colours.good('✓') : colours.bad('✗')} ${name} ${colours.faint(`(${printableLine(seen)})`)}`,
      );
    if (!journal.settings.enabled)
      context.note(
        'The journal is switched off: no call is recorded. `ledger.enabled: true` switches it on.',
      );
  }
  return failed === 0 ? EXIT.done : EXIT.no;
}

async function liveCheck({ paths, signal }: VerbContext, journal: Journal): Promise<SelfCheck> {
  const name = 'the journal opens, and its chain holds';
  if (!journal.ledger.file.exists)
    return { name, ok: true, seen: 'there is none yet: the first call with an effect makes it' };
  const verified = await verifyJournal(journal, paths, signal);
  if (!verified.ok) return { name, ok: false, seen: verified.message };
  const { rows, flaws } = verified.value;
  if (flaws.length === 0) return { name, ok: true, seen: `${counted(rows, 'call')}, intact` };
  return {
    name,
    ok: false,
    seen: `${counted(flaws.length, 'flaw')}; \`herma ledger verify\` names ${flaws.length === 1 ? 'it' : 'them'}`,
  };
}
