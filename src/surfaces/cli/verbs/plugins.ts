import type { Failure, Result } from '../../../kernel/errors/index.ts';
import type { JsonObject } from '../../../kernel/json/index.ts';
import { displayPath, ensureHome, resolvePath } from '../../../platform/paths/index.ts';
import {
  enabledInConfig,
  type InstalledPlugin,
  type ListedPlugin,
  type PluginManifest,
  PluginStore,
  type Registered,
} from '../../../services/plugins/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { flagOption, textArgument } from '../inputs.ts';
import { type Column, formatTable } from '../output/format-table.ts';
import { printableLine } from '../output/printable.ts';
import { confirm } from '../runtime/confirm.ts';
import { personOnly } from '../runtime/person-only.ts';
import type { Verb, VerbContext } from '../verb.ts';

const name = textArgument('name', 'the plugin, as `herma plugins list` shows it');
const source = textArgument(
  'source',
  'a folder, the address of a git repository, or the name of an npm package',
  {
    completion: 'folders',
  },
);
const enableToo = flagOption('--enable', 'enable it once it is installed');

const FROM_NOW = 'in effect from the next session on';

const list: Verb = {
  name: 'list',
  summary: 'list the plugins of this home',
  details:
    'Broken ones too, with the reason, and those that are enabled and not there. Exit code 1 when one that is enabled cannot be used.',
  example: 'herma plugins list',
  run: async (context) => {
    const listed = await storeOf(context).list();
    if (!listed.ok) return context.fail(listed);
    if (context.json) context.printJson(listed.value.map(documentOf));
    else if (listed.value.length === 0) context.note('there are no plugins');
    else for (const line of tableOf(listed.value, context)) context.print(line);
    return listed.value.some(({ isEnabled, found }) => isEnabled && !found.ok) ? EXIT.no : EXIT.done;
  },
};

const show: Verb = {
  name: 'show',
  summary: 'show what a plugin says of itself and what it registers',
  details:
    'To find out what it registers, its code runs, in a thread of its own and for ten seconds at most; nothing of it takes effect.',
  example: 'herma plugins show my-plugin',
  arguments: [name],
  run: async (context) => {
    const store = storeOf(context);
    const listed = await store.list();
    if (!listed.ok) return context.fail(listed);
    const previewed = await store.preview(context.get(name), context.signal);
    if (!previewed.ok) return failed(context, previewed);
    const { folder, registered } = previewed.value;
    const plugin = listed.value.find((each) => each.name === folder.name);
    if (plugin !== undefined && context.json)
      context.printJson({ ...documentOf(plugin), registers: registeredDocument(registered) });
    if (context.json) return EXIT.done;
    const { manifest } = folder;
    context.print(
      printableLine(`${folder.name} ${manifest.version}${plugin?.isEnabled === true ? ', enabled' : ''}`),
    );
    for (const line of [...manifestLines(manifest), ...originLines(plugin?.installed)]) context.print(line);
    for (const line of registeredLines(registered)) context.print(line);
    return EXIT.done;
  },
};

const enable: Verb = {
  name: 'enable',
  summary: 'load a plugin from the next session on',
  details: 'Shows what it registers; its code runs for that. A plugin that cannot be loaded is not enabled.',
  example: 'herma plugins enable my-plugin',
  arguments: [name],
  run: personOnly({ what: 'plugins', verb: 'enable' }, async (context) =>
    enablePlugin(context, context.get(name)),
  ),
};

const disable: Verb = {
  name: 'disable',
  summary: 'load a plugin no more from the next session on',
  example: 'herma plugins disable my-plugin',
  arguments: [name],
  run: personOnly({ what: 'plugins', verb: 'disable' }, async (context) => {
    const done = await inHome(context, (store) => store.disable(context.get(name)));
    if (!done.ok) return failed(context, done);
    if (context.json) context.printJson({ name: context.get(name), enabled: false, changed: done.value });
    else
      context.print(
        done.value ? `${context.get(name)} is disabled, ${FROM_NOW}` : `${context.get(name)} was not enabled`,
      );
    return EXIT.done;
  }),
};

const install: Verb = {
  name: 'install',
  summary: 'install a plugin, disabled, and show what it registers',
  details:
    'A path begins with ./, / or ~; an address may end in #branch, #tag or #commit. No script of a package runs, but the plugin itself does, for a moment, to show what it registers. What was installed is pinned in plugin-data/installed.json.',
  example: 'herma plugins install ./my-plugin',
  arguments: [source],
  options: [enableToo],
  run: personOnly({ what: 'plugins', verb: 'install' }, runInstall),
};

const remove: Verb = {
  name: 'remove',
  summary: 'disable a plugin and remove its folder',
  details: 'Asks first. Its data, in plugin-data/, stays. Exit code 1 when the answer is no.',
  example: 'herma plugins remove my-plugin -y',
  arguments: [name],
  run: personOnly({ what: 'plugins', verb: 'remove' }, async (context) => {
    const given = context.get(name);
    const agreed = await confirm(context, `Remove the plugin ${given}?`);
    if (!agreed.ok) return context.fail(agreed);
    const done = agreed.value ? await inHome(context, (store) => store.remove(given)) : undefined;
    if (done?.ok === false) return failed(context, done);
    if (context.json) context.printJson({ name: given, removed: agreed.value });
    else context.print(agreed.value ? `removed: ${printableLine(given)}` : 'nothing was removed');
    const data = resolvePath(context.paths.pluginData, given);
    if (agreed.value) context.note(`what it kept in ${displayPath(data)}, if anything, is still there`);
    return agreed.value ? EXIT.done : EXIT.no;
  }),
};

export const verb: Verb = {
  name: 'plugins',
  summary: 'install, enable and remove plugins',
  example: 'herma plugins list',
  subcommands: [list, show, enable, disable, install, remove],
};

async function runInstall(context: VerbContext): Promise<ExitCode> {
  const given = context.get(source);
  const cwd = context.workingDirectory();
  const done = await inHome(context, (store) => store.install(given, { cwd, signal: context.signal }));
  if (!done.ok) return failed(context, done);
  const { folder, registered, entry } = done.value;
  if (!context.json) {
    context.print(printableLine(`installed: ${folder.name} ${folder.manifest.version}`));
    for (const line of [...manifestLines(folder.manifest), ...originLines(entry)]) context.print(line);
    for (const line of registeredLines(registered)) context.print(line);
  }
  const wanted = await wantsEnabled(context, folder.name);
  if (!wanted.ok) return context.fail(wanted);
  const enabled = wanted.value
    ? await inHome(context, (store) => store.enable(folder.name, context.signal))
    : undefined;
  if (enabled?.ok === false) return failed(context, enabled);
  if (context.json) {
    context.printJson({
      name: folder.name,
      version: folder.manifest.version,
      enabled: wanted.value,
      ...installedDocument(entry),
      registers: registeredDocument(registered),
    });
  } else if (wanted.value) context.print(`${folder.name} is enabled, ${FROM_NOW}`);
  else context.print(`it is not enabled: herma plugins enable ${folder.name}`);
  return EXIT.done;
}

/** `--yes` is about nothing here: only `--enable`, or a person who says so, enables what was just installed. */
async function wantsEnabled(context: VerbContext, plugin: string): Promise<Result<boolean>> {
  if (context.get(enableToo)) return { ok: true, value: true };
  if (context.yes || context.json || !context.isInteractive) return { ok: true, value: false };
  return confirm(context, `Enable ${plugin} from the next session on?`);
}

async function enablePlugin(context: VerbContext, plugin: string): Promise<ExitCode> {
  const done = await inHome(context, (store) => store.enable(plugin, context.signal));
  if (!done.ok) return failed(context, done);
  const { registered, isChanged } = done.value;
  if (context.json) {
    context.printJson({
      name: plugin,
      enabled: true,
      changed: isChanged,
      registers: registeredDocument(registered),
    });
    return EXIT.done;
  }
  for (const line of registeredLines(registered)) context.print(line);
  context.print(isChanged ? `${plugin} is enabled, ${FROM_NOW}` : `${plugin} is enabled already`);
  return EXIT.done;
}

function storeOf({ paths, environment, clock }: VerbContext): PluginStore {
  return new PluginStore({ paths, environment, clock, enabled: enabledInConfig(paths.home, environment) });
}

async function inHome<Value>(
  context: VerbContext,
  work: (store: PluginStore) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const home = ensureHome(context.paths.home);
  return home.ok ? work(storeOf(context)) : home;
}

/** What is built in needs nothing, and that is no failure. */
function failed(context: VerbContext, failure: Failure): ExitCode {
  if (failure.code !== 'built_in') return context.fail(failure);
  if (context.json) context.printJson({ built_in: true, message: failure.message });
  else context.print(`${failure.message} ${failure.remedy ?? ''}`.trim());
  return EXIT.done;
}

function tableOf(plugins: readonly ListedPlugin[], { colours, stdout }: VerbContext): readonly string[] {
  const columns: readonly Column<ListedPlugin>[] = [
    { title: 'NAME', text: (plugin) => plugin.name },
    { title: 'VERSION', text: (plugin) => manifestOf(plugin)?.version ?? '' },
    {
      title: 'STATE',
      text: stateOf,
      paint: (text, { found, isEnabled }) =>
        found.ok ? (isEnabled ? colours.good(text) : text) : colours.bad(text),
    },
    { title: 'SOURCE', text: ({ installed }) => installed?.source ?? 'folder', shrinks: true },
    {
      title: 'DESCRIPTION',
      text: ({ found }) => (found.ok ? found.folder.manifest.description : found.message),
      shrinks: true,
    },
  ];
  return formatTable(plugins, columns, { columns: stdout.columns, paintTitle: colours.strong });
}

function manifestOf({ found }: ListedPlugin): PluginManifest | undefined {
  return found.ok ? found.folder.manifest : found.manifest;
}

function stateOf({ found, isEnabled }: ListedPlugin): string {
  const state = isEnabled ? 'enabled' : 'disabled';
  return found.ok ? state : `${state}, broken`;
}

function documentOf(plugin: ListedPlugin): JsonObject {
  const { found, isEnabled, installed } = plugin;
  const manifest = manifestOf(plugin);
  return {
    name: plugin.name,
    version: manifest?.version ?? null,
    description: manifest?.description ?? null,
    author: manifest?.author ?? null,
    isolate: manifest?.isolate ?? null,
    env: manifest?.env ?? [],
    enabled: isEnabled,
    problem: found.ok ? null : found.message,
    ...installedDocument(installed),
  };
}

function installedDocument(installed: InstalledPlugin | undefined): JsonObject {
  return {
    source: installed?.source ?? 'folder',
    commit: installed?.commit ?? null,
    package_version: installed?.version ?? null,
    integrity: installed?.integrity ?? null,
    installed_at: installed?.installedAt ?? null,
  };
}

function registeredDocument({ hooks, tools, commands, sections, problems }: Registered): JsonObject {
  return {
    hooks: hooks.map(({ event }) => event),
    tools: tools.map((tool) => ({ name: tool.name, effect: tool.effect, description: tool.description })),
    commands: commands.map((command) => ({ name: command.name, summary: command.summary })),
    system_prompt_sections: sections.map(({ id, text }) => ({ id, text })),
    problems,
  };
}

function manifestLines({ description, author, isolate, env }: PluginManifest): readonly string[] {
  return [
    ...(description === '' ? [] : [`  ${description}`]),
    ...(author === undefined ? [] : [`  author: ${author}`]),
    `  runs ${isolate ? 'in a thread of its own' : 'in the thread of the agent'}`,
    ...(env.length === 0 ? [] : [`  needs ${env.join(', ')} in the environment`]),
  ].map(printableLine);
}

function originLines(installed: InstalledPlugin | undefined): readonly string[] {
  if (installed?.installedAt === undefined) return [];
  const { source: from, commit, version, integrity } = installed;
  return [
    `  from ${from}`,
    ...(commit === undefined ? [] : [`  commit ${commit}`]),
    ...(version === undefined ? [] : [`  package version ${version}, ${integrity ?? ''}`]),
  ].map(printableLine);
}

function registeredLines({ hooks, tools, commands, sections, problems }: Registered): readonly string[] {
  const lines = [
    ...[...new Set(hooks.map(({ event }) => event))].map((event) =>
      event === 'pre_tool_call' ? `  hook ${event}: may block and rewrite every call` : `  hook ${event}`,
    ),
    ...tools.map((tool) => `  tool ${tool.name} (${tool.effect}): ${tool.description}`),
    ...commands.map((command) => `  command /${command.name}: ${command.summary}`),
    ...sections.map(
      ({ id, text }) => `  section ${id} of the system prompt (${String(text.length)} characters)`,
    ),
    ...problems.map((problem) => `  problem: ${problem}`),
  ];
  return lines.length === 0 ? ['  registers nothing'] : lines.map(printableLine);
}
