import type { JsonValue } from '../../../kernel/json/index.ts';
import { expandTilde, resolvePath } from '../../../platform/paths/index.ts';
import type { CommandAnalysis, CommandFinding, CommandPlace } from '../../../shell/index.ts';
import type { TextPart } from '../rules/policy-rule.ts';
import { type CommandTool, commandOfCall, directoryOfCall } from './command-of-call.ts';
import { analyseFiles, filesOfCall } from './files-of-call.ts';
import { withOwnCommands } from './own-commands.ts';
import type { CommandAnalyser, PolicyCall } from './policy-call.ts';
import { hostsIn, urlsIn } from './urls-of-call.ts';

/** What a call shows of itself before it runs. */
export interface CallFacts {
  readonly call: PolicyCall;
  /** The command of a shell it runs. */
  readonly command: string | undefined;
  readonly place: CommandPlace;
  readonly unattended: boolean;
  /** In a call that is no command: what a command that reads and writes the same files would show. */
  readonly findings: readonly CommandFinding[];
  readonly programs: CommandAnalysis['programs'];
  /** Absolute, links followed. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly downloads: readonly string[];
  readonly runs: readonly string[];
  readonly hosts: readonly string[];
  readonly sends: boolean;
  readonly texts: Readonly<Record<TextPart, string>>;
  /** Why the command cannot be judged; what is known of it is then not all. */
  readonly problem: Problem | undefined;
}

export type Problem = NonNullable<CommandAnalysis['problem']> | 'no_command';

export interface FactSources {
  readonly analyse: CommandAnalyser;
  readonly commandTools: readonly CommandTool[];
  /** The working directory is that of the call. */
  readonly place: Omit<CommandPlace, 'cwd'>;
  readonly unattended: boolean;
}

export function factsOf(call: PolicyCall, sources: FactSources): CallFacts {
  const { args, cwd } = call;
  const command = commandOfCall(call, sources.commandTools);
  if (command.type === 'none') return factsOfOther(call, sources);
  const directory = directoryOfCall(args);
  const place = {
    ...sources.place,
    cwd: directory === undefined ? cwd : resolvePath(cwd, expandTilde(directory, sources.place.home)),
  };
  const raw = command.type === 'command' ? command.text : textOf(args);
  const base = { call, place, unattended: sources.unattended };
  if (command.type === 'unreadable')
    return {
      ...base,
      ...NOTHING,
      command: undefined,
      texts: { raw, code: raw, data: raw },
      problem: 'no_command',
    };
  const analysis = sources.analyse(raw, place);
  const isWhole = analysis.problem === undefined;
  return {
    ...base,
    command: raw,
    findings: withOwnCommands(analysis),
    programs: analysis.programs,
    reads: analysis.reads,
    writes: analysis.writes,
    downloads: analysis.downloads,
    runs: analysis.runs,
    hosts: analysis.hosts,
    sends: analysis.sends,
    texts: { raw, code: isWhole ? analysis.code : raw, data: isWhole ? analysis.data : raw },
    problem: analysis.problem,
  };
}

const NOTHING = {
  findings: [],
  programs: [],
  reads: [],
  writes: [],
  downloads: [],
  runs: [],
  hosts: [],
  sends: false,
} as const;

function factsOfOther(call: PolicyCall, { analyse, place: parts, unattended }: FactSources): CallFacts {
  const place = { ...parts, cwd: call.cwd };
  const raw = textOf(call.args);
  const urls = urlsIn(raw);
  const files = filesOfCall(call, place);
  return {
    ...NOTHING,
    call,
    command: undefined,
    place,
    unattended,
    ...files,
    findings: analyseFiles({ call, files, urls, place, analyse }),
    hosts: hostsIn(urls),
    sends: maySend(call, urls),
    texts: { raw, code: '', data: raw },
    problem: undefined,
  };
}

const SENDERS = /^mcp__|send|post|upload|publish|mail|share/i;

/** An address can carry what it is asked with; what a tool of somebody else does with its arguments is not known. */
function maySend({ tool, effect }: PolicyCall, urls: readonly string[]): boolean {
  return urls.length > 0 || (effect === 'external' && SENDERS.test(tool));
}

/** All texts in the arguments, one a line. */
function textOf(value: JsonValue): string {
  const texts: string[] = [];
  const visit = (item: JsonValue): void => {
    if (typeof item === 'string') texts.push(item);
    else if (typeof item === 'object' && item !== null) Object.values(item).forEach(visit);
  };
  visit(value);
  return texts.join('\n');
}
