import type { Verb } from './verb.ts';

/** A command before its module is loaded. */
export interface VerbEntry {
  readonly name: string;
  /** The same as that of the verb. */
  readonly summary: string;
  /** Not shown in help, and not completed. */
  readonly isHidden?: boolean;
  readonly load: () => Promise<{ readonly verb: Verb }>;
}

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
