import { getString } from '../../../kernel/json/index.ts';
import { expandTilde, resolvePath } from '../../../platform/paths/index.ts';
import type { CommandAnalysis, CommandFinding, CommandPlace } from '../../../shell/index.ts';
import { quoted } from './command-of-call.ts';
import type { PolicyCall } from './policy-call.ts';

/** The files a call names: absolute, links followed. */
export interface CallFiles {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

const MAX_PATHS = 50;
/** What tools call a path, where nobody declared which of their arguments is one. */
const PATH_ARGUMENTS = ['path', 'file_path', 'filePath', 'notebook_path', 'filename', 'directory'];
/** Tools that read everything below the folder they are given. */
const SEARCH_TOOLS = ['search_files', 'Grep', 'grep', 'search_file_content'];

export function filesOfCall({ paths, args, effect, cwd }: PolicyCall, place: CommandPlace): CallFiles {
  const undeclared = PATH_ARGUMENTS.flatMap((name) => getString(args, name) ?? []);
  const named = (paths.length > 0 ? paths : undeclared).filter((path) => path !== '').slice(0, MAX_PATHS);
  const absolute = named.map((path) => {
    const plain = resolvePath(cwd, expandTilde(path.replace(/^file:\/\//, ''), place.home));
    return place.realPath?.(plain) ?? plain;
  });
  const files = [...new Set(absolute)];
  return { reads: effect === 'write' ? [] : files, writes: effect === 'none' ? [] : files };
}

export interface FileQuestion {
  readonly call: PolicyCall;
  readonly files: CallFiles;
  readonly urls: readonly string[];
  readonly place: CommandPlace;
  readonly analyse: (command: string, place: CommandPlace) => CommandAnalysis;
}

/**
 * The dangers in the files and addresses of a call that is no command. There is one judge of what a credential or a device is: the
 * analyser is asked about the command that would do the same.
 */
export function analyseFiles({ call, files, urls, place, analyse }: FileQuestion): readonly CommandFinding[] {
  const reader = SEARCH_TOOLS.includes(call.tool) ? 'grep -r x --' : 'cat --';
  const judged = (command: string, path: string): readonly CommandFinding[] =>
    analyse(command, place).findings.map((finding) => ({
      ...finding,
      evidence: `${call.tool} ${path}`.slice(0, 200),
    }));
  const findings = [
    ...files.reads.flatMap((path) => judged(`${reader} ${wordOf(path)}`, path)),
    ...files.writes.flatMap((path) => judged(`: > ${wordOf(path)}`, path)),
    ...urls.flatMap((url) =>
      judged(`curl -- ${wordOf(url)}`, url).filter((finding) => finding.class === 'imds'),
    ),
  ];
  const keys = new Set<string>();
  return findings.filter((finding) => {
    const key = `${finding.class} ${finding.evidence}`;
    return !keys.has(key) && keys.add(key).size > 0;
  });
}

/** Invisible characters have a meaning in a command and none in the name of a file. */
function wordOf(path: string): string {
  return quoted(path.replaceAll(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, ''));
}
