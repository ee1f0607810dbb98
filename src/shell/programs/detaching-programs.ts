import type { Argument } from './argument.ts';

const ALWAYS = new Set(
  (
    'disown at batch tmux screen systemd-run systemctl service daemon daemonize start-stop-daemon ' +
    'crontab dtach abduco byobu pm2 coproc'
  ).split(' '),
);
const CONTAINERS = new Set(['docker', 'podman', 'nerdctl', 'docker-compose', 'podman-compose']);

/** Whether what the program starts is known to go on after it has answered. An unknown program is taken at its word: false. */
export function detaches(name: string, args: readonly Argument[]): boolean {
  if (ALWAYS.has(name)) return true;
  if (!CONTAINERS.has(name)) return false;
  return args.some(
    ({ value }) =>
      value === undefined || /^(?:-[a-zA-Z]*d[a-zA-Z]*|--detach.*|start|restart|unpause)$/.test(value),
  );
}
