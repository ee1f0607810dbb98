import type { ToolCall } from '../../kernel/tool-call/index.ts';
import type { CallGuard } from '../../kernel/verdict/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import { describeFinding, type TamperFinding } from './finding.ts';
import { followPath } from './follow-path.ts';
import { Lineages } from './lineages.ts';
import type { ProtectedPaths } from './protected-paths.ts';
import { ProtectedTree } from './protected-tree.ts';
import { tamperGuard } from './tamper-guard.ts';
import { type TamperEvent, TamperRecords } from './tamper-records.ts';

export interface SelfProtectionParts {
  readonly paths: ProtectedPaths;
  readonly clock: Clock;
  readonly newId: () => string;
  /** A call in one line, without secrets. */
  readonly describe: (call: ToolCall) => string;
  /** Told of every change that was found, once; for the log. */
  readonly onTampered: (event: TamperEvent) => void;
}

/** The time from before a call to its end. */
export interface ProtectionWindow {
  /** What of the protected files cannot be watched, one line each. */
  readonly warnings: readonly string[];
}

interface OpenWindow extends ProtectionWindow {
  readonly call: ToolCall;
  readonly findings: TamperFinding[];
}

/**
 * Catches what no analysis of a call can see: the protected files are compared before and after every call that can run code. What
 * changed in between is put back, what was found in its place is kept aside, and the session, with those that delegated to
 * it, is blocked by {@link guard} until a person has looked.
 *
 * Windows of calls that run side by side overlap: a change is found once, and laid to all of them. Between windows nothing is
 * looked at. What another process writes for a person while a window is open cannot be told from what the call did, and is put
 * back too.
 */
export class SelfProtection {
  readonly #parts: SelfProtectionParts;
  readonly #tree: ProtectedTree;
  readonly #records: TamperRecords;
  readonly #lineages = new Lineages();
  readonly #open = new Set<OpenWindow>();
  readonly #written = new Map<string, number>();
  readonly #warned = new Set<string>();

  constructor(parts: SelfProtectionParts) {
    const { paths, clock, newId } = parts;
    this.#parts = parts;
    this.#tree = new ProtectedTree({ paths, newId, now: () => clock.now() });
    this.#records = new TamperRecords(paths.records, newId);
  }

  /** To be called immediately before a call runs; undefined when the call runs no code. Each window is to be closed by {@link after}. */
  before(call: ToolCall): ProtectionWindow | undefined {
    if (!canRunCode(call)) return undefined;
    // While another window is open nothing may be taken for right that its call did.
    const problems = this.#open.size === 0 ? this.#tree.refresh() : this.#settle();
    const warnings = problems.filter((line) => !this.#warned.has(line));
    for (const line of warnings) this.#warned.add(line);
    const window: OpenWindow = { call, findings: [], warnings };
    this.#open.add(window);
    return window;
  }

  /** To be called when the call has ended, before anybody else is told. The value is what changed since {@link before}. */
  async after(window: ProtectionWindow): Promise<readonly TamperFinding[]> {
    const open = [...this.#open].find((each) => each === window);
    if (open === undefined) return Promise.resolve([]);
    try {
      this.#settle();
    } finally {
      this.#open.delete(open);
    }
    return Promise.resolve(open.findings);
  }

  /**
   * Runs work by which this process itself changes a protected file for a person, such as a remembered approval: what the file
   * holds then is right. What calls changed before is put back first, so that the work cannot take it over.
   *
   * @param path the protected file; absolute.
   */
  async expectChange<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
    this.#settle();
    const paths = new Set([path, followPath(path)]);
    for (const each of paths) this.#written.set(each, (this.#written.get(each) ?? 0) + 1);
    try {
      return await work();
    } finally {
      for (const each of paths) this.#endWriting(each);
      this.#settle(paths);
    }
  }

  /** Blocks every call with an effect of a session that was caught. */
  guard(): CallGuard {
    return tamperGuard({ records: this.#records, lineages: this.#lineages });
  }

  #endWriting(path: string): void {
    const count = (this.#written.get(path) ?? 1) - 1;
    if (count === 0) this.#written.delete(path);
    else this.#written.set(path, count);
  }

  /** The value is empty: what there is to say is said to those it concerns. */
  #settle(adopted: ReadonlySet<string> = new Set()): readonly string[] {
    if (this.#open.size === 0) return [];
    const findings = this.#tree.settle({
      isBeingWritten: (path) => this.#written.has(path),
      isAdopted: (path) => adopted.has(path),
    });
    if (findings.length > 0) this.#record(findings);
    return [];
  }

  #record(found: readonly TamperFinding[]): void {
    const { clock, describe, onTampered } = this.#parts;
    const at = new Date(clock.now()).toISOString();
    const event = (windows: readonly OpenWindow[], files: readonly TamperFinding[]): TamperEvent => ({
      at,
      calls: windows.map(({ call }) => ({
        callId: call.callId,
        tool: call.tool,
        description: describe(call),
      })),
      files,
    });
    const windows = [...this.#open];
    const problems: string[] = [];
    for (const [id, suspects] of this.#bySession(windows)) {
      const added = this.#records.add(id, event(suspects, found));
      if (!added.ok) problems.push(added.message);
    }
    const findings = problems.length === 0 ? found : found.map((each) => withProblems(each, problems));
    for (const window of windows) window.findings.push(...findings);
    onTampered(event(windows, findings));
  }

  #bySession(windows: readonly OpenWindow[]): ReadonlyMap<string, readonly OpenWindow[]> {
    const sessions = new Map<string, OpenWindow[]>();
    for (const window of windows) {
      for (const id of this.#lineages.of(window.call))
        sessions.set(id, [...(sessions.get(id) ?? []), window]);
    }
    return sessions;
  }
}

function withProblems(finding: TamperFinding, problems: readonly string[]): TamperFinding {
  return { ...finding, problem: [finding.problem, ...problems].filter(Boolean).join('; ') };
}

/** A tool that acts by calls of its own has a window for each of those. */
function canRunCode({ effect, actsThroughGate }: ToolCall): boolean {
  return (effect === 'execute' || effect === 'external') && actsThroughGate !== true;
}

/** What is said to the person of a call, one line for each finding. */
export function tamperWarnings(findings: readonly TamperFinding[]): readonly string[] {
  if (findings.length === 0) return [];
  return [
    ...findings.map(describeFinding),
    'Further side effects of this session are blocked until you have looked: `herma doctor` shows the changes, `herma doctor --accept` lifts the block.',
  ];
}
