import type { CommandClass, CommandPlace } from './command-analysis.ts';
import { isWithin } from './locate-path.ts';
import { matchesEverything, matchesPath, splitPattern } from './match-pattern.ts';
import { isOwnData } from './protected-files.ts';

const SYSTEM = new Set(
  (
    '/bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /var ' +
    '/usr/bin /usr/include /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/local /usr/local/bin /usr/local/lib /usr/sbin ' +
    '/usr/share /usr/src /var/lib /var/log /var/cache /var/spool /var/run /var/mail /etc/ssh /etc/ssl /etc/systemd /etc/pam.d ' +
    '/Applications /Library /Network /System /Users /Volumes /private /private/etc /private/var /cores'
  ).split(' '),
);
/** Whatever is in them belongs to the system. */
const SYSTEM_TREES =
  /^\/(?:bin|boot|dev|lib|lib32|lib64|proc|sbin|sys|System|usr\/(?:bin|sbin|include|lib|lib32|lib64|libexec|share)|var\/lib\/(?:dpkg|rpm|apt|pacman|systemd|NetworkManager))(?:\/|$)/;
const TEMPORARY =
  /^(?:\/private)?\/(?:tmp|var\/tmp)\/|^\/dev\/shm\/|^(?:\/private)?\/var\/folders\/[^/]+\/[^/]+\/T\//;
/** What is in them belongs to whoever put it there. */
const LOOSE = new Set(
  '/tmp /var/tmp /dev/shm /private/tmp /srv /opt /mnt /media /var/log /var/cache /Volumes'.split(' '),
);
const HOMES = /^\/(?:root|(?:home|Users)\/[^/]+)$/;
const REPOSITORY = /(?:^|\/)\.(?:git|hg|svn|jj)$/;
const REPOSITORY_DATA = /(?:^|\/)\.git\/(?:objects|refs|logs|HEAD|config|index|packed-refs|modules|\*+)$/;

/** What it means that a path is removed with all below it; undefined when it may be. */
export function classifyTree(path: string, place: CommandPlace): CommandClass | undefined {
  if (path === '/') return 'delete-root';
  if (path === place.home || HOMES.test(path)) return 'delete-home';
  if (SYSTEM.has(path) || isWithin(place.home, path)) return 'delete-system';
  if (isOwnData(path, place)) return 'self-tamper';
  if (isWithin(place.workspace, path)) return 'delete-workspace';
  return SYSTEM_TREES.test(path) && !isInside(path, place) && !TEMPORARY.test(path)
    ? 'delete-system'
    : classifyFile(path, place);
}

/** What it means that one file is removed. */
export function classifyFile(path: string, place: CommandPlace): CommandClass | undefined {
  if (isOwnData(path, place)) return 'self-tamper';
  if (isInside(path, place) || TEMPORARY.test(path))
    return REPOSITORY.test(path) || REPOSITORY_DATA.test(path) ? 'delete-vcs' : undefined;
  return 'delete-outside';
}

/** A home or a root that is worked in protects nothing below it. */
function isInside(path: string, { workspace, home }: CommandPlace): boolean {
  return workspace !== '/' && !isWithin(home, workspace) && isWithin(path, workspace);
}

/** What it means that all files are removed that a pattern gives. */
export function classifyPattern(pattern: string, isTree: boolean, place: CommandPlace): CommandClass[] {
  const { base, rest } = splitPattern(pattern);
  const [first = '', ...more] = rest;
  if (isTree || more.length > 0) {
    const found = protectedPaths(place)
      .filter((path) => matchesPath(pattern, path))
      .flatMap((path) => classifyTree(path, place) ?? []);
    const isAll = more.length === 0 && (first === '**' || matchesEverything(first));
    const whole = isAll ? classifyContents(base, place) : undefined;
    const classes = [...found, ...(whole === undefined ? [] : [whole])];
    if (classes.length > 0) return [...new Set(classes)];
  } else if (matchesEverything(first)) {
    const whole = classifyContents(base, place);
    return whole === undefined ? [] : [whole];
  }
  const one = classifyFile(`${base === '/' ? '' : base}/${first}`, place);
  return one === undefined ? [] : [one];
}

/** All that is in a directory, but not the directory. */
function classifyContents(base: string, place: CommandPlace): CommandClass | undefined {
  if (LOOSE.has(base) && base !== place.home) return 'delete-outside';
  return classifyTree(base, place);
}

function protectedPaths({ home, workspace, hermaHome }: CommandPlace): string[] {
  return [...SYSTEM, home, hermaHome, workspace, `${workspace}/.git`];
}
