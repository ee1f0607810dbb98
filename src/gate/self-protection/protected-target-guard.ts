import { resolve } from 'node:path';
import { getString } from '../../kernel/json/index.ts';
import type { ToolCall } from '../../kernel/tool-call/index.ts';
import { ABSTAIN, type CallGuard } from '../../kernel/verdict/index.ts';
import { displayPath, expandTilde } from '../../platform/paths/index.ts';
import type { CommandTarget } from './command-targets.ts';
import type { ProtectedPaths } from './protected-paths.ts';
import { ProtectedPlaces } from './protected-places.ts';

const TIME_LIMIT_MS = 10_000;

export interface ProtectedTargetParts {
  readonly paths: ProtectedPaths;
  /** What `~` stands for; absolute. */
  readonly userHome: string;
}

/**
 * Refuses a call of which can be told in advance that it would change what only a person may change: a file it names that is a
 * protected one whatever the spelling (link, `..`, case, `~`, another name of the same file), and a command that is not proven
 * to only read and names one, the home itself, or a folder around it that it would take away. Fails closed. What it cannot tell is
 * caught afterwards, by the window around the call.
 */
export function protectedTargetGuard({ paths, userHome }: ProtectedTargetParts): CallGuard {
  return {
    name: 'protected-files',
    onFailure: 'block',
    timeLimitMs: TIME_LIMIT_MS,
    recheck: true,
    consult: async (call) => {
      if (call.effect === 'none') return { verdict: ABSTAIN };
      const targets = await targetsOfCall(call, { paths, userHome });
      if (targets.length === 0) return { verdict: ABSTAIN };
      const places = new ProtectedPlaces(paths);
      const hit = targets.find((target) => places.isHitBy(target));
      if (hit === undefined) return { verdict: ABSTAIN };
      const message = `${displayPath(hit.path)} is part of Herma itself, or holds it: only the person can change it, by hand or with commands such as \`herma config set\``;
      return { verdict: { type: 'block', message } };
    },
  };
}

/** Arguments by which agents name the file that a tool writes. */
const PATH_ARGUMENTS = ['file_path', 'path', 'notebook_path'] as const;

async function targetsOfCall(
  call: ToolCall,
  { paths, userHome }: ProtectedTargetParts,
): Promise<readonly CommandTarget[]> {
  const path = (given: string): string => resolve(call.cwd, expandTilde(given, userHome));
  const named = namedFiles(call).map((given) => ({ path: path(given), isPattern: false, isWhole: false }));
  const command = call.effect === 'write' ? undefined : getString(call.args, 'command');
  if (command === undefined) return named;
  // Most processes never see a command; reading one takes a parser.
  const { targetsOf } = await import('./command-targets.ts');
  const directory = path(getString(call.args, 'workdir') ?? '.');
  return [...named, ...targetsOf(command, { directory, userHome, hermaHome: paths.home })];
}

/** Around a call of another agent there is no window, and its tools are not known: one that names a file may write it. */
function namedFiles({ effect, paths, args, origin }: ToolCall): readonly string[] {
  if (effect === 'write') return paths;
  if (effect !== 'external' || origin.kind !== 'foreign') return [];
  return PATH_ARGUMENTS.flatMap((name) => getString(args, name) ?? []);
}
