import { procProcessTable } from './proc-process-table.ts';
import type { ProcessTable } from './process-entry.ts';
import { psProcessTable } from './ps-process-table.ts';

/** The table of the running platform: `/proc` on Linux, `ps` elsewhere. */
export const processTable: ProcessTable = process.platform === 'linux' ? procProcessTable : psProcessTable;
