import type { Handler } from './analysis.ts';
import { OPTION_PROGRAMS } from './option-programs.ts';
import { BUILTINS } from './programs-builtin.ts';
import { CONTAINER_PROGRAMS } from './programs-containers.ts';
import { COPY_PROGRAMS } from './programs-copy.ts';
import { DELETE_PROGRAMS } from './programs-delete.ts';
import { ESCAPE_PROGRAMS } from './programs-escapes.ts';
import { GIT_PROGRAMS } from './programs-git.ts';
import { NETWORK_PROGRAMS } from './programs-network.ts';
import { READ_PROGRAMS } from './programs-read.ts';
import { SYSTEM_PROGRAMS } from './programs-system.ts';
import { TEXT_PROGRAMS } from './programs-text.ts';
import { CODE_PROGRAMS } from './run-code.ts';

/** What is known of programs and builtins, by name. */
export const HANDLERS: ReadonlyMap<string, Handler> = new Map([
  ...TEXT_PROGRAMS,
  ...BUILTINS,
  ...READ_PROGRAMS,
  ...OPTION_PROGRAMS,
  ...ESCAPE_PROGRAMS,
  ...COPY_PROGRAMS,
  ...DELETE_PROGRAMS,
  ...SYSTEM_PROGRAMS,
  ...GIT_PROGRAMS,
  ...NETWORK_PROGRAMS,
  ...CONTAINER_PROGRAMS,
  ...CODE_PROGRAMS,
]);

const TOLD = new Set(
  (
    'man info help apropos whatis whereis stat file test du df ps top htop uname hostname whoami groups who w last uptime free lsof ' +
    'lsblk mount umount tree dirname history jobs fg bg disown hash tty stty clear reset tput make cmake ninja ls md5sum sha1sum ' +
    'sha256sum sha512sum cksum sum b2sum ssh-add ssh-copy-id ssh-keyscan ansible ansible-playbook terraform vagrant ' +
    'eslint prettier tsc vitest jest pytest mypy ruff black cspell chezmoi gh glab hub mvn gradle dotnet xargs compgen complete ' +
    'inotifywait locate apt-cache dpkg rpm'
  ).split(' '),
);

/** Programs whose words are neither read nor run. */
export function isTold(name: string): boolean {
  return TOLD.has(name);
}
