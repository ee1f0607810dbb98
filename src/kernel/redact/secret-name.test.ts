import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSecretName } from './secret-name.ts';

const SECRET: readonly (readonly [string, string])[] = [
  ['api_key', 'api_key'],
  ['apiKey', 'api_key'],
  ['apikey', 'api_key'],
  ['APIKEY', 'api_key'],
  ['X-Api-Key', 'api_key'],
  ['x-goog-api-key', 'api_key'],
  ['OPENAI_API_KEY', 'api_key'],
  ['openaiKey', 'api_key'],
  ['API_KEY_2', 'api_key'],
  ['aws_secret_access_key', 'api_key'],
  ['SECRET_KEY_BASE', 'api_key'],
  ['Ocp-Apim-Subscription-Key', 'api_key'],
  ['AccountKey', 'api_key'],
  ['access_token', 'token'],
  ['refreshToken', 'token'],
  ['telegram.token', 'token'],
  ['GITHUB_TOKEN', 'token'],
  ['x-csrf-token', 'token'],
  ['//registry.npmjs.org/:_authToken', 'token'],
  ['_auth', 'credential'],
  ['client_secret', 'secret'],
  ['clientsecret', 'secret'],
  ['secrets', 'secret'],
  ['password', 'password'],
  ['passwd', 'password'],
  ['passphrase', 'password'],
  ['PGPASSWORD', 'password'],
  ['password_confirmation', 'password'],
  ['spring.datasource.password', 'password'],
  ['DB_PASS', 'password'],
  ['MYSQL_PWD', 'password'],
  ['authorization', 'authorization'],
  ['Proxy-Authorization', 'authorization'],
  ['cookie', 'cookie'],
  ['Set-Cookie', 'cookie'],
  ['private_key', 'private_key'],
  ['PrivateKey', 'private_key'],
  ['client-key-data', 'private_key'],
  ['credentials', 'credential'],
  ['connectionString', 'credential'],
];

const HARMLESS = [
  'max_tokens',
  'maxTokens',
  'token_count',
  'tokens',
  'input_tokens',
  'token_type',
  'tokenizer',
  'next_page_token',
  'cancellationToken',
  'eos_token',
  'secretary',
  'secretName',
  'authorize',
  'authorized',
  'authority',
  'author',
  'password-reset.ts',
  'passwordReset',
  'password_file',
  'api_key_env',
  'API_KEY_HEADER',
  'hasPassword',
  'show_token',
  'cookieParser',
  'cookie_policy',
  'key',
  'primary_key',
  'public_key',
  'session_key',
  'idempotency_key',
  'keyboard',
  'monkey',
  'compass',
  'node_modules/cookie',
  '@types/cookie',
  'jsonwebtoken',
  'constructor',
  '__proto__',
  '',
];

describe('readSecretName', () => {
  it.each(SECRET)('reads %s as the name of a secret of kind %s', (name, kind) => {
    expect(readSecretName(name)).toEqual({ kind, certainty: 'sure' });
  });

  it.each(HARMLESS)('reads "%s" as no name of a secret', (name) => {
    expect(readSecretName(name)).toBeUndefined();
  });

  it.each([
    ['pass', 'data'],
    ['pwd', 'data'],
    ['auth', 'look'],
    ['private', 'look'],
  ])('reads %s as a name that does not settle it (%s)', (name, certainty) => {
    expect(readSecretName(name)?.certainty).toBe(certainty);
  });

  it('judges a name the same in every spelling', () => {
    const words = fc.constantFrom(
      'api key',
      'access token',
      'client secret',
      'private key',
      'user password',
      'token count',
    );
    fc.assert(
      fc.property(words, fc.constantFrom('_', '-', '.'), fc.boolean(), (phrase, separator, isUpper) => {
        const joined = phrase.split(' ').join(separator);
        const camel = phrase.replace(/ ([a-z])/g, (_, letter: string) => letter.toUpperCase());
        expect(readSecretName(isUpper ? joined.toUpperCase() : joined)).toEqual(readSecretName(camel));
      }),
    );
  });

  it('judges a name longer than 128 characters by its end', () => {
    expect(readSecretName(`${'x'.repeat(100_000)}_password`)?.kind).toBe('password');
  });
});
