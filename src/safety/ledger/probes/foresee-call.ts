import { resolve } from 'node:path';
import { getString } from '../../../kernel/json/index.ts';
import type { Redactor } from '../../../kernel/redact/index.ts';
import type { ForeseenChange, ToolCall, ToolDeclaration } from '../../../kernel/tool-call/index.ts';
import { expandTilde } from '../../../platform/paths/index.ts';
import type { Foreseen, ForeseenFile } from '../model/foreseen.ts';
import { UNFORESEEN } from './check-file.ts';
import { foreseeCommand } from './command/foresee-command.ts';
import { contentFact, factOf } from './file-facts.ts';

/** What has to be known of the tools to foresee what a call leaves. */
export interface ForeseePorts {
  readonly redactor: Redactor;
  /** What `~` stands for; absolute. */
  readonly userHome: string;
  readonly foreseeOf?: ((tool: string) => ToolDeclaration['foresee'] | undefined) | undefined;
  /** Where the shell of a call of `terminal` leaves its exit code; absolute. */
  readonly exitFileOf?: ((call: ToolCall) => string | undefined) | undefined;
}

/** What a call is to leave, with what stands there now; undefined when nothing is known. */
export async function foreseeCall(
  call: ToolCall,
  ports: ForeseePorts,
  signal: AbortSignal,
): Promise<Foreseen | undefined> {
  const { files, repositories } =
    call.tool === 'terminal'
      ? await foreseeTerminal(call, ports, signal)
      : await foreseeFiles(call, ports, signal);
  const foreseen = withoutSecrets({ files, repositories: repositories ?? [] }, ports.redactor);
  return foreseen.files.length + foreseen.repositories.length === 0 ? undefined : foreseen;
}

/** What is foreseen is stored: a path or a branch with a secret in its name is left out, and what stands for the rest is put in. */
function withoutSecrets(
  { files, repositories }: Required<Pick<Foreseen, 'files' | 'repositories'>>,
  redactor: Redactor,
): Required<Pick<Foreseen, 'files' | 'repositories'>> {
  const isClean = (text: string): boolean => redactor.text(text) === text;
  const cleanFiles = files.filter(({ path }) => isClean(path));
  const cleanRepositories = repositories.filter(({ path, branch = '' }) => isClean(path) && isClean(branch));
  const left = cleanFiles.length + cleanRepositories.length;
  const isAll = left === files.length + repositories.length;
  return {
    files: isAll || left === 0 ? cleanFiles : [...cleanFiles, UNFORESEEN],
    repositories: cleanRepositories,
  };
}

async function foreseeTerminal(
  { args, cwd }: ToolCall,
  { userHome }: ForeseePorts,
  signal: AbortSignal,
): Promise<Foreseen> {
  const command = getString(args, 'command') ?? '';
  const workdir = expandTilde(getString(args, 'workdir') ?? '.', userHome);
  return foreseeCommand({ command, cwd: resolve(cwd, workdir), home: userHome }, signal);
}

async function foreseeFiles(
  { tool, args, cwd }: ToolCall,
  { foreseeOf }: ForeseePorts,
  signal: AbortSignal,
): Promise<Foreseen> {
  const changes = (await foreseeOf?.(tool)?.({ args, cwd })) ?? [];
  const files: ForeseenFile[] = [];
  for (const change of changes) {
    const before = await factOf(change.path, signal);
    files.push({ path: change.path, ...(before === undefined ? {} : { before }), after: afterOf(change) });
  }
  return { files };
}

function afterOf({ after }: ForeseenChange): NonNullable<ForeseenFile['after']> {
  return after === 'absent' ? { type: 'absent' } : contentFact(after.content);
}
