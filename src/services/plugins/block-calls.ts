import type { CallbackRegistry } from '../../safety/hooks/index.ts';
import { callbackName } from './callback-name.ts';

/** Blocks every call in the name of a guard that cannot be loaded. The function it returns lifts the block. */
export function blockCalls(callbacks: CallbackRegistry, plugin: string, why: string): () => void {
  const message = `the plugin "${plugin}" is enabled and could not be loaded (${why}). It is a broken guard, not a decision about this call: correct the plugin, or run \`herma plugins disable ${plugin}\` and start a new session`;
  return callbacks.register('pre_tool_call', { name: callbackName(plugin) }, () => ({
    action: 'block',
    message,
  }));
}
