import type { Tool } from '../../gate/index.ts';
import type { ToolDeclaration } from '../../kernel/tool-call/index.ts';
import type { RunningPlugin } from './running-plugin.ts';

/** The tool that a plugin registered at that place, as the gate runs tools. */
export function toolOf(declaration: ToolDeclaration, index: number, plugin: RunningPlugin): Tool {
  return {
    ...declaration,
    execute: async ({ call: { args, cwd } }, { signal, onProgress }) =>
      plugin.runTool(index, { args, cwd }, { signal, onLine: onProgress }),
  };
}
