import { getString, isJsonObject, type JsonObject, parseJson } from '../../../kernel/json/index.ts';
import { describeCall } from '../../../kernel/tool-call/index.ts';
import { expandTilde, resolvePath } from '../../../platform/paths/index.ts';
import {
  analyseCommand,
  COMMAND_CLASSES,
  type CommandFinding,
  type CommandPlace,
} from '../../../shell/index.ts';
import type { PostureRow } from '../model/posture-row.ts';

/** Where the agent's commands ran. Absolute. */
export interface PosturePlace {
  readonly home: string;
  readonly hermaHome: string;
}

/** What reading a call again tells of it. */
export interface CallReading {
  readonly findings: readonly CommandFinding[];
  /** Hosts it talks to, lower case. */
  readonly hosts: readonly string[];
}

/** A row of the journal, read. */
export interface ReadCall {
  readonly row: PostureRow;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly atMs: number;
  /** Whether it ran, or may have: not stopped, not cancelled beforehand, not waiting for a person. */
  readonly isExecuted: boolean;
  /** The call in one line. */
  readonly title: string;
  readonly args: JsonObject;
  /** Analysed once, when it is first asked for. */
  readonly reading: () => CallReading;
}

const NO_READING: CallReading = { findings: [], hosts: [] };
const COMMAND_ARGUMENTS = ['command', 'cmd'];
const SHELLS = ['sh', 'bash', 'dash', 'shell', 'zsh', 'ksh', 'ash'];
const FOLDER_ARGUMENTS = ['workdir', 'cwd', 'directory', 'dir_path'];
const PATH_ARGUMENTS = ['path', 'file_path', 'filePath', 'notebook_path', 'filename'];
const TITLE_CHARS = 200;

/** Reads a row. Touches neither files nor the clock. */
export function readCall(row: PostureRow, place: PosturePlace): ReadCall {
  const args = argsOf(row);
  let reading: CallReading | undefined;
  return {
    row,
    atMs: Date.parse(row.ts),
    isExecuted: isExecuted(row),
    title: describeCall({ tool: row.toolName, args }, TITLE_CHARS),
    args,
    reading: () => (reading ??= read(row, args, place)),
  };
}

function argsOf({ argsJson }: PostureRow): JsonObject {
  const parsed = argsJson === null ? undefined : parseJson(argsJson);
  return parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : {};
}

function isExecuted({ status, effect, awaitsApproval }: PostureRow): boolean {
  if (status.startsWith('BLOCKED')) return false;
  if (status === 'CANCELLED') return effect !== 'none' && effect !== 'not_applied';
  return !(awaitsApproval && status === 'PENDING');
}

function read(row: PostureRow, args: JsonObject, place: PosturePlace): CallReading {
  const folder = FOLDER_ARGUMENTS.map((name) => getString(args, name)).find(
    (value) => value !== undefined && value !== '',
  );
  const cwd = folder === undefined ? row.cwd : resolvePath(row.cwd, expandTilde(folder, place.home));
  const where: CommandPlace = { ...place, cwd, workspace: row.cwd };
  const command = commandOf(row, args);
  const reading = command === undefined ? readPaths(row, args, where) : analysed(command, where);
  return withRecorded(reading, row, command);
}

function commandOf({ toolName, effectClass }: PostureRow, args: JsonObject): string | undefined {
  if (effectClass === 'write') return undefined;
  const language = getString(args, 'language')?.trim().toLowerCase() ?? '';
  if (toolName === 'execute_code') return SHELLS.includes(language) ? getString(args, 'code') : undefined;
  return COMMAND_ARGUMENTS.map((name) => getString(args, name)).find((value) => value !== undefined);
}

function analysed(command: string, place: CommandPlace): CallReading {
  const { findings, hosts } = analyseCommand(command, place);
  return { findings, hosts };
}

/** One judge says which files matter: it is asked about the command that would write the same ones. */
function readPaths({ effectClass, cwd }: PostureRow, args: JsonObject, place: CommandPlace): CallReading {
  if (effectClass === 'none') return NO_READING;
  const paths = PATH_ARGUMENTS.flatMap((name) => getString(args, name) ?? []).filter((path) => path !== '');
  const findings = paths.flatMap((path) => {
    const absolute = resolvePath(cwd, expandTilde(path, place.home));
    const word = `'${absolute.replaceAll("'", String.raw`'\''`)}'`;
    return analysed(`: > ${word}`, place).findings.map((finding) => ({ ...finding, evidence: absolute }));
  });
  return { findings, hosts: [] };
}

/** What was found when the call was journalled still counts where its arguments were cut, or erased. */
function withRecorded(reading: CallReading, { commandClass }: PostureRow, command = ''): CallReading {
  if (commandClass === null || reading.findings.some((finding) => finding.class === commandClass))
    return reading;
  const known = COMMAND_CLASSES.find((each) => each === commandClass);
  if (known === undefined) return reading;
  const evidence = command === '' ? `recorded as ${known}` : command;
  return { ...reading, findings: [...reading.findings, { class: known, evidence, targets: [] }] };
}
