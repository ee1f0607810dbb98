import type { Runtime } from '../../../app/index.ts';
import { fail, type Result, succeed, suggest } from '../../../kernel/errors/index.ts';
import { EVENT_NAMES, EVENTS, type EventName, isEventName } from '../../../kernel/events/index.ts';
import { type Config, defaultConfig, describeProblem, loadConfig } from '../../../platform/config/index.ts';
import type { ExitCode } from '../exit-code.ts';
import { printableLine } from '../output/printable.ts';
import { openRuntime } from '../runtime/open-runtime.ts';
import type { VerbContext } from '../verb.ts';

/** The shell hooks of the configuration; nothing is registered, asked or run by opening them. */
export interface OpenedHooks {
  readonly shell: Runtime['shellHooks'];
  readonly config: Config;
}

export type LiveProcess = Awaited<ReturnType<Runtime['shellHooks']['live']>>[number];

/** Opens them for `use`, and closes them. Says itself what failed. */
export async function withHooks(
  context: VerbContext,
  use: (hooks: OpenedHooks) => Promise<ExitCode>,
): Promise<ExitCode> {
  let config = defaultConfig;
  const runtime = await openRuntime(context, {
    surface: 'hooks',
    mayNotWrite: true,
    adjust: (loaded) => {
      config = loaded;
      return loaded;
    },
  });
  if (!runtime.ok) {
    await noteProblems(context);
    return context.fail(runtime);
  }
  try {
    return await use({ shell: runtime.value.shellHooks, config });
  } finally {
    await runtime.value.close();
  }
}

/** A failure names the first mistake of a configuration; who looks at hooks is told of each. */
async function noteProblems(context: VerbContext): Promise<void> {
  const loaded = await loadConfig(context.paths.home, context.environment);
  const errors = loaded.ok ? [] : loaded.problems.filter(({ severity }) => severity === 'error');
  if (errors.length < 2) return;
  for (const problem of errors) context.note(`invalid: ${printableLine(describeProblem(problem))}`);
}

/** The event of that name; fails with those there are. */
export function readEvent(name: string): Result<EventName> {
  if (isEventName(name)) return succeed(name);
  const near = suggest(name, EVENT_NAMES);
  const known = `the events are: ${EVENT_NAMES.toSorted().join(', ')}`;
  return fail(
    'unknown_event',
    `There is no event ${JSON.stringify(printableLine(name))}.`,
    near === undefined ? known : `did you mean ${near}? ${known}`,
  );
}

/** Whether an event is about a tool, so that a matcher has something to match. */
export function isToolEvent(event: EventName): boolean {
  return 'toolName' in EVENTS[event].payload;
}

/** The processes that say they have registered a hook. */
export function registeredIn(
  { event, command }: { readonly event: string; readonly command: string },
  processes: readonly LiveProcess[],
): readonly LiveProcess[] {
  return processes.filter(({ hooks }) =>
    hooks.some((hook) => hook.event === event && hook.command.trim() === command.trim()),
  );
}

export function processName({ pid, surface }: LiveProcess): string {
  return surface === '' ? `pid ${String(pid)}` : `pid ${String(pid)} (${printableLine(surface)})`;
}
