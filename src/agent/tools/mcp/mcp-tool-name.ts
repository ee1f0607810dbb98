import { fingerprint } from '../../../kernel/json/index.ts';

/** Characters providers accept in the name of a function, and how many. */
const FORBIDDEN = /[^a-zA-Z0-9_-]/g;
const MAX_LENGTH = 64;
const DIGEST_LENGTH = 8;

/**
 * `mcp__<server>__<tool>`, in characters and a length that every provider accepts. Of a longer name the end gives way to a
 * digest of the whole, so that names which begin alike stay apart. Different tools can still get the same name (`a.b` and
 * `a_b`): see {@link distinctTools}.
 */
export function mcpToolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool}`;
  const accepted = name.replace(FORBIDDEN, '_');
  if (accepted.length <= MAX_LENGTH) return accepted;
  const digest = fingerprint(name).slice(0, DIGEST_LENGTH);
  return `${accepted.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)}_${digest}`;
}
