import { createHash } from 'node:crypto';
import { getOwn, getString, isJsonObject, type JsonValue } from '../../../kernel/json/index.ts';

/** The content of `policy.last-good.json`: the text of the last policy file that could be used, with its SHA-256. */
export function encodeLastGood(policyText: string): string {
  return `${JSON.stringify({ version: 1, sha256: sha256(policyText), policy: policyText }, undefined, 2)}\n`;
}

/** The text of the policy; undefined when it is not what was written. */
export function decodeLastGood(value: JsonValue): string | undefined {
  if (!isJsonObject(value) || getOwn(value, 'version') !== 1) return undefined;
  const policy = getString(value, 'policy');
  return policy !== undefined && sha256(policy) === getString(value, 'sha256') ? policy : undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
