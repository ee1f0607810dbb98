import { protectedPaths, TamperRecords } from '../../../gate/index.ts';
import { randomId } from '../../../platform/random/index.ts';
import { type DoctorCheck, finding } from './doctor-check.ts';
import { tamperText } from './tamper-text.ts';

/** Whether files of Herma itself were changed while a call of an agent ran, which blocks the session until a person has looked. */
export const tamperCheck: DoctorCheck = {
  name: 'tampering',
  run: async ({ paths }) => {
    const records = new TamperRecords(protectedPaths(paths).records, randomId).list();
    if (!records.ok) return finding('problem', records.message, records.remedy);
    const { length } = records.value;
    if (length === 0) return finding('ok', 'no call of an agent changed files of Herma itself', undefined);
    const sessions = length === 1 ? '1 session is' : `${String(length)} sessions are`;
    const found = finding(
      'problem',
      `${sessions} blocked: files of Herma itself were changed while a call ran`,
      '`herma doctor --accept` lifts the block once you have looked',
    );
    const details = (await Promise.all(records.value.map(tamperText))).flat();
    return { ...found, details };
  },
};
