import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { processTable } from './process-table.ts';
import { sendSignal } from './send-signal.ts';

/**
 * Names one process for ever: a pid alone is reused. Plain text, made to be stored. An empty field could not be found out.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Linux: field 22 of `/proc/<pid>/stat`, in clock ticks since boot. macOS: the start date by `ps`, in UTC. */
  readonly startTime: string;
  /** Linux: `/proc/sys/kernel/random/boot_id`. macOS: `kern.bootsessionuuid`, which a change of the clock leaves alone. */
  readonly bootId: string;
  /** The pid namespace in which `pid` is a name, which is that of the process that made the identity; empty on macOS. */
  readonly pidNamespace: string;
}

export type Liveness = 'alive' | 'dead' | 'unknown';

/** What two identities must share before their pids can be compared. */
type IdentityScope = Pick<ProcessIdentity, 'bootId' | 'pidNamespace'>;

function valueOrEmpty(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return '';
  }
}

function readBootId(): string {
  if (process.platform === 'linux') {
    return valueOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  }
  const { stdout } = spawnSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' });
  return typeof stdout === 'string' ? stdout.trim() : '';
}

let ownScope: IdentityScope | undefined;

/** Constant for the life of this process, hence read once. */
function readOwnScope(): IdentityScope {
  ownScope ??= { bootId: readBootId(), pidNamespace: valueOrEmpty(() => readlinkSync('/proc/self/ns/pid')) };
  return ownScope;
}

/** The identity of a running process; undefined when there is none of that pid, it is a zombie, or it is hidden from us. */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  if (!isPid(pid)) return undefined;
  const entry = processTable.read([pid])[0];
  return entry === undefined || entry.isZombie
    ? undefined
    : { pid, startTime: entry.startTime, ...readOwnScope() };
}

/** The identity of a child of ours, which keeps its pid until we collect it, ended or not. */
export function identityEvenIfEnded(pid: number): ProcessIdentity | undefined {
  const entry = processTable.read([pid])[0];
  return entry === undefined ? undefined : { pid, startTime: entry.startTime, ...readOwnScope() };
}

/** The identity of this process. Without a readable process table its fields are empty, and `isAlive` says `unknown`. */
export function currentProcessIdentity(): ProcessIdentity {
  return processIdentity(process.pid) ?? { pid: process.pid, startTime: '', ...readOwnScope() };
}

/**
 * Whether the process an identity names still runs. `dead` is only said when it is certain: the machine was booted since, the
 * pid is free, a zombie, or in use by a process that started at another time. Everything that cannot be compared (another
 * pid namespace, an empty field, a process hidden from us) is `unknown`.
 */
export function isAlive(identity: ProcessIdentity): Liveness {
  const { bootId, pidNamespace } = readOwnScope();
  if (!isPid(identity.pid) || identity.startTime === '') return 'unknown';
  if ((identity.bootId === '') !== (bootId === '')) return 'unknown';
  if (identity.bootId !== bootId) return 'dead';
  if (identity.pidNamespace !== pidNamespace) return 'unknown';
  const entry = processTable.read([identity.pid])[0];
  if (entry !== undefined)
    return entry.startTime === identity.startTime && !entry.isZombie ? 'alive' : 'dead';
  return sendSignal(identity.pid, 0) === 'gone' ? 'dead' : 'unknown';
}

function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 0;
}
