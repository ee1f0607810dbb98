import type { ReadCall } from '../reading/read-call.ts';
import { byClass } from './by-class.ts';
import type { PostureRule, Sighting } from './posture-rule.ts';

export const destructiveShell: PostureRule = {
  id: 'destructive-shell',
  asi: 'ASI02',
  severity: 'CRITICAL',
  find: byClass(['delete-root', 'delete-home', 'delete-system', 'device', 'fork-bomb', 'kill-all', 'power']),
};

export const remoteCode: PostureRule = {
  id: 'remote-code',
  asi: 'ASI05',
  severity: 'CRITICAL',
  find: byClass(['pipe-to-shell', 'decode-exec', 'download-exec', 'reverse-shell']),
};

export const credentialAccess: PostureRule = {
  id: 'cred-access',
  asi: 'ASI02',
  severity: 'HIGH',
  find: byClass(['cred-read', 'imds']),
};

export const exfiltrationShape: PostureRule = {
  id: 'exfil-shape',
  asi: 'ASI02',
  severity: 'HIGH',
  find: ({ calls, earlier }) => {
    if (!calls.some((call) => exfiltrationIn(call) !== undefined)) return [];
    const seen = new Set(
      earlier.filter(({ isExecuted }) => isExecuted).flatMap((call) => call.reading().hosts),
    );
    return calls.flatMap((call) => {
      if (!call.isExecuted) return [];
      const { hosts } = call.reading();
      const evidence = exfiltrationIn(call);
      // A host that cannot be known was not seen before either.
      const isNew = hosts.length === 0 || hosts.some((host) => !seen.has(host));
      for (const host of hosts) seen.add(host);
      const sighting: Sighting = { calls: [call], evidence: evidence ?? '' };
      return evidence !== undefined && isNew ? [sighting] : [];
    });
  },
};

export const dynamicExecution: PostureRule = {
  id: 'dynamic-exec',
  asi: 'ASI05',
  severity: 'MEDIUM',
  find: byClass(['dynamic-exec', 'interpreter-exec']),
};

export const selfTamper: PostureRule = {
  id: 'self-tamper',
  asi: 'ASI10',
  severity: 'CRITICAL',
  find: byClass(['self-tamper']),
};

export const persistence: PostureRule = {
  id: 'persistence',
  asi: 'ASI10',
  severity: 'HIGH',
  find: byClass(['persistence', 'startup']),
};

function exfiltrationIn(call: ReadCall): string | undefined {
  if (!call.isExecuted) return undefined;
  const found = call.reading().findings.find((finding) => finding.class === 'exfil');
  if (found === undefined) return undefined;
  const { hosts } = call.reading();
  return `exfil to ${hosts.length === 0 ? 'a host that cannot be known' : hosts.join(', ')}: ${found.evidence}`;
}
