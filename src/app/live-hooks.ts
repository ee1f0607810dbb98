import { getOwn, getString, isJsonObject, type JsonValue } from '../kernel/json/index.ts';
import {
  listDirectory,
  makeDirectory,
  readJsonFile,
  removeFile,
  writeFileAtomic,
} from '../platform/files/index.ts';
import { resolvePath } from '../platform/paths/index.ts';
import { currentProcessIdentity, isAlive, type ProcessIdentity } from '../platform/process/index.ts';

/** The hooks that one running process says it has registered. */
export interface LiveHooks {
  readonly pid: number;
  readonly surface: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly startedAt: number;
  readonly hooks: readonly LiveHook[];
}

export interface LiveHook {
  readonly event: string;
  readonly command: string;
  /** Whether it may run, as far as was known when the process started. */
  readonly isPermitted: boolean;
}

/** One file for each process that has hooks, below `run/hooks`: what `hooks doctor` asks running agents with. */
export class LiveHooksFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Says what this process has registered. A file that cannot be written is one line, and no more: the hooks run. */
  async publish(live: Omit<LiveHooks, 'pid'>): Promise<readonly string[]> {
    const made = await makeDirectory(this.#folder);
    if (!made.ok) return [made.message];
    const written = await writeFileAtomic(this.#ownPath(), encode(live), { fsync: false });
    return written.ok ? [] : [written.message];
  }

  async withdraw(): Promise<void> {
    await removeFile(this.#ownPath());
  }

  /** Those of living processes. Files of dead ones are removed, unreadable ones left out. */
  async all(): Promise<readonly LiveHooks[]> {
    const listed = await listDirectory(this.#folder);
    if (!listed.ok) return [];
    const found: LiveHooks[] = [];
    for (const { name } of listed.value) {
      const path = resolvePath(this.#folder, name);
      const read = await readJsonFile(path);
      const decoded = read.ok ? decode(read.value) : undefined;
      if (decoded === undefined) continue;
      if (isAlive(decoded.process) === 'dead') await removeFile(path);
      else found.push(decoded.live);
    }
    return found;
  }

  #ownPath(): string {
    return resolvePath(this.#folder, `${String(currentProcessIdentity().pid)}.json`);
  }
}

function encode({ surface, startedAt, hooks }: Omit<LiveHooks, 'pid'>): string {
  const { pid, startTime, bootId, pidNamespace } = currentProcessIdentity();
  return JSON.stringify({
    version: 1,
    process: { pid, start_time: startTime, boot_id: bootId, pid_namespace: pidNamespace },
    surface,
    started_at: startedAt,
    hooks: hooks.map(({ event, command, isPermitted }) => ({ event, command, is_permitted: isPermitted })),
  });
}

function decode(
  value: JsonValue,
): { readonly process: ProcessIdentity; readonly live: LiveHooks } | undefined {
  if (!isJsonObject(value) || getOwn(value, 'version') !== 1) return undefined;
  const process = decodeProcess(getOwn(value, 'process'));
  const [startedAt, hooks] = [getOwn(value, 'started_at'), getOwn(value, 'hooks')];
  if (process === undefined || typeof startedAt !== 'number' || !Array.isArray(hooks)) return undefined;
  const surface = getString(value, 'surface') ?? '';
  return { process, live: { pid: process.pid, surface, startedAt, hooks: hooks.flatMap(decodeHook) } };
}

function decodeProcess(value: JsonValue | undefined): ProcessIdentity | undefined {
  if (!isJsonObject(value)) return undefined;
  const pid = getOwn(value, 'pid');
  const [startTime, bootId] = [getString(value, 'start_time'), getString(value, 'boot_id')];
  const pidNamespace = getString(value, 'pid_namespace');
  if (typeof pid !== 'number' || startTime === undefined) return undefined;
  if (bootId === undefined || pidNamespace === undefined) return undefined;
  return { pid, startTime, bootId, pidNamespace };
}

function decodeHook(value: unknown): readonly LiveHook[] {
  if (!isJsonObject(value)) return [];
  const [event, command] = [getString(value, 'event'), getString(value, 'command')];
  if (event === undefined || command === undefined) return [];
  return [{ event, command, isPermitted: getOwn(value, 'is_permitted') === true }];
}
