import {
  createClarifyTool,
  createReadFileTool,
  createSearchFilesTool,
  createTodoTool,
} from '../../../agent/tools/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';

/** The names of the built-in tools of which no call can have an effect, by their own declarations. */
export function readOnlyTools(clock: Clock): ReadonlySet<string> {
  const home = '/';
  const tools = [
    createReadFileTool({ home }),
    createSearchFilesTool({ home, clock }),
    createTodoTool({ load: () => Promise.resolve([]), save: () => Promise.resolve() }),
    createClarifyTool({ ask: () => Promise.resolve({ answered: false, reason: 'nobody is here to ask' }) }),
  ];
  return new Set(tools.flatMap(({ name, effect }) => (effect === 'none' ? [name] : [])));
}
