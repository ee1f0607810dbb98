import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/index.ts';
import { createRedactor, redact } from './index.ts';

const key = new TextEncoder().encode('a key of this installation');
const keyed = createRedactor({ key });

/** Texts with secrets, each written as `⟪kind|secret⟫`. Everything around them stays. */
const POSITIVES: readonly string[] = [
  // assignments and lines of .env files
  "export X_SECRET='⟪secret|s3cr3t value⟫'",
  'FOO_TOKEN=⟪token|abc⟫ npm publish',
  'A=1\nDB_PASSWORD=⟪password|hunter2⟫\nB=2\n',
  'PASSWORD=⟪password|correct"horse"battery⟫ x',
  'PASSWORD=⟪password|!@#$%^⟫',
  'cat > .env <<EOF\nSTRIPE_KEY=⟪api_key|abcd⟫\nEOF',
  'api_key: str = "⟪api_key|abc⟫"',
  'const apiKey: string = "⟪api_key|abc⟫";',
  "const char password[] = '⟪password|abc⟫';",
  "'password' => '⟪password|abc⟫'",
  'if (password == "⟪password|hunter22⟫") {',
  'Server=db;User=sa;Password=⟪password|Ab,1⟫;Database=x',
  'password = f"⟪password|abc{x}9⟫"',
  'password = """⟪password|abc⟫"""',
  '//registry.npmjs.org/:_authToken=⟪token|abc123⟫',
  '${DB_PASSWORD:-⟪password|hunter2⟫}',
  'password%3D⟪password|hunter2⟫%26a%3D1',
  'PASSWORD="⟪password|never closed⟫\nnext line',
  // YAML, INI, JSON and JSON within strings
  'password: ⟪password|hunter2⟫\nuser: bob',
  'password: ⟪password|swordfish⟫',
  'password: |\n  ⟪password|hunter2⟫\nuser: bob',
  'secret = ⟪secret|value1⟫',
  '{"api_key":"⟪api_key|abc⟫","n":1}',
  '{"api_key" :\n  "⟪api_key|abc⟫"}',
  '{"a":"{\\"token\\":\\"⟪token|abc⟫\\"}"}',
  '"{\\\\\\"token\\\\\\":\\\\\\"⟪token|a\\\\\\\\b⟫\\\\\\"}"',
  '{"password":"⟪password|a\\"b⟫","x":1}',
  '{"password":"⟪password|a\\\\⟫","x":1}',
  '{"password":⟪password|1234567⟫}',
  '{"secrets":["⟪secret|ab⟫",{"x":"⟪secret|cd⟫"}],"y":"z"}',
  '{"content":"A=1\\nB_TOKEN=⟪token|abc⟫\\nC=2"}',
  '<password>⟪password|abc⟫</password>',
  '<add key="ApiKey" value="⟪api_key|abc⟫" />',
  '- name: API_KEY\n  value: ⟪api_key|abc⟫',
  // headers
  "-H 'Authorization: Bearer ⟪authorization|abc⟫' -v",
  'Authorization: ⟪authorization|abc⟫\nHost: x',
  '-H \'Authorization: Digest ⟪authorization|username="u", response="0a1b"⟫\' -v',
  'X-Api-Key: ⟪api_key|abc⟫',
  'X-Api-Key:⟪api_key|abc⟫',
  'Cookie: ⟪cookie|sid=abc; theme=dark⟫\r\nHost: x',
  '-H "Cookie: ⟪cookie|sid=abc; t=d⟫" url',
  '"Proxy-Authorization": "Basic ⟪authorization|dTpw⟫"',
  'GET / HTTP/1.1\\r\\nAuthorization: Token ⟪authorization|abc⟫\\r\\nHost: x',
  'got Bearer ⟪authorization|abcdefg12⟫ from it',
  'got Basic ⟪authorization|dXNlcjpwYXNz⟫ from it',
  // flags and command lines
  'deploy --token ⟪token|abc⟫ --verbose',
  'deploy --api-key=⟪api_key|abc⟫',
  "deploy --password '⟪password|a b⟫' x",
  'deploy -token ⟪token|abc⟫',
  'deploy --token \\\n  ⟪token|abc⟫',
  '["deploy","--token","⟪token|abc⟫","-v"]',
  "mysql -uroot -p'⟪password|a b⟫' db",
  '["mysql","-uroot","-p⟪password|abc⟫"]',
  'sshpass -p ⟪password|hunter2⟫ ssh host',
  'curl -u bob:⟪password|hunter2⟫ https://x',
  'redis-cli -a ⟪password|hunter2⟫ ping',
  'docker login -u bob -p ⟪password|hunter2⟫',
  'ENV API_KEY ⟪api_key|abc123⟫',
  'openssl rsa -passin ⟪password|pass:hunter2⟫',
  // behind escapes that end in a letter or digit
  'A=1\\napi_key=⟪api_key|abc⟫\\ttoken=⟪token|abc⟫\\token=⟪token|abc⟫',
  'see\\n--token ⟪token|abc⟫ x',
  '?a=1\\u0026api_key=⟪api_key|abc⟫',
  'a%3D1%26api_key%3D⟪api_key|abc⟫',
  '\u001b[31mapi_key=⟪api_key|abc⟫',
  'key\\n⟪api_key|sk-0123456789abcdef⟫',
  '\u001b[1;31m⟪api_key|sk-0123456789abcdef⟫',
  'q=%20⟪api_key|sk-0123456789abcdef⟫',
  'x\\nmysql -p⟪password|abc⟫ db',
  'curl -b ⟪cookie|sid=abc⟫ -b jar.txt https://x',
  // prose
  'API key: ⟪api_key|abc123⟫',
  'the password is ⟪password|hunter2⟫ and the api key is now: ⟪api_key|abc123⟫',
  // addresses
  'https://x/?a=1&sig=⟪secret|abcdefghij0123456%3D⟫&b=1',
  'https://x/cb?code=⟪secret|abcdefghij0123456789⟫',
  'https://bob:⟪password|hunter2⟫@host/x',
  'redis://:⟪password|hunter2⟫@host',
  'postgres://u:⟪password|p@ss⟫@host/db',
  'postgres://u:⟪password|pa/ss⟫@host/db',
  'https://⟪token|a1b2c3d4e5f6a7b8⟫@host/x',
  'https://x.test/?api_key=⟪api_key|abc⟫&b=1',
  'https://x.test/?b=1&amp;access_token=⟪token|abc⟫',
  'https://hooks.slack.com/services/⟪secret|T0/B0/abcd⟫',
  // values that are known by their shape
  'root:⟪password|$6$saltsalt$abcdefghijklmnopqrst⟫:19000:0',
  '{"auths":{"x":{"auth":"⟪credential|dXNlcjpwYXNz⟫"}}}',
  'use ⟪api_key|sk-ant-api03-AbC12345⟫ now',
  'use ⟪api_key|sk-0123456789abcdef⟫.',
  '(⟪token|ghp_0123456789abcdefghij⟫)',
  'x⟪token|ghp_0123456789abcdefghij⟫',
  '⟪token|github_pat_11ABCDEFG0123456789⟫',
  '⟪token|glpat-abcdefghij0123456789⟫',
  '⟪api_key|AKIAIOSFODNN7EXAMPLE⟫',
  '⟪api_key|ASIAIOSFODNN7EXAMPLE⟫',
  '⟪token|xoxb-123456789012-abcdefghij⟫',
  '⟪api_key|AIzaSyA0123456789abcdefghijklmnopqrstuv⟫',
  '⟪token|npm_abcdefghijklmnopqrstuvwxyz0123456789⟫',
  '⟪token|hf_abcdefghijABCDEFGHIJ0123456789abcd⟫',
  '⟪token|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl⟫',
  'cut: ⟪token|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi⟫',
  'bot⟪token|123456789:AAabcdefghij-klmnop⟫',
  'a ⟪random|wJalrXUtnFEMI/K7MDENG/bPxRfiCY9z8y7x6w5KEY⟫ b',
  'x = "⟪random|aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY==⟫"',
  'a\n⟪private_key|-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----⟫\nb',
  'a\n⟪private_key|-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nAAAA⟫',
  'x\\n⟪private_key|-----BEGIN EC PRIVATE KEY-----\\nMHcC\\n-----END EC PRIVATE KEY-----⟫\\n',
  '⟪private_key|-----BEGIN PRIVATE KEY-----\nAAAA⟫\n\n⟪private_key|-----BEGIN PRIVATE KEY-----\nBBBB\n-----END PRIVATE KEY-----⟫',
];

/** Ordinary text that stays as it is. */
const NEGATIVES: readonly string[] = [
  'git commit -m "fix token parsing"',
  'git commit -m "token: handle the empty case"',
  'cat src/password-reset.ts',
  'src/password-reset.ts:12:3: error',
  'grep -rn "password" src/',
  "grep -rn 'api_key' 'src/config.ts'",
  'rg --no-heading token src | head',
  'cat ~/.ssh/id_ed25519.pub',
  'cat: /home/u/.token: No such file or directory',
  'SyntaxError: Unexpected token } in JSON at position 4',
  'docker run --name mysql -p3306:3306 mysql:8',
  'mkdir -p mysql && cd mysql',
  'mysql -p -h db',
  'curl -u $USER:$TOKEN https://x.test',
  'curl -H "Authorization: Bearer $TOKEN" https://x.test',
  'deploy --token $TOKEN --password "$PASSWORD"',
  'deploy --token <token> --password PASSWORD',
  'The --token option takes a value; --password too.',
  'TOKEN=$(cat /run/secrets/token) run',
  'TOKEN=`cat token` run',
  'PASSWORD=${PASSWORD:?not set}',
  'a\\nmax_tokens=4096\\nnext_token=abcdefgh',
  'token: ${{ secrets.GITHUB_TOKEN }}',
  'password: "{{ vault_password }}"',
  'password: !vault |',
  'PWD=/work/x OLDPWD=/work npm test',
  'docker login --password-stdin',
  'deploy --token --verbose --password -v --api-key -p3306 --secret --http1.1',
  'max_tokens: 4096, token_count=12, "total_tokens": 99',
  '"private": true, "token": null, "password": false',
  'private: true',
  'secretary: Bob, author: Ann, authorize: yes',
  'id-token: write',
  'the password is required, the token is "EOF", a secret is kept, the token was 12 characters long',
  'https://x/?code=200&key=name&sig=1',
  'let domainSecrets?: Array<{ domain: string }>;',
  'auth: "jwt", auth: oauth2',
  '✓ pass: 12 tests, pass=3',
  '"cookie": "^0.6.0", "tough-cookie": "4.1.3", "jsonwebtoken": "^9.0.2",',
  '"node_modules/cookie": { "version": "0.6.0", "resolved": "https://registry.npmjs.org/cookie/-/cookie-0.6.0.tgz" }',
  '"cookie": { "version": "0.6.0", "integrity": "sha512-U71cyTamuh1CRNCfpGY6to28lxvNwPG4Guz/EVjgf3Jmzv0vlDp1atT9eS5dDjMYHucpHbWns6Lwf3BKz6svdw==" }',
  '"integrity": "sha512-U71cyTamuh1CRNCfpGY6to28lxvNwPG4Guz/EVjgf3Jmzv0vlDp1atT9eS5dDjMYHucpHbWns6Lwf3BKz6svdw==",',
  'github.com/x/y v1.2.3 h1:2Jy0yqZq8rXk3W9m1N5bC7dF4gH6jK8lP0oI9uY7tR5=',
  'SHA256:2Jy0yqZq8rXk3W9m1N5bC7dF4gH6jK8lP0oI9uY7tR5',
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '123e4567-e89b-12d3-a456-426614174000',
  'call toolu_01D7FLrfh4GYq7yT1ULFeyMVaB3dE5fG answered',
  'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2x9Y8z7W6v5U4t3S2r1Q0pO9n8M7l6K5j4H3g2F1d0 me@host',
  '/usr/lib/node_modules/SomePackage1/dist/Chunk2/Index3/Feature4/Module5.js',
  'const x = getAuthenticationTokenProviderFactoryForUser2WithOAuth2();',
  'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'https://example.com:8443/path@2x.png http://localhost:3000/@fs/x ssh://git@github.com/o/r',
  'https://user:***@host/x https://$USER:$PASS@host/x',
  'class="sk-fading-circle12 sk-SK" task-1234567890 risk-AbC1234567',
  'npm_config_registry npm_package_json hf_hub',
  'Bearer authentication, WWW-Authenticate: Bearer realm="x1", Basic understanding',
  'const token = getToken();',
  'const token = tokens[index];',
  'const token = await read(file);',
  'const token = /\\w+/g;',
  'let password: string;',
  'readonly apiKey: string | undefined;',
  'interface A { token: Token; secret?: Secret; password: z.ZodString }',
  'function login(user: string, password: string): Promise<void> {',
  'login({ user, password: form.password, token: tok });',
  'connect(password=password, token=self.token, api_key=os.environ["X"])',
  'this.token = token;',
  'const apiKey = process.env.OPENAI_API_KEY ?? "";',
  "if (token === undefined || token === 'EOF') return;",
  "switch (kind) { case 'password': return x; }",
  "type={show ? 'password' : 'text'}",
  "console.log('Password:', password, `token: ${token}`);",
  "headers.authorization = 'Bearer ' + token;",
  "{ 'x-api-key': key, authorization: `Bearer ${token}` }",
  'tokens.map((token) => token.value)',
  'token::Kind, token => token.type',
  'throw new Error("password: Password is required");',
  "const HEADER = '-----BEGIN PRIVATE KEY-----';",
  "if (s.startsWith('-----BEGIN PRIVATE KEY-----') && s.endsWith('-----END PRIVATE KEY-----')) {",
  '-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----',
  '<input type="password" name="password" autocomplete="new-password">',
  'program.arguments("<username> <password>");',
  '{"properties":{"token":{"type":"string","description":"The token to parse"}}}',
  '{"token_type":"Bearer","expires_in":3600}',
  'api_key = "OPENAI_API_KEY"',
  'private_key: ./certs/server.pem',
  'fetch(url, { credentials: "same-origin" })',
  '\\n\\u0041 \ud800 lone \udc00',
  '',
];

const SECRET = /⟪(\w+)\|([^⟫]+)⟫/g;
const given = (template: string): string => template.replace(SECRET, '$2');
const expected = (template: string): string =>
  template.replace(SECRET, (_, kind: string, secret: string) => `[redacted ${kind} len=${secret.length}]`);

describe('text', () => {
  it.each(POSITIVES)('redacts %s', (template) => {
    expect(redact.text(given(template))).toBe(expected(template));
  });

  it.each(NEGATIVES)('leaves as it is: %s', (text) => {
    expect(redact.text(text)).toBe(text);
  });

  it.each(POSITIVES)('finds the same secrets in a JSON string in a JSON string: %s', (template) => {
    const secrets = [...template.matchAll(SECRET)].map(([, , secret = '']) => secret);
    const once = JSON.stringify({ command: given(template) });
    for (const text of [once, JSON.stringify({ body: once, n: 1 })]) {
      const redacted = redact.text(text);
      expect(redacted.split('[redacted ').length).toBeGreaterThan(secrets.length);
      for (const secret of secrets) if (secret.length > 4) expect(redacted).not.toContain(secret);
    }
  });

  it('leaves ordinary TypeScript as it is', () => {
    const files = ['json', 'tool-call', 'verdict', 'errors'].flatMap((name) => {
      const folder = join(import.meta.dirname, '..', name);
      return readdirSync(folder)
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => readFileSync(join(folder, file), 'utf8'));
    });
    expect(files.length).toBeGreaterThan(5);
    for (const source of files) expect(redact.text(source)).toBe(source);
  });

  it('leaves a lock file as it is', () => {
    const lock = readFileSync(join(import.meta.dirname, '../../../package-lock.json'), 'utf8');
    expect(redact.text(lock)).toBe(lock);
  });
});

/** The twelve secrets of case LG05 of the field reports, each in the tool arguments it was found in. */
const CANARY_ARGUMENTS: readonly { readonly secrets: readonly string[]; readonly args: JsonValue }[] = [
  {
    secrets: ['CANARY7f3a-1'],
    args: { command: "curl -H 'Authorization: Bearer sk-CANARY7f3a-1' https://api.one.test" },
  },
  { secrets: ['CANARY7f3a-2'], args: { command: 'export OPENAI_API_KEY=sk-CANARY7f3a-2 && run' } },
  { secrets: ['CANARY7f3a-3'], args: { command: 'mysql -uroot -ppassCANARY7f3a-3 db' } },
  {
    secrets: ['CANARY7f3a-4'],
    args: { command: 'git clone https://oauth2:glpat-CANARY7f3a-4@git.one.test/x.git' },
  },
  { secrets: ['CANARY7f3a-5'], args: { command: 'tool set telegram.token=123456:AACANARY7f3a-5' } },
  {
    secrets: ['CANARY7f3a-6', 'CANARY7f3a-7', 'CANARY7f3a-8'],
    args: {
      headers: { Authorization: 'Basic dXNlcjpwYXNzCANARY7f3a-6', Cookie: 'sid=CANARY7f3a-7' },
      url: 'https://x.test/?api_key=CANARY7f3a-8',
    },
  },
  {
    secrets: ['CANARY7f3a-9', 'CANARY7f3a-10'],
    args: {
      body: {
        auth: [{ private_key: '-----BEGIN PRIVATE KEY-----\nMIICANARY7f3a-9\n-----END PRIVATE KEY-----' }],
        note: 'rotating password=hunter2-CANARY7f3a-10 today',
      },
    },
  },
  {
    secrets: ['CANARY7f3a-11'],
    args: { path: '.env', content: 'A=1\nAWS_SECRET_ACCESS_KEY=CANARY7f3a-11\n' },
  },
  {
    secrets: ['CANARY7f3a-12'],
    args: { command: `${'x'.repeat(3990)} ghp_CANARY7f3a-12aaaaaaaaaaaaaaaaaaaaaaaaaaaaa` },
  },
];

describe('the canaries of the field report', () => {
  const cases = CANARY_ARGUMENTS.flatMap(({ secrets, args }) =>
    secrets.map((secret) => [secret, args] as const),
  );

  it('are twelve', () => {
    expect(new Set(cases.map(([secret]) => secret)).size).toBe(12);
  });

  it.each(cases)('%s is gone from the value, its JSON text and the cut text', (secret, args) => {
    const whole = new RegExp(`${secret}(?![0-9])`);
    const text = JSON.stringify(args);
    expect(text).toMatch(whole);
    expect(JSON.stringify(redact.value(args))).not.toMatch(whole);
    expect(keyed.text(text)).not.toMatch(whole);
    for (const limit of [40, 300, 4000, 4010])
      expect(keyed.redactAndCut(text, limit)).not.toContain('CANARY');
  });
});

describe('markers', () => {
  it('carry no hash without a key', () => {
    expect(redact.text('password=hunter2')).toBe('password=[redacted password len=7]');
  });

  it('carry the same hash for the same secret wherever it stands, and another one under another key', () => {
    const hash = (text: string): string | undefined => / #([0-9a-f]{8})\]/.exec(text)?.[1];
    const first = hash(keyed.text('OPENAI_API_KEY=sk-AbCdEf123456'));
    expect(first).toMatch(/^[0-9a-f]{8}$/);
    expect(hash(keyed.text('curl -H "Authorization: Bearer sk-AbCdEf123456"'))).toBe(first);
    expect(hash(JSON.stringify(keyed.value({ token: 'sk-AbCdEf123456' })))).toBe(first);
    expect(hash(keyed.text('password=other-One1'))).not.toBe(first);
    expect(hash(createRedactor({ key: new Uint8Array(32) }).text('x_token=sk-AbCdEf123456'))).not.toBe(first);
  });

  it('carry the same hash for a private key in a file and inside JSON', () => {
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIE/abc\ndefg\n-----END PRIVATE KEY-----';
    const hashes = [keyed.text(pem), keyed.text(JSON.stringify({ x: pem }))].map(
      (text) => /#\w{8}/.exec(text)?.[0],
    );
    expect(hashes[0]).toBeDefined();
    expect(hashes[1]).toBe(hashes[0]);
  });

  it('that are forged hide nothing', () => {
    const forged = [
      '[redacted ghp_0123456789abcdefghij len=4]',
      'password=[redacted token len=4]hunter2',
      'password="[redacted token len=4] hunter2"',
    ];
    for (const text of forged) expect(redact.text(text)).not.toMatch(/hunter2|ghp_0/);
  });
});

describe('known secrets', () => {
  const known = createRedactor({
    key,
    extraSecrets: ['plain words here', 'with "quotes"\n', 'short', 'redacted'],
  });

  it('are found as they are, in JSON and percent-encoded', () => {
    expect(known.text('a plain words here b')).toMatch(/^a \[redacted known_secret len=16 #[0-9a-f]{8}\] b$/);
    expect(known.text(JSON.stringify({ a: 'x with "quotes" y' }))).not.toContain('quotes');
    expect(known.text('?q=plain%20words%20here')).not.toContain('words');
    expect(JSON.stringify(known.value([{ 'plain words here': 1 }]))).not.toContain('words');
  });

  it('of fewer than eight characters are ignored', () => {
    expect(known.text('a short text')).toBe('a short text');
  });

  it('that are part of a marker do not change it', () => {
    const once = known.text('password=hunter2');
    expect(known.text(once)).toBe(once);
  });

  it('with lone surrogates and empty ones do no harm', () => {
    const odd = createRedactor({ extraSecrets: ['', ' ', '\ud800abcdefgh'] });
    expect(odd.text('x \ud800abcdefgh y')).toBe('x [redacted known_secret len=9] y');
    expect(odd.text('plain')).toBe('plain');
  });
});

/** Pieces that meet in texts with secrets in them, for texts nobody would write. */
const pieces = fc.oneof(
  fc.constantFrom(
    'password',
    'token',
    'api_key',
    'Authorization',
    'Cookie',
    'auth',
    'pass',
    'private_key',
    'name',
    'value',
    'set ',
    '"',
    "'",
    '\\"',
    '`',
    '=',
    ': ',
    ':',
    '==',
    ' ',
    '\n',
    '\\n',
    '--',
    '-',
    '<',
    '>',
    '</',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    ',',
    ';',
    '&',
    '|',
    '$',
    '${',
    '?',
    '@',
    '://',
    'Bearer ',
    'Basic ',
    'Digest ',
    'sk-',
    'ghp_',
    'eyJ',
    '.',
    'AKIA',
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    'curl -u ',
    'mysql ',
    '-p',
    '/',
    '\\',
    '%3D',
    '%26',
    '[redacted token len=4]',
    '[redacted password len=4 #12345678]',
    '[redacted ',
    '\ue000',
    '\ud800',
    '\u{1f600}',
    'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7',
    'hunter2',
    'true',
    '123456',
    '1234567:AAabcdefghij',
    'TOKEN',
    'x=1',
    '/home/u',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const oddTexts = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(''));

const alphanumeric = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.split('');
const random = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphanumeric), minLength: length, maxLength: length });
/** Secrets that are known by their shape, with the part of them that must not be seen. */
const shaped = fc.oneof(
  random(36).map((secret) => ({ text: `ghp_${secret}`, secret })),
  random(40).map((secret) => ({ text: `sk-proj-${secret}`, secret })),
  random(20).map((secret) => ({ text: `glpat-1${secret}`, secret })),
  random(24).map((secret) => ({ text: `xoxb-123456789012-${secret}`, secret })),
  random(30).map((secret) => ({ text: `eyJhbGciOiJIUzI1NiJ9.${secret}.${secret}`, secret })),
  random(16).map((secret) => ({ text: `Bearer 7${secret}`, secret })),
  random(12).map((secret) => ({ text: `https://user:${secret}x@host/path`, secret })),
  random(64).map((secret) => ({
    text: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
    secret,
  })),
);

describe('properties', () => {
  it('redacting twice changes nothing', () => {
    fc.assert(
      fc.property(oddTexts, fc.constantFrom(redact, keyed), (text, redactor) => {
        const once = redactor.text(text);
        expect(redactor.text(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('a secret of a known shape is gone, whatever stands around it', () => {
    fc.assert(
      fc.property(oddTexts, shaped, oddTexts, (before, { text, secret }, after) => {
        // A letter or digit may be glued to the shape only where that cannot make it another word.
        expect(keyed.text(`${before}\n${text}\n${after}`)).not.toContain(secret);
        expect(keyed.text(`${before} ${text}"${after}`)).not.toContain(secret);
      }),
      { numRuns: 3000 },
    );
  });

  it('a secret under a telling name is gone in every notation', () => {
    const names = fc.constantFrom(
      'api_key',
      'apiKey',
      'X-Api-Key',
      'access_token',
      'client_secret',
      'db.password',
      'PASSWORD',
    );
    const notations: readonly ((name: string, secret: string) => string)[] = [
      (name, secret) => `${name}=${secret}`,
      (name, secret) => `${name}: ${secret}`,
      (name, secret) => `${name} = '${secret}'`,
      (name, secret) => `export ${name}="${secret}"`,
      (name, secret) => `--${name} ${secret}`,
      (name, secret) => `--${name}=${secret}`,
      (name, secret) => `https://x.test/?a=1&${name}=${secret}#top`,
      (name, secret) => `<${name}>${secret}</${name}>`,
      (name, secret) => JSON.stringify({ [name]: secret }),
      (name, secret) => JSON.stringify({ a: JSON.stringify({ [name]: secret }) }),
      (name, secret) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ [name]: [secret] }) }) }),
      (name, secret) => JSON.stringify([`--${name}`, secret]),
      (name, secret) => JSON.stringify({ name, value: secret }, null, 2),
      (name, secret) => JSON.stringify({ content: `A=1\n${name}=${secret}\nB=2` }),
    ];
    const secrets = fc
      .string({
        unit: fc.constantFrom(...alphanumeric, '-', '_', '+', '!', '%', '^', '*'),
        minLength: 5,
        maxLength: 40,
      })
      .map((text) => `${text}7q`);
    fc.assert(
      fc.property(names, secrets, fc.constantFrom(...notations), (name, secret, notation) => {
        expect(keyed.text(notation(name, secret))).not.toContain(secret);
      }),
      { numRuns: 3000 },
    );
  });

  it('a quoted secret is gone even when it holds quotes, blanks and signs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 4, maxLength: 40 }), (middle) => {
        const secret = `Zq7${middle}7qZ`;
        const text = JSON.stringify({ a: 'b', password: secret, c: 'd' });
        const nested = JSON.stringify({ x: text });
        expect(keyed.text(text)).not.toMatch(/Zq7|7qZ/);
        expect(keyed.text(nested)).not.toMatch(/Zq7|7qZ/);
        expect(keyed.text(text)).toContain('"c":"d"');
      }),
      { numRuns: 3000 },
    );
  });
});
