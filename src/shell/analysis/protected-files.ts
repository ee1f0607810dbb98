import type { CommandClass, CommandPlace } from './command-analysis.ts';
import { isWithin } from './locate-path.ts';
import { pathExpression } from './match-pattern.ts';

/** What the agent itself keeps in Herma's directory; everything else there is not for its commands. */
const OPEN = ['skills', 'memories', 'cache', 'tmp'];

/** Whether a change of it would be one of Herma's policy, journal, consent, configuration or checkpoints. */
export function isOwnData(path: string, { hermaHome }: CommandPlace): boolean {
  if (!isWithin(path, hermaHome)) return false;
  const name = path.slice(hermaHome.length + 1).split('/', 1)[0] ?? '';
  return !OPEN.includes(name);
}

const DEVICE =
  /^\/dev\/(?:r?disk(?:\d|\/)|[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|mapper\/|dm-\d|md\d|sr\d|mem$|kmem$|port$|vd[a-z]|nbd\d|mtd)/;

export function isDevice(path: string): boolean {
  return DEVICE.test(path);
}

/** Files by which others come in, or that every program loads. */
const ENTRANCES = pathExpression([
  '**/.ssh/authorized_keys*',
  '**/.ssh/rc',
  '**/.rhosts',
  '**/.shosts',
  '/etc/hosts.equiv',
  '/etc/ld.so.preload',
  '/etc/sudoers',
  '/etc/sudoers.d/**',
  '/etc/passwd',
  '/etc/shadow',
  '/etc/group',
  '/etc/gshadow',
  '/etc/pam.d/**',
  '/etc/ssh/sshd_config*',
]);

/** Files that make something run later. */
const STARTERS = pathExpression([
  '**/.git/hooks/*',
  '**/.git/config',
  '/etc/crontab',
  '/etc/cron*/**',
  '/var/spool/cron/**',
  '/var/spool/at/**',
  '/etc/systemd/**',
  '/usr/lib/systemd/**',
  '/lib/systemd/**',
  '/etc/init.d/**',
  '/etc/rc*/**',
  '/etc/rc.local',
  '/etc/profile',
  '/etc/profile.d/**',
  '/etc/bash.bashrc',
  '/etc/bashrc',
  '/etc/zsh/**',
  '/etc/environment',
  '/etc/xdg/autostart/**',
  '/Library/LaunchDaemons/**',
  '/Library/LaunchAgents/**',
]);

const HOME_STARTERS = pathExpression(
  (
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc ' +
    '.mkshrc .cshrc .tcshrc .login .inputrc .xinitrc .xprofile .xsession .xsessionrc .gitconfig .pam_environment .vimrc ' +
    '.config/fish/** .config/autostart/** .config/systemd/** .config/git/config .config/environment.d/** ' +
    '.local/share/systemd/** Library/LaunchAgents/** .ssh/config'
  ).split(' '),
);

/** Told apart first: nearly no path is one. */
const MAY_BE_ENTRANCE = /\.ssh\/|\.[rs]hosts|^\/etc\//;
const MAY_BE_STARTER = /\.git\/|^\/(?:etc|var\/spool|usr\/lib|lib|Library)\//;

/** What it means that a file is written. */
export function classifyWrite(path: string, place: CommandPlace): CommandClass | undefined {
  if (isDevice(path)) return 'device';
  if (path === '/proc/sysrq-trigger') return 'power';
  if (isOwnData(path, place)) return 'self-tamper';
  if (MAY_BE_ENTRANCE.test(path) && ENTRANCES.test(path)) return 'persistence';
  if (MAY_BE_STARTER.test(path) && STARTERS.test(path)) return 'startup';
  const relative = belowHome(path, place);
  return relative !== undefined && HOME_STARTERS.test(relative) ? 'startup' : undefined;
}

/** A file that belongs to the system: what it holds matters, whoever may write it. */
export function isSystemFile(path: string, { workspace }: CommandPlace): boolean {
  return /^\/(?:etc|boot|usr|bin|sbin|lib\w*)\//.test(path) && !isWithin(path, workspace);
}

/** The path seen from the home of a person or of root; undefined elsewhere. */
export function belowHome(path: string, { home }: CommandPlace): string | undefined {
  if (path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  return /^\/(?:root|(?:home|Users)\/[^/]+)\/(.+)$/s.exec(path)?.[1];
}
