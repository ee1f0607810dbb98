/** The operating system, in the words of Node: `linux`, `darwin` (macOS), `win32` (Windows) and rarer ones. */
export function platformName(): NodeJS.Platform {
  return process.platform;
}

/** The version of the running Node, without a leading `v`: `24.21.0`. */
export function nodeVersion(): string {
  return process.versions.node;
}
