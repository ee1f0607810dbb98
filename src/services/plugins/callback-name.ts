/** What the callbacks of a plugin go by in messages. */
export function callbackName(plugin: string): string {
  return `plugin:${plugin}`;
}
