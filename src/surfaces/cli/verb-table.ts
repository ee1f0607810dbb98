import type { VerbEntry } from './verb.ts';

/** Every command, in the order of the help. Only the module of the one that is run is loaded. */
export const verbTable: readonly VerbEntry[] = [
  {
    name: 'chat',
    summary: 'talk to the agent, or give it one task with -q',
    load: () => import('./verbs/chat.ts'),
  },
  {
    name: 'tour',
    summary: 'watch a guarded session, without a key and without a network',
    load: () => import('./verbs/tour.ts'),
  },
  {
    name: 'call',
    summary: 'take one tool call from standard input through the gate and run it',
    load: () => import('./verbs/call.ts'),
  },
  {
    name: 'gate',
    summary: 'put the tool calls of any other program through the gate',
    load: () => import('./verbs/gate.ts'),
  },
  {
    name: 'approvals',
    summary: 'see and withdraw what was approved for longer than once',
    load: () => import('./verbs/approvals.ts'),
  },
  {
    name: 'rollback',
    summary: 'list checkpoints, and take back what was done to files since one',
    load: () => import('./verbs/rollback.ts'),
  },
  {
    name: 'checkpoints',
    summary: 'see, take, check and delete what is kept of files',
    load: () => import('./verbs/checkpoints.ts'),
  },
  {
    name: 'ledger',
    summary: 'see what calls did, find those that were lost, and check the journal',
    load: () => import('./verbs/ledger.ts'),
  },
  {
    name: 'posture',
    summary: 'score how the agent has behaved, from its journal',
    load: () => import('./verbs/posture.ts'),
  },
  {
    name: 'policy',
    summary: 'try, see and set the rules about what calls may do',
    load: () => import('./verbs/policy.ts'),
  },
  {
    name: 'hooks',
    summary: 'see, try, approve and check the scripts that are asked about calls',
    load: () => import('./verbs/hooks.ts'),
  },
  {
    name: 'plugins',
    summary: 'install, enable and remove plugins',
    load: () => import('./verbs/plugins.ts'),
  },
  {
    name: 'sessions',
    summary: 'list, read and rename sessions, and repair lists of messages',
    load: () => import('./verbs/sessions.ts'),
  },
  {
    name: 'config',
    summary: 'read, change and check the configuration',
    load: () => import('./verbs/config.ts'),
  },
  {
    name: 'doctor',
    summary: 'check that everything Herma needs is there and works',
    load: () => import('./verbs/doctor.ts'),
  },
  {
    name: 'logs',
    summary: 'show the end of the log',
    load: () => import('./verbs/logs.ts'),
  },
  {
    name: 'completion',
    summary: 'print a script that completes commands in your shell',
    load: () => import('./verbs/completion.ts'),
  },
  {
    name: '__complete',
    summary: 'list what a shell can complete an argument with',
    isHidden: true,
    load: () => import('./verbs/complete.ts'),
  },
];
