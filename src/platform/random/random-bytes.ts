/** `count` bytes that cannot be guessed. Loads the crypto module when first used. */
export function randomBytes(count: number): Uint8Array {
  return process.getBuiltinModule('node:crypto').randomBytes(count);
}
