import { createHash } from 'node:crypto';
import { getOwn, getString, isJsonObject, type JsonValue } from '../../../kernel/json/index.ts';

/** The last policy file that could be used. */
export interface LastGood {
  readonly policy: string;
  /** The program whose rules passed their tests; empty when that is not known. */
  readonly testedBy: string;
}

/** The content of `policy.last-good.json`: the text of the policy with its SHA-256, and by which program it was tested. */
export function encodeLastGood({ policy, testedBy }: LastGood): string {
  return `${JSON.stringify({ version: 1, sha256: sha256(policy), testedBy, policy }, undefined, 2)}\n`;
}

/** Undefined when it is not what was written. */
export function decodeLastGood(value: JsonValue): LastGood | undefined {
  if (!isJsonObject(value) || getOwn(value, 'version') !== 1) return undefined;
  const policy = getString(value, 'policy');
  if (policy === undefined || sha256(policy) !== getString(value, 'sha256')) return undefined;
  return { policy, testedBy: getString(value, 'testedBy') ?? '' };
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
