import { join } from 'node:path';
import { ApprovalStore } from '../../../gate/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { type DoctorCheck, finding } from './doctor-check.ts';

/** A damaged `approvals.json` approves nothing, which would otherwise show only as questions that come again. */
export const approvalsCheck: DoctorCheck = {
  name: 'approvals',
  run: async ({ paths, clock }) => {
    const lockPath = join(paths.locks, 'approvals.lock');
    const store = new ApprovalStore({ path: paths.approvals, lockPath, clock, newId: () => randomId() });
    const records = await store.list();
    if (!records.ok) return finding('problem', records.message, records.remedy);
    const count = records.value.length;
    return finding(
      'ok',
      count === 1 ? '1 answer is remembered' : `${count} answers are remembered`,
      undefined,
    );
  },
};
