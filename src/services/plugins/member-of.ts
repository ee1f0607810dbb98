/** A member of something a plugin made, own or inherited: it may be an instance of a class. Throws when a getter does. */
export function memberOf(given: unknown, name: string): unknown {
  return typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined;
}

/** A function whose arguments and result nobody vouches for. */
export type UnknownFunction = (...args: readonly unknown[]) => unknown;

export function isFunction(value: unknown): value is UnknownFunction {
  return typeof value === 'function';
}

/** A method of something a plugin made, which keeps its `this`. */
export function methodOf(given: unknown, name: string): UnknownFunction | undefined {
  const method = memberOf(given, name);
  return isFunction(method) ? (...args) => Reflect.apply(method, given, args) : undefined;
}
