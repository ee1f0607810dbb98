import { fail, type Result } from '../../kernel/errors/index.ts';
import { parseJson } from '../../kernel/json/index.ts';

/** The way to a value: names of keys, and positions (from 0) in lists. */
export type KeyPath = readonly (string | number)[];

const PLAIN_NAME = /^[A-Za-z_*][\w*-]*$/;
const STEP = /"((?:[^"\\]|\\.)*)"|([^.[\]"]+)|\[(\d+)\]/y;

/** `mcp_servers.files.args[0]`; a name with other characters is quoted: `mcp_servers."my.server"`. */
export function formatKeyPath(path: KeyPath): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      const name = PLAIN_NAME.test(step) ? step : JSON.stringify(step);
      return index === 0 ? name : `.${name}`;
    })
    .join('');
}

/** The reading of a path as {@link formatKeyPath} writes it. `verify.0` is the same as `verify[0]`. */
export function parseKeyPath(text: string): Result<KeyPath, 'bad_key'> {
  const path: (string | number)[] = [];
  let position = 0;
  while (position < text.length) {
    if (path.length > 0 && text[position] === '.') position += 1;
    STEP.lastIndex = position;
    const match = STEP.exec(text);
    if (match === null || (match[3] !== undefined && path.length === 0)) return badKey(text);
    const step = stepOf(match, path.length);
    if (step === undefined) return badKey(text);
    path.push(step);
    position = STEP.lastIndex;
    const next = text[position];
    if (next !== undefined && next !== '.' && next !== '[') return badKey(text);
  }
  return path.length === 0 || text.endsWith('.') ? badKey(text) : { ok: true, value: path };
}

function stepOf([, quoted, plain, index]: RegExpExecArray, depth: number): string | number | undefined {
  if (quoted !== undefined) {
    const name = parseJson(`"${quoted}"`);
    return name.ok && typeof name.value === 'string' ? name.value : undefined;
  }
  if (index !== undefined) return Number(index);
  return depth > 0 && plain !== undefined && /^\d+$/.test(plain) ? Number(plain) : (plain ?? '');
}

function badKey(text: string): Result<KeyPath, 'bad_key'> {
  return fail(
    'bad_key',
    `${JSON.stringify(text)} is not the name of a setting`,
    'write it with dots: agent.max_iterations, mcp_servers.files.args[0]',
  );
}
