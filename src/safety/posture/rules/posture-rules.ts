import { breadth } from './breadth.ts';
import { errorStorm } from './error-storm.ts';
import { fanOut } from './fan-out.ts';
import { ghostOpen } from './ghost-open.ts';
import { offHoursBurst } from './off-hours-burst.ts';
import { policyBypassed } from './policy-bypassed.ts';
import type { PostureRule } from './posture-rule.ts';
import { retryDuplicate } from './retry-duplicate.ts';
import {
  credentialAccess,
  destructiveShell,
  dynamicExecution,
  exfiltrationShape,
  persistence,
  remoteCode,
  selfTamper,
} from './shell-rules.ts';
import { unattendedWrite } from './unattended-write.ts';

export const POSTURE_RULES: readonly PostureRule[] = [
  destructiveShell,
  remoteCode,
  credentialAccess,
  exfiltrationShape,
  dynamicExecution,
  ghostOpen,
  errorStorm,
  retryDuplicate,
  fanOut,
  selfTamper,
  persistence,
  offHoursBurst,
  unattendedWrite,
  breadth,
  policyBypassed,
];
