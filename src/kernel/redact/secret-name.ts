import type { SecretKind } from './marker.ts';

/**
 * How much a name says about its value. `sure`: any text under it is a secret. `data`: a secret in data, but an ordinary
 * word in prose and code (`pass`). `look`: a secret only when the value looks generated (`auth`, `private`).
 */
export type NameCertainty = 'sure' | 'data' | 'look';

export interface SecretName {
  readonly kind: SecretKind;
  readonly certainty: NameCertainty;
}

/** Longer names are judged by their end. */
const MAX_NAME_CHARS = 128;

/**
 * What the name of a variable, field, header, flag or environment variable says about its value; `undefined` when it
 * does not name a secret.
 *
 * A name is read word by word (`accessToken`, `ACCESS_TOKEN`, `x-access-token` and `app.access.token` alike) and its
 * last words decide: `api_key` is a secret, `api_key_file`, `token_count`, `max_tokens` and `secretary` are not.
 */
export function readSecretName(name: string): SecretName | undefined {
  const local = name.slice(-MAX_NAME_CHARS).replace(/^.{0,128}:/, '');
  if (local.includes('/') || local.includes('@')) return undefined;
  const all = wordsOf(local);
  const words = withoutQualifiers(all);
  const last = words.at(-1);
  if (last === undefined || ASKS_ONLY.has(words[0] ?? '')) return undefined;
  return (
    readEnding(all) ??
    readEnding(words) ??
    readToken(words) ??
    readGluedWord(last) ??
    readVendorKey(words) ??
    readWeakName(local, words)
  );
}

/** The lower-case words of a name, without digits at their ends. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]{1,16}/)
    .map((word) => word.toLowerCase().replace(/\d{1,16}$/, ''))
    .filter((word) => word !== '');
}

function readEnding(words: readonly string[]): SecretName | undefined {
  const phrase = ` ${words.join(' ')}`;
  for (const [kind, endings] of ENDINGS) {
    if (endings.some((ending) => phrase.endsWith(` ${ending}`))) return { kind, certainty: 'sure' };
  }
  return undefined;
}

function withoutQualifiers(all: readonly string[]): readonly string[] {
  const words = [...all];
  while (words.length > 1 && SAYS_NOTHING.has(words.at(-1) ?? '')) words.pop();
  return words;
}

/** Words after the noun that leave it a secret: `password_confirmation`, `SECRET_KEY_BASE`, `TOKEN_PROD`. */
const SAYS_NOTHING = new Set(
  (
    'value val plain plaintext string str base b hex pem der encrypted enc old new current previous prod production ' +
    'dev development staging live backup confirmation confirm repeat hash'
  ).split(' '),
);

/** First words of names that ask about a secret instead of holding one: `has_password`, `show_token`. */
const ASKS_ONLY = new Set(
  'is has show hide require requires required enable enabled disable disabled allow needs supports no skip'.split(
    ' ',
  ),
);

/** The owners that make a `key` an API key, and the words that are one by themselves. */
const API_KEYS = [
  ...(
    'api|access|secret|signing|encryption|decryption|master|account|shared|preshared|auth|app|application|client|license|' +
    'service|deploy|hmac|webhook|storage|admin|subscription|symmetric|server|service role|anon|function|integration'
  )
    .split('|')
    .map((owner) => `${owner} key`),
  ...'api keys|access keys|secret keys|apikey|apikeys|psk'.split('|'),
];

const PASSWORDS = [
  ...'password|passwords|passwd|passphrase|passphrases|passcode|pswd|pass phrase|passin|passout|sshpass'.split(
    '|',
  ),
  ...(
    'db|database|mysql|pg|postgres|smtp|mail|email|imap|user|admin|root|ftp|sftp|redis|mongo|http|proxy|auth|login|basic|' +
    'sudo|ssh|ldap|amqp'
  )
    .split('|')
    .flatMap((owner) => [`${owner} pass`, `${owner} pwd`]),
];

const TOKENS = 'access|refresh|auth|api|bearer|bot|session|id'.split('|').map((owner) => `${owner} tokens`);

const CREDENTIALS = (
  'credential|credentials|creds|connection string|connectionstring|conn str|bearer|basic auth|http auth|' +
  'recovery code|recovery codes|backup codes|seed phrase'
).split('|');

/** The last words of names that are those of secrets. */
const ENDINGS: ReadonlyMap<SecretKind, readonly string[]> = new Map([
  ['authorization', ['authorization', 'authorisation']],
  ['cookie', ['cookie', 'cookies']],
  ['private_key', ['private key', 'private keys', 'privatekey', 'client key data', 'private key data']],
  ['api_key', API_KEYS],
  ['password', PASSWORDS],
  ['secret', ['secret', 'secrets']],
  ['token', TOKENS],
  ['credential', CREDENTIALS],
]);

/** What stands before `token` when it means a piece of text or a position, not a credential. */
const TEXT_TOKEN_OWNERS = new Set(
  (
    'next page paging pagination prev previous continuation continue cursor sync resume cancel cancellation abort stop eos bos ' +
    'pad unk mask sep cls special max min num per input output prompt completion total unexpected expected ' +
    'invalid peek lookahead eof end start begin first last operator keyword string number identifier ' +
    'punctuation comment whitespace delimiter separator syntax parser lexer css json yaml markdown word sub'
  ).split(' '),
);

function readToken(words: readonly string[]): SecretName | undefined {
  if (words.at(-1) !== 'token' || TEXT_TOKEN_OWNERS.has(words.at(-2) ?? '')) return undefined;
  return { kind: 'token', certainty: 'sure' };
}

const GLUED: readonly (readonly [SecretKind, RegExp])[] = [
  ['password', /(?:password|passwd|passphrase)$/],
  ['api_key', /(?:api|secret|access|account)key$/],
  ['private_key', /privatekey$/],
  ['secret', /[a-z]secret$/],
  [
    'token',
    /(?:access|auth|refresh|session|bot|api|id|user|github|gitlab|bearer|csrf|xsrf|oauth|npm|device)token$/,
  ],
];

/** `PGPASSWORD`, `clientsecret`: words written together without a boundary. */
function readGluedWord(word: string): SecretName | undefined {
  const found = GLUED.find(([, pattern]) => pattern.test(word));
  return found === undefined ? undefined : { kind: found[0], certainty: 'sure' };
}

const VENDORS = new Set(
  (
    'openai anthropic stripe github gitlab aws azure google gemini groq mistral huggingface hf sendgrid twilio ' +
    'mailgun datadog dd cloudflare heroku slack discord telegram supabase firebase algolia mapbox openrouter ' +
    'deepseek together replicate cohere perplexity xai tavily serper exa brave elevenlabs'
  ).split(' '),
);

function readVendorKey(words: readonly string[]): SecretName | undefined {
  if (words.at(-1) !== 'key' || !VENDORS.has(words.at(-2) ?? '')) return undefined;
  return { kind: 'api_key', certainty: 'sure' };
}

const WEAK_NAMES: ReadonlyMap<string, SecretName> = new Map([
  ['pass', { kind: 'password', certainty: 'data' }],
  ['pwd', { kind: 'password', certainty: 'data' }],
  ['otp', { kind: 'password', certainty: 'data' }],
  ['auth', { kind: 'credential', certainty: 'look' }],
  ['private', { kind: 'private_key', certainty: 'look' }],
]);

function readWeakName(name: string, words: readonly string[]): SecretName | undefined {
  // npm writes user and password, in base64, under `_auth`
  if (name === '_auth') return { kind: 'credential', certainty: 'sure' };
  return words.length === 1 ? WEAK_NAMES.get(words[0] ?? '') : undefined;
}
