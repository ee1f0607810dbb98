import type { JsonObject } from '../../../kernel/json/index.ts';
import { allRows } from '../../../safety/ledger/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { VerbContext } from '../verb.ts';
import { nothingYet } from './nothing-yet.ts';
import type { Journal } from './open-journal.ts';

/** `herma ledger export`: every row as one line of JSON, the oldest first; one array with `--json`. */
export async function runExport(context: VerbContext, { ledger }: Journal): Promise<ExitCode> {
  if (!ledger.file.exists) return nothingYet(context, []);
  const all: JsonObject[] = [];
  for await (const page of allRows(ledger)) {
    context.signal.throwIfAborted();
    if (!page.ok) return context.fail(page);
    for (const { columns } of page.value) {
      if (context.json) all.push(columns);
      else context.print(JSON.stringify(columns));
    }
    await written(context);
  }
  if (context.json) context.printJson(all);
  return EXIT.done;
}

/** Waits for the reader, so that a journal of any size does not pile up in memory. */
async function written({ stdout }: VerbContext): Promise<void> {
  return new Promise((resolve) => {
    stdout.stream.write('', () => resolve());
  });
}
