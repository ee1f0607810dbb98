import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { OutboundHookConfig } from '../../../platform/config/index.ts';
import type { Environment } from '../../../platform/environment/index.ts';

/**
 * The key that signs what is sent to a target; undefined for a target that was configured without one. A variable that is named
 * wins over a key in the file. Fails with `no_secret` where a key is asked for and there is none: such a target is told nothing.
 */
export function signingKey(
  { secretEnv, secret }: Pick<OutboundHookConfig, 'secretEnv' | 'secret'>,
  environment: Environment,
): Result<string | undefined, 'no_secret'> {
  if (secretEnv !== undefined) {
    const value = environment[secretEnv] ?? '';
    return value === ''
      ? fail(
          'no_secret',
          `${secretEnv} is not set`,
          `Set ${secretEnv} to the key that signs, or remove secret_env.`,
        )
      : succeed(value);
  }
  return secret === ''
    ? fail('no_secret', 'its secret is empty', 'Name a variable that holds the key in secret_env.')
    : succeed(secret);
}
