import { processTable } from './process-table.ts';

/**
 * The processes of this machine, as far as they can be seen from here, that were started with that argument; not this one. For an
 * argument nobody else has, such as the path of a file made for one process: then it tells whether that process is there.
 */
export function processesWithArgument(argument: string): readonly number[] {
  return processTable.withArgument(argument).filter((pid) => pid !== process.pid);
}
