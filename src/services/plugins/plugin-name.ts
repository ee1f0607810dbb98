import { fail, type Result, succeed } from '../../kernel/errors/index.ts';

/** The journal is a plugin of Hermes Agent; here it is a part of the program. */
export const BUILT_IN_PLUGIN = 'agent-ledger';

const PLUGIN_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** The file in `plugin-data/` that says where plugins came from: no plugin may keep its data there. */
export const INSTALLED_FILE = 'installed.json';

/** Whether a name is one that a plugin may have. Such a name is the name of one folder, and leads nowhere else. */
export function isPluginName(name: string): boolean {
  return PLUGIN_NAME.test(name) && name !== INSTALLED_FILE && name !== BUILT_IN_PLUGIN;
}

/** The name, when a plugin may have it; what is wrong with it, otherwise. */
export function checkPluginName(name: string): Result<string, 'bad_name' | 'built_in'> {
  if (isPluginName(name)) return succeed(name);
  if (name === BUILT_IN_PLUGIN) {
    return fail(
      'built_in',
      `${BUILT_IN_PLUGIN} is built in: it is the journal of Herma, and no plugin.`,
      'Nothing needs to be installed or enabled.',
    );
  }
  return fail(
    'bad_name',
    `${JSON.stringify(name.slice(0, 80))} cannot be the name of a plugin.`,
    'A name begins with a lower-case letter or a digit, goes on with those and ". _ -", and has at most 64 characters.',
  );
}
