import {
  COMMAND_CLASSES,
  type CommandAnalysis,
  type CommandClass,
  type CommandFinding,
  type ProgramRun,
} from './command-analysis.ts';

const MAX_EVIDENCE = 200;
const MAX_PROGRAMS = 500;
const MAX_PATHS = 500;
const MAX_FINDINGS = 200;

/** Collects what is found; its lists keep their order and have no repeats. */
export interface Report {
  readonly findings: Map<string, CommandFinding>;
  readonly programs: ProgramRun[];
  readonly reads: Set<string>;
  readonly writes: Set<string>;
  readonly downloads: Set<string>;
  readonly runs: Set<string>;
  readonly hosts: Set<string>;
  readonly code: string[];
  codeLength: number;
  readonly data: Set<string>;
  /** Texts that turned out to be run. */
  readonly executed: Set<string>;
  sends: boolean;
  problem: CommandAnalysis['problem'];
}

export function newReport(): Report {
  return {
    findings: new Map(),
    programs: [],
    reads: new Set(),
    writes: new Set(),
    downloads: new Set(),
    runs: new Set(),
    hosts: new Set(),
    code: [],
    codeLength: 0,
    data: new Set(),
    executed: new Set(),
    sends: false,
    problem: undefined,
  };
}

export function addFinding(
  report: Report,
  commandClass: CommandClass,
  evidence: string,
  targets: readonly string[] = [],
): void {
  const shown = evidence.trim().slice(0, MAX_EVIDENCE);
  const key = `${commandClass} ${shown}`;
  const known = report.findings.get(key);
  if (known === undefined && report.findings.size >= MAX_FINDINGS) {
    // The worst is never lost: there is always room for one of each class.
    for (const finding of report.findings.values()) if (finding.class === commandClass) return;
  }
  const all = new Set([...(known?.targets ?? []), ...targets]);
  report.findings.set(key, { class: commandClass, evidence: shown, targets: [...all].slice(0, 20) });
}

export function addPath(paths: Set<string>, path: string): void {
  if (paths.size < MAX_PATHS) paths.add(path);
}

export function addProgram(
  { programs }: Report,
  name: string | undefined,
  args: readonly { readonly text: string | undefined }[],
): void {
  if (programs.length < MAX_PROGRAMS) programs.push({ argv: [name, ...args.map(({ text }) => text)] });
}

const WEIGHT = new Map(COMMAND_CLASSES.map((name, index) => [name, index]));

export function sortedFindings({ findings }: Report): CommandFinding[] {
  const weight = (finding: CommandFinding): number => WEIGHT.get(finding.class) ?? COMMAND_CLASSES.length;
  return [...findings.values()].toSorted((one, other) => weight(one) - weight(other));
}
