import { openBenchLedger, recordCalls } from './ledger-calls.ts';

/** One of several processes that write the same journal: `ledger-writer.ts <path> <session> <count>`. Prints its times as JSON. */
const [path = '', session = '', count = '0'] = process.argv.slice(2);
const ledger = openBenchLedger(path);
const times = await recordCalls(ledger, session, { count: Number(count) });
ledger.close();
process.stdout.write(JSON.stringify(times));
