import { openSessionStore } from '../../../agent/sessions/index.ts';
import { statPath } from '../../../platform/files/index.ts';
import { type DoctorCheck, finding } from './doctor-check.ts';

export const sessionsCheck: DoctorCheck = {
  name: 'sessions',
  run: async ({ paths, clock }) => {
    const path = paths.stateDatabase;
    const stat = await statPath(path);
    if (!stat.ok) return finding('problem', stat.message, stat.remedy);
    if (stat.value === undefined) return finding('ok', 'none yet', undefined);
    const store = openSessionStore({ path, clock });
    if (!store.ok) return finding('problem', store.message, store.remedy);
    store.value.close();
    return finding('ok', `${path} can be read`, undefined);
  },
};
