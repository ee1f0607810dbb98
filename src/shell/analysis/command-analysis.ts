/**
 * What a shell command would do, as far as reading it tells. The dangers first, in the order of their weight:
 *
 * - `delete-root`, `delete-home`, `delete-system`: recursive removal of `/`, of a person's home, of a directory of the system.
 * - `device`: a write to a raw device, a new file system, a wipe. `fork-bomb`. `kill-all`: a signal to every process.
 *   `power`: power off, reboot, another run level.
 * - `pipe-to-shell`, `decode-exec`, `download-exec`: code that came from the network, or was encoded, is run.
 * - `cred-read`: a file of credentials is read, copied or shown; `exfil`: what is on this machine is sent away (with
 *   `cred-read` when it is a credential); `imds`: the metadata service of a cloud; `reverse-shell`.
 * - `self-tamper`: Herma's own policy, journal, consent, configuration or checkpoints are changed.
 * - `persistence`: a lasting way in for others (authorized_keys, sudoers, passwd, ld.so.preload). `startup`: something is made to run
 *   later (crontab, shell start-up files, units, git hooks). `cred-expose`: credentials may become visible without a read of their
 *   file (the environment is printed, they are mounted or linked).
 * - `privilege`: set-user-id bits, a password given to sudo, new users. `perms`: permissions of a whole tree are opened.
 * - `delete-outside`, `delete-vcs`, `delete-workspace`, `delete-unknown`: removal outside the workspace; of a repository's own data; of
 *   the whole workspace; of what cannot be known before it runs.
 * - `vcs-destructive`: history or work is thrown away or rewritten at its remote (`reset --hard`, `clean -fdx`, `push --force` …).
 * - `dynamic-exec`: code or a program that cannot be known before it runs. `interpreter-exec`: an interpreter's code that runs shell
 *   commands or removes trees, or an option by which an ordinary program runs another. `remote`: commands of another machine or container. `unknown-wrapper`: a program nobody knows that runs
 *   the program behind it. `install`: packages are installed. `not-understood`: see {@link CommandAnalysis.problem}.
 */
export const COMMAND_CLASSES = [
  'delete-root',
  'delete-home',
  'delete-system',
  'device',
  'fork-bomb',
  'kill-all',
  'power',
  'pipe-to-shell',
  'decode-exec',
  'download-exec',
  'reverse-shell',
  'exfil',
  'cred-read',
  'imds',
  'self-tamper',
  'persistence',
  'startup',
  'cred-expose',
  'privilege',
  'perms',
  'delete-outside',
  'delete-vcs',
  'delete-workspace',
  'delete-unknown',
  'vcs-destructive',
  'dynamic-exec',
  'interpreter-exec',
  'remote',
  'unknown-wrapper',
  'install',
  'not-understood',
] as const;

export type CommandClass = (typeof COMMAND_CLASSES)[number];

/** Where a command would run. All paths absolute. */
export interface CommandPlace {
  readonly cwd: string;
  /** The person's home directory. */
  readonly home: string;
  /** What the agent is to work on; usually the root of the project. */
  readonly workspace: string;
  /** Herma's own directory. */
  readonly hermaHome: string;
  /** Resolves symbolic links of as much of an absolute path as exists; the path itself when absent. */
  readonly realPath?: (path: string) => string;
  /** The text of a script the command runs; undefined when it cannot be read, is no text or too large. Nothing is read when absent. */
  readonly readScript?: (path: string) => string | undefined;
}

/** One danger in a command. */
export interface CommandFinding {
  readonly class: CommandClass;
  /** The part of the command that shows it, as it would run: quotes removed, what is known filled in. At most 200 characters. */
  readonly evidence: string;
  /** Absolute paths or hosts it is about, where they are known. */
  readonly targets: readonly string[];
}

/** One program that would be run, behind all its wrappers. */
export interface ProgramRun {
  /** The program's name first, without its directory; undefined for a word that cannot be known. */
  readonly argv: readonly (string | undefined)[];
}

/** What is known, without running it, of what a command would do. */
export interface CommandAnalysis {
  /** In the order of {@link COMMAND_CLASSES}, without repeats of class and evidence. */
  readonly findings: readonly CommandFinding[];
  /** In the order they would start; at most 500. */
  readonly programs: readonly ProgramRun[];
  /** Absolute paths that are read, and those that are written, created or removed, as far as they are known; links resolved. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Of `writes`: files whose content comes from the network. */
  readonly downloads: readonly string[];
  /** Files that are run as code, absolute. */
  readonly runs: readonly string[];
  /** Hosts it talks to, lower case. */
  readonly hosts: readonly string[];
  /** Whether it may send something that is on this machine to another one. */
  readonly sends: boolean;
  /** The parts of the text that are code, and those that are only data (quoted text, heredocs, patterns, comments). */
  readonly code: string;
  readonly data: string;
  /**
   * Why the text could not be judged as a whole; then nothing of the above is complete. `too_long`: more than 32 KB, or more to follow
   * than is done for one command; `too_deep`: code in code, functions in functions or wrappers in wrappers.
   */
  readonly problem?: 'syntax' | 'too_long' | 'too_deep' | 'hidden_characters';
}
