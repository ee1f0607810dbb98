import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import { fileSystemPath, InvalidPathError } from '../../../platform/paths/index.ts';
import type { ProcessIdentity } from '../../../platform/process/index.ts';
import type { Oid } from '../model/path-state.ts';

/** A document that is not what it is to be. The message is one line and names the member. */
export class FieldProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FieldProblem';
  }
}

function refuse(name: string, wanted: string): never {
  throw new FieldProblem(`"${name}" is not ${wanted}`);
}

export function textOf(object: JsonObject, name: string): string {
  const value = getOwn(object, name);
  return typeof value === 'string' ? value : refuse(name, 'a text');
}

/** A whole number of at least `least`. */
export function countOf(object: JsonObject, name: string, least = 0): number {
  const value = getOwn(object, name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
    ? value
    : refuse(name, `a whole number of at least ${String(least)}`);
}

/** Any finite number: moments may have a fraction, and clocks may be wrong. */
export function numberOf(object: JsonObject, name: string): number {
  const value = getOwn(object, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse(name, 'a number');
}

export function flagOf(object: JsonObject, name: string): boolean {
  const value = getOwn(object, name);
  return typeof value === 'boolean' ? value : refuse(name, 'true or false');
}

export function objectOf(object: JsonObject, name: string): JsonObject {
  const value = getOwn(object, name);
  return isJsonObject(value) ? value : refuse(name, 'an object');
}

export function listOf(object: JsonObject, name: string): readonly JsonValue[] {
  const value = getOwn(object, name);
  return isList(value) ? value : refuse(name, 'a list');
}

export function textsOf(object: JsonObject, name: string): readonly string[] {
  return listOf(object, name).map((value) =>
    typeof value === 'string' ? value : refuse(name, 'a list of texts'),
  );
}

export function oidOf(object: JsonObject, name: string): Oid {
  const value = textOf(object, name);
  return /^[0-9a-f]{40}$/.test(value) ? value : refuse(name, 'the name of an object');
}

export function oneOf<Choice extends string>(
  object: JsonObject,
  name: string,
  choices: readonly Choice[],
): Choice {
  const value = textOf(object, name);
  return choices.find((choice) => choice === value) ?? refuse(name, `one of ${choices.join(', ')}`);
}

/** Whether `path` is relative and stays below the folder it is relative to, and a file can have it. */
export function isProjectPath(path: string): boolean {
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) return false;
  try {
    fileSystemPath(path);
    return true;
  } catch (error) {
    if (!(error instanceof InvalidPathError)) throw error;
    return false;
  }
}

export function projectPathOf(object: JsonObject, name: string): string {
  const value = textOf(object, name);
  return isProjectPath(value) ? value : refuse(name, 'a path inside the project');
}

export function processOf(object: JsonObject, name: string): ProcessIdentity {
  return decodeProcess(objectOf(object, name));
}

export function decodeProcess(value: JsonObject): ProcessIdentity {
  return {
    pid: countOf(value, 'pid'),
    startTime: textOf(value, 'start_time'),
    bootId: textOf(value, 'boot_id'),
    pidNamespace: textOf(value, 'pid_namespace'),
  };
}

export function encodeProcess({ pid, startTime, bootId, pidNamespace }: ProcessIdentity): JsonObject {
  return { pid, start_time: startTime, boot_id: bootId, pid_namespace: pidNamespace };
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
