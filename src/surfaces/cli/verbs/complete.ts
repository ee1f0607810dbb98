import { openSessionStore } from '../../../agent/sessions/index.ts';
import { listConfigKeys } from '../../../platform/config/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { EXIT } from '../exit-code.ts';
import { choiceArgument } from '../inputs.ts';
import type { Verb, VerbContext } from '../verb.ts';

const kind = choiceArgument('kind', 'what is completed', ['config-keys', 'session-ids']);

/** Asked by the completion scripts. What cannot be found out is left out: nobody reads an error there. */
export const verb: Verb = {
  name: '__complete',
  summary: 'list what a shell can complete an argument with',
  example: 'herma __complete config-keys',
  arguments: [kind],
  run: async (context) => {
    const words = context.get(kind) === 'config-keys' ? await configKeys() : await sessionIds(context);
    if (context.json) context.printJson(words);
    else for (const word of words) context.print(word);
    return EXIT.done;
  },
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
