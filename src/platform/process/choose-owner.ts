/** A process above another one. */
export interface Ancestor {
  readonly pid: number;
  /** The short name the kernel keeps for it. */
  readonly name: string;
  /** Its command line, the program first; may be empty when it is hidden. */
  readonly argv: readonly string[];
}

export interface OwnerQuestion {
  /** From the direct parent upwards. */
  readonly ancestors: readonly Ancestor[];
  /** The command line of the process whose owner is sought. */
  readonly argv: readonly string[];
}

const SHELLS = names('sh bash dash zsh fish ksh mksh ash busybox tcsh csh');

/** Programs that only run another program and end with it. */
const WRAPPERS = names(
  'timeout gtimeout time xargs flock setsid script sudo doas su npm npx pnpm pnpx yarn yarnpkg bunx',
);

/** The first process of a system or container. It adopts orphans and settles nothing. */
const INITS = names('init systemd launchd tini dumb-init docker-init catatonit s6-svscan');

const PACKAGE_RUNNER_SCRIPTS = names('npm-cli.js npx-cli.js npm npx pnpm.cjs pnpm yarn.js yarn');

/** The file, and the name of the link to it that a package manager makes. */
const LAUNCHER_SCRIPTS = names('herma.js herma');

/** Options of node that take the next argument as their value. */
const NODE_OPTIONS_WITH_VALUE = names(
  '-r --require --import --loader --experimental-loader -C --conditions --env-file --env-file-if-exists --input-type --title',
);

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The names a process goes by: what the kernel keeps and what it was started as; a login shell begins with a dash. */
function namesOf({ name, argv }: Ancestor): string[] {
  return [name, baseName(argv[0] ?? '')].map((each) => each.replace(/^-/, ''));
}

function isNode(ancestor: Ancestor): boolean {
  return namesOf(ancestor).some((name) => /^(node|nodejs)([.\d]*)$/.test(name));
}

/** Where the script stands in the command line of a node process; undefined when it runs none. */
function scriptIndex(argv: readonly string[]): number | undefined {
  for (let index = 1; index < argv.length; index += 1) {
    const argument = argv[index] ?? '';
    if (!argument.startsWith('-')) return index;
    if (NODE_OPTIONS_WITH_VALUE.has(argument)) index += 1;
  }
  return undefined;
}

function runsScript(ancestor: Ancestor, scripts: ReadonlySet<string>): boolean {
  const index = isNode(ancestor) ? scriptIndex(ancestor.argv) : undefined;
  return index !== undefined && scripts.has(baseName(ancestor.argv[index] ?? ''));
}

function isPassingThrough(ancestor: Ancestor): boolean {
  if (namesOf(ancestor).some((name) => SHELLS.has(name) || WRAPPERS.has(name) || INITS.has(name)))
    return true;
  // npm replaces its command line by a title: `npm run start`.
  if (WRAPPERS.has(ancestor.name.split(' ')[0] ?? '')) return true;
  return runsScript(ancestor, PACKAGE_RUNNER_SCRIPTS);
}

/**
 * Our launcher is the direct parent, runs `herma.js` and hands its arguments on unchanged. Another `herma` further up, or one
 * with other arguments (an agent whose terminal runs us), is a caller like any other.
 */
function isLauncherOf(argv: readonly string[], parent: Ancestor): boolean {
  if (!runsScript(parent, LAUNCHER_SCRIPTS)) return false;
  const passed = parent.argv.slice((scriptIndex(parent.argv) ?? 0) + 1);
  const received = argv.slice(argv.length - passed.length);
  return argv.length > passed.length && passed.every((argument, index) => argument === received[index]);
}

/**
 * The process that can still settle a call when the asking process is gone: the nearest ancestor that is neither our
 * launcher, nor a shell, nor a program that only runs another one (`timeout`, `npx`), nor an init. When there is none, the
 * nearest ancestor that is not our launcher. Undefined without such an ancestor.
 */
export function chooseOwner({ ancestors, argv }: OwnerQuestion): Ancestor | undefined {
  const [parent] = ancestors;
  const callers = parent !== undefined && isLauncherOf(argv, parent) ? ancestors.slice(1) : ancestors;
  return callers.find((ancestor) => !isPassingThrough(ancestor)) ?? callers[0];
}
