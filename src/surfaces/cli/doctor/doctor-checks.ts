import { approvalsCheck } from './approvals-check.ts';
import { checkpointsCheck } from './checkpoints-check.ts';
import { configCheck } from './config-check.ts';
import type { DoctorCheck } from './doctor-check.ts';
import { hooksCheck } from './hooks-check.ts';
import { bashCheck, diskCheck, gitCheck, homeCheck, nodeCheck, sqliteCheck } from './machine-checks.ts';
import { modelCheck } from './model-check.ts';
import { policyCheck } from './policy-check.ts';
import { sessionsCheck } from './sessions-check.ts';
import { tamperCheck } from './tamper-check.ts';

/** What `herma doctor` looks at, in the order it is shown. A subsystem adds a line. */
export const doctorChecks: readonly DoctorCheck[] = [
  nodeCheck,
  gitCheck,
  bashCheck,
  homeCheck,
  diskCheck,
  sqliteCheck,
  configCheck,
  modelCheck,
  sessionsCheck,
  approvalsCheck,
  checkpointsCheck,
  hooksCheck,
  policyCheck,
  tamperCheck,
];
