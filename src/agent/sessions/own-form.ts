import { getOwn, getString, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json/index.ts';
import { readArray, readObject, readString, reject } from './json-reader.ts';
import type { Message, ResultStatus } from './message.ts';

const STATUSES: readonly ResultStatus[] = ['ok', 'error', 'blocked', 'cancelled', 'unknown'];
const SYNTHETIC = ['summary', 'verification_required'];

/**
 * Reads one {@link Message} in JSON. It is the given object itself, unknown fields included.
 *
 * @throws HermaError `invalid_messages`, naming the place below `path` and what was expected there.
 */
export function readOwnMessage(value: JsonValue, path: string): Message & JsonObject {
  const message = readObject(value, path);
  return checkMessage(message, path) ? message : reject(path, 'a message', message);
}

/** Whether `value` is a result status. */
function isResultStatus(value: unknown): value is ResultStatus {
  return STATUSES.some((status) => status === value);
}

function checkMessage(message: JsonObject, path: string): message is Message & JsonObject {
  readString(message, 'text', path);
  switch (getString(message, 'role') ?? '') {
    case 'user':
      checkOptional(message, 'synthetic', {
        path,
        expected: `one of ${SYNTHETIC.join(', ')}`,
        fits: isSynthetic,
      });
      checkOptional(message, 'context', { path, expected: 'a string', fits: isString });
      return true;
    case 'assistant':
      readArray(message, 'calls', path).forEach((call, index) => {
        checkCall(readObject(call, `${path}.calls[${index}]`), `${path}.calls[${index}]`);
      });
      checkOptional(message, 'pushedBack', { path, expected: 'true or false', fits: isBoolean });
      return true;
    case 'tool': {
      readString(message, 'callId', path);
      readString(message, 'tool', path);
      const status = getOwn(message, 'status');
      if (!isResultStatus(status)) reject(`${path}.status`, `one of ${STATUSES.join(', ')}`, status);
      return true;
    }
    default:
      return reject(`${path}.role`, '"user", "assistant" or "tool"', getOwn(message, 'role'));
  }
}

function checkCall(call: JsonObject, path: string): void {
  readString(call, 'callId', path);
  readString(call, 'tool', path);
  const args = getOwn(call, 'args');
  if (args !== null && !isJsonObject(args)) reject(`${path}.args`, 'an object or null', args);
  checkOptional(call, 'rawArgs', { path, expected: 'a string', fits: isString });
}

interface Check {
  readonly path: string;
  readonly expected: string;
  readonly fits: (value: JsonValue) => boolean;
}

function checkOptional(object: JsonObject, key: string, { path, expected, fits }: Check): void {
  const value = getOwn(object, key);
  if (value !== undefined && !fits(value)) reject(`${path}.${key}`, expected, value);
}

function isSynthetic(value: JsonValue): boolean {
  return SYNTHETIC.some((kind) => kind === value);
}

function isString(value: JsonValue): boolean {
  return typeof value === 'string';
}

function isBoolean(value: JsonValue): boolean {
  return typeof value === 'boolean';
}
