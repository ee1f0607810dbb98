import { getOwn, type JsonObject } from '../../kernel/json/index.ts';

/** The number `name` of arguments that fit their schema; `fallback` when it is absent. */
export function numberArgument(args: JsonObject, name: string, fallback: number): number {
  const value = getOwn(args, name);
  return typeof value === 'number' ? value : fallback;
}

/** The text `name` of arguments that fit their schema; `fallback` when it is absent. */
export function textArgument(args: JsonObject, name: string, fallback = ''): string {
  const value = getOwn(args, name);
  return typeof value === 'string' ? value : fallback;
}

/** Whether the flag `name` is set. */
export function flagArgument(args: JsonObject, name: string): boolean {
  return getOwn(args, name) === true;
}
