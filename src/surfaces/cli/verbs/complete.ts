import { openSessionStore } from '../../../agent/sessions/index.ts';
import type { Runtime } from '../../../app/index.ts';
import { EVENT_NAMES } from '../../../kernel/events/index.ts';
import { defaultConfig, listConfigKeys, loadConfig } from '../../../platform/config/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { EXIT } from '../exit-code.ts';
import { choiceArgument } from '../inputs.ts';
import { shortIds } from '../rollback/short-ids.ts';
import type { Verb, VerbContext } from '../verb.ts';

const COMPLETED_CALLS = 200;

const kind = choiceArgument('kind', 'what is completed', [
  'config-keys',
  'session-ids',
  'checkpoint-ids',
  'ledger-ids',
  'hook-events',
  'hook-commands',
]);

/** Asked by the completion scripts. What cannot be found out is left out: nobody reads an error there. */
export const verb: Verb = {
  name: '__complete',
  summary: 'list what a shell can complete an argument with',
  example: 'herma __complete config-keys',
  arguments: [kind],
  run: async (context) => {
    const words = await wordsOf[context.get(kind)](context);
    if (context.json) context.printJson(words);
    else for (const word of words) context.print(word);
    return EXIT.done;
  },
};

const wordsOf = {
  'config-keys': configKeys,
  'session-ids': sessionIds,
  'checkpoint-ids': checkpointIds,
  'ledger-ids': ledgerIds,
  'hook-events': hookEvents,
  'hook-commands': hookCommands,
};

async function configKeys(): Promise<readonly string[]> {
  const keys = await listConfigKeys();
  return keys.map(({ key }) => key).filter((key) => !key.includes('<'));
}

async function sessionIds({ paths, clock }: VerbContext): Promise<readonly string[]> {
  const stat = await statPath(paths.stateDatabase);
  if (!stat.ok || stat.value === undefined) return [];
  const store = openSessionStore({ path: paths.stateDatabase, clock });
  if (!store.ok) return [];
  try {
    const sessions = store.value.list();
    return sessions.ok ? sessions.value.map(({ id }) => id) : [];
  } finally {
    store.value.close();
  }
}

/** Those of the project of the current folder; made of nothing where nothing was ever stored. */
async function checkpointIds(context: VerbContext): Promise<readonly string[]> {
  const stored = await statPath(context.paths.checkpointStore);
  if (!stored.ok || stored.value === undefined) return [];
  const runtime = await quietRuntime(context);
  try {
    const store = await runtime.checkpoints();
    if (!store.ok) return [];
    const { entries } = await store.value.list(context.workingDirectory());
    const ids = shortIds(entries.map(({ id }) => id));
    return entries.map(({ id }) => ids.get(id) ?? id);
  } finally {
    await runtime.close();
  }
}

/** Of the newest calls. */
async function ledgerIds(context: VerbContext): Promise<readonly string[]> {
  const runtime = await quietRuntime(context);
  try {
    const { ledger } = await runtime.journal();
    if (!ledger.file.exists) return [];
    const { readRows } = await import('../../../safety/ledger/index.ts');
    const rows = await readRows(ledger, { limit: COMPLETED_CALLS });
    return rows.ok ? rows.value.map(({ row }) => String(row.id)) : [];
  } finally {
    await runtime.close();
  }
}

async function quietRuntime({ paths, environment, clock }: VerbContext): Promise<Runtime> {
  const { createRuntime } = await import('../../../app/index.ts');
  return createRuntime({
    surface: 'checkpoints',
    paths,
    config: defaultConfig,
    environment,
    cwd: paths.home,
    clock,
    onWarning: () => undefined,
  });
}

async function hookEvents(): Promise<readonly string[]> {
  return Promise.resolve(EVENT_NAMES);
}

async function hookCommands({ paths, environment }: VerbContext): Promise<readonly string[]> {
  const loaded = await loadConfig(paths.home, environment);
  return loaded.ok ? [...new Set(loaded.config.hooks.shell.map(({ command }) => command))] : [];
}
