import type { OpenJournal } from '../../../app/index.ts';
import { defaultConfig, type LedgerConfig } from '../../../platform/config/index.ts';
import type { ExitCode } from '../exit-code.ts';
import { openRuntime } from '../runtime/open-runtime.ts';
import type { VerbContext } from '../verb.ts';

/** The journal of this home, as a command uses it. */
export interface Journal extends OpenJournal {
  readonly settings: LedgerConfig;
  /** What was found damaged and kept aside since it was opened, one line each. */
  readonly damages: () => readonly string[];
}

/** What a command does with the journal. */
export type JournalUse = (context: VerbContext, journal: Journal) => Promise<ExitCode>;

/** Opens the journal for `use`, as the `run` of a verb, and closes it. The file itself is opened, and made, when it is needed. */
export function withJournal(use: JournalUse): (context: VerbContext) => Promise<ExitCode> {
  return async (context) => {
    let settings = defaultConfig.ledger;
    const damages: string[] = [];
    const opened = await openRuntime(context, {
      surface: 'ledger',
      cwd: context.paths.home,
      adjust: (config) => {
        settings = config.ledger;
        return config;
      },
      onWarning: (line) => {
        if (line.startsWith('The journal was damaged')) damages.push(line);
        context.note(line);
      },
    });
    if (!opened.ok) return context.fail(opened);
    const runtime = opened.value;
    try {
      const journal = await runtime.journal();
      return await use(context, { ...journal, settings, damages: () => damages });
    } finally {
      await runtime.close();
    }
  };
}
