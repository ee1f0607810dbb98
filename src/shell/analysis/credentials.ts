import type { CommandPlace } from './command-analysis.ts';
import { isWithin } from './locate-path.ts';
import { matchesName, matchesPath, pathExpression, splitPattern } from './match-pattern.ts';
import { belowHome } from './protected-files.ts';

/** Below a person's home. */
const HOME_FILES = pathExpression(
  (
    '.aws/credentials .aws/sso/cache/** .aws/cli/cache/** .gnupg/** .kube/config .docker/config.json .netrc .pgpass .my.cnf ' +
    '.git-credentials .config/git/credentials .config/gh/hosts.yml .config/hub .config/gcloud/** .azure/** .npmrc .pypirc .yarnrc.yml ' +
    '.password-store/** .vault-token .cargo/credentials .cargo/credentials.toml .gem/credentials .terraform.d/credentials.tfrc.json ' +
    '.terraformrc .config/op/** .local/share/keyrings/** .mozilla/firefox/*/logins.json .mozilla/firefox/*/key4.db ' +
    '.config/rclone/rclone.conf .s3cfg .boto .netlify/config.json .config/doctl/config.yaml .config/heroku/** .putty/** ' +
    '.config/containers/auth.json .claude/.credentials.json .codex/auth.json .hermes/.env .hermes/auth.json'
  ).split(' '),
);
/** All that is in them. */
const SECRET_TREES = (
  'Library/Keychains Library/Cookies .config/google-chrome .config/chromium .mozilla .gnupg .password-store .config/gcloud .azure ' +
  '.local/share/keyrings .config/op'
).split(' ');
const HOME_TREES = [...SECRET_TREES, '.ssh', '.aws', '.kube'];
const ELSEWHERE = pathExpression([
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/ssh/ssh_host_*_key',
  '/etc/krb5.keytab',
  '/etc/kubernetes/*.conf',
  '/etc/rancher/k3s/k3s.yaml',
  '/proc/*/environ',
  '/run/secrets/**',
  '/var/run/secrets/**',
]);
/** Wherever they are. */
const NAMES =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|\.git-credentials|\.pgpass|\.netrc|\.vault-token|\.env(?:\.[\w-]+)*|\.envrc|logins\.json|key4\.db)$/;
/** Made to be shown. */
const SAMPLES = /\.(?:example|examples|sample|template|tmpl|dist|defaults?|test|schema|md|pub|d\.ts)$/;
const SSH_PUBLIC = /^(?:config|known_hosts.*|authorized_keys.*|.*\.pub|environment)$/;
const OWN = /^(?:\.env.*|auth.*\.json|credentials.*|secrets.*|.*token.*|.*\.key)$/;

/** Whether a file holds what lets one in somewhere. */
export function isCredential(path: string, place: CommandPlace): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (SAMPLES.test(name)) return false;
  if (NAMES.test(name)) return true;
  if (path.startsWith(`${place.hermaHome}/`)) return OWN.test(name);
  const relative = belowHome(path, place);
  if (relative === undefined) return ELSEWHERE.test(path);
  if (relative.startsWith('.ssh/')) return !SSH_PUBLIC.test(name);
  return HOME_FILES.test(relative) || SECRET_TREES.some((tree) => relative.startsWith(`${tree}/`));
}

/** Whether everything below a directory includes credentials. */
export function holdsCredentials(path: string, place: CommandPlace): boolean {
  if (path === '/' || path === '/home' || path === '/root' || path === '/Users' || path === place.home)
    return true;
  if (/^\/(?:proc|var\/run\/secrets|run\/secrets|etc)$/.test(path))
    return path !== '/etc' && path !== '/proc';
  const relative = belowHome(path, place);
  return (
    relative !== undefined && HOME_TREES.some((tree) => relative === tree || tree.startsWith(`${relative}/`))
  );
}

/** Whether a pattern can give a file of credentials. */
export function mayGiveCredentials(pattern: string, place: CommandPlace): boolean {
  const last = pattern.slice(pattern.lastIndexOf('/') + 1);
  if (SAMPLES.test(last)) return false;
  const { base, rest } = splitPattern(pattern);
  if (rest[0] === '**' && rest.length === 1) return holdsCredentials(base, place);
  // A key can have any name of a directory, so that only a pattern meant for keys counts.
  const names = last.startsWith('.') ? HIDDEN_NAMES : last.startsWith('id') ? KEY_NAMES : [];
  if (names.some((name) => matchesName(last, name))) return true;
  return examples(base, place).some((path) => matchesPath(pattern, path));
}

const EXAMPLES = (
  '.ssh/id_rsa .ssh/id_ed25519 .ssh/id_ecdsa .ssh/id_dsa .aws/credentials .gnupg/secring.gpg .gnupg/private-keys-v1.d/x.key ' +
  '.kube/config .docker/config.json .netrc .pgpass .git-credentials .config/gh/hosts.yml .config/gcloud/credentials.db ' +
  '.npmrc .pypirc .password-store/x.gpg .vault-token .azure/accessTokens.json'
).split(' ');
const HIDDEN_NAMES = ['.env', '.env.local', '.env.production', '.netrc', '.pgpass', '.git-credentials'];
const KEY_NAMES = ['id_rsa', 'id_ed25519'];

/** Paths of credentials, as they are usually called. */
function examples(base: string, { home, hermaHome }: CommandPlace): string[] {
  const isNear = (path: string): boolean => isWithin(base, path) || isWithin(path, base);
  const homes = [home, '/root'].filter(isNear);
  const isHidden = base === home || base === '/root';
  if (homes.length > 0 && !isHidden && isWithin(base, home) && !base.slice(home.length).startsWith('/.'))
    return [];
  return [
    ...homes.flatMap((each) => EXAMPLES.map((name) => `${each}/${name}`)),
    '/etc/shadow',
    '/proc/self/environ',
    '/proc/1/environ',
    `${hermaHome}/.env`,
  ];
}
