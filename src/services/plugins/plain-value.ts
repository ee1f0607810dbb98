/**
 * A copy of what a callback returned that can be sent to another thread and means there what it means here. Throws for
 * everything else: a copy of an instance, of a getter or of a symbol looks like an object that says nothing, and a verdict
 * must not become one on the way.
 */
export function plainCopy(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) checkPlain(value);
  try {
    return structuredClone(value);
  } catch (error) {
    throw new Error('returned something that cannot be sent to another thread', { cause: error });
  }
}

function checkPlain(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain =
    (prototype === null || prototype === Object.prototype) &&
    Reflect.ownKeys(value).every(
      (key) => typeof key === 'string' && Object.prototype.propertyIsEnumerable.call(value, key),
    );
  if (!isPlain)
    throw new Error('returned an object that is not plain, which cannot be sent to another thread');
}
