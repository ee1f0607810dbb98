import type { CommandClass } from '../../../shell/index.ts';
import type { PolicySeverity } from './policy-rule.ts';

export interface ClassText {
  readonly severity: PolicySeverity;
  /** What the command does; follows "this call". */
  readonly what: string;
  /** What to do instead: a sentence for the model. */
  readonly instead: string;
}

const PERSON = 'If the task needs it, say so and let the person do it.';
const NARROW = 'Name the files to remove one by one, inside the workspace.';

/** What each class of danger means, for rules, messages and the documentation. */
export const CLASS_TEXTS: Readonly<Record<CommandClass, ClassText>> = {
  'delete-root': { severity: 'critical', what: 'removes everything on this machine', instead: NARROW },
  'delete-home': { severity: 'critical', what: 'removes the home directory of a person', instead: NARROW },
  'delete-system': { severity: 'critical', what: 'removes a directory of the system', instead: NARROW },
  device: { severity: 'critical', what: 'writes to a raw device or makes a file system', instead: PERSON },
  'fork-bomb': {
    severity: 'critical',
    what: 'starts processes without end',
    instead: 'Start a bounded number of them.',
  },
  'kill-all': {
    severity: 'critical',
    what: 'signals every process',
    instead: 'End the one process you started, by its id.',
  },
  power: { severity: 'critical', what: 'turns this machine off or restarts it', instead: PERSON },
  'pipe-to-shell': {
    severity: 'critical',
    what: 'runs what comes from elsewhere without a look at it',
    instead: 'Save it to a file, read the file, and tell the person what it does before it is run.',
  },
  'decode-exec': {
    severity: 'critical',
    what: 'runs code that is encoded',
    instead: 'Write the code out in plain text.',
  },
  'download-exec': {
    severity: 'critical',
    what: 'runs what it has just downloaded',
    instead: 'Download it, read it, and tell the person what it does before it is run.',
  },
  'reverse-shell': {
    severity: 'critical',
    what: 'gives another machine a shell on this one',
    instead: PERSON,
  },
  exfil: {
    severity: 'high',
    what: 'sends what is on this machine to another one',
    instead: 'Say what is sent and where to, and wait for the answer of the person.',
  },
  'cred-read': {
    severity: 'critical',
    what: 'reads or copies a file of credentials',
    instead:
      'Work without its content: ask the person for what is needed, or use a program that is logged in already.',
  },
  imds: {
    severity: 'critical',
    what: 'asks the metadata service of the cloud, which gives out credentials',
    instead: PERSON,
  },
  'self-tamper': {
    severity: 'critical',
    what: "changes Herma's own policy, journal, consents, configuration or checkpoints",
    instead: 'Only a person changes these. Tell them what you would change and why.',
  },
  persistence: { severity: 'critical', what: 'opens a lasting way into this machine', instead: PERSON },
  startup: { severity: 'high', what: 'makes something run later by itself', instead: PERSON },
  'cred-expose': {
    severity: 'high',
    what: 'may make credentials visible',
    instead: 'Ask for the one variable or file that is needed, by its name.',
  },
  privilege: { severity: 'high', what: 'gives a program or a user more rights', instead: PERSON },
  perms: {
    severity: 'medium',
    what: 'opens the permissions of a whole tree',
    instead: 'Change the one file that needs it.',
  },
  'delete-outside': { severity: 'high', what: 'removes something outside the workspace', instead: NARROW },
  'delete-vcs': { severity: 'high', what: 'removes the data of a repository', instead: PERSON },
  'delete-workspace': { severity: 'high', what: 'removes the whole workspace', instead: NARROW },
  'delete-unknown': {
    severity: 'high',
    what: 'removes something that cannot be known before it runs',
    instead: 'Write the path out instead of a variable or a substitution.',
  },
  'vcs-destructive': {
    severity: 'high',
    what: 'throws away work or rewrites history in a repository',
    instead: 'Commit or stash first, or use a way that keeps the history.',
  },
  'dynamic-exec': {
    severity: 'medium',
    what: 'runs something that cannot be known before it runs',
    instead: 'Write the program and its arguments out.',
  },
  'interpreter-exec': {
    severity: 'medium',
    what: 'runs commands or removes files from the code of an interpreter',
    instead: 'Run the commands themselves.',
  },
  remote: { severity: 'medium', what: 'runs commands on another machine or in a container', instead: PERSON },
  'unknown-wrapper': {
    severity: 'medium',
    what: 'runs a program through another one that is not known',
    instead: 'Run the program itself.',
  },
  install: { severity: 'low', what: 'installs packages', instead: PERSON },
  'not-understood': {
    severity: 'medium',
    what: 'cannot be read as a command with certainty',
    instead: 'Write it simpler, in several calls, or save it as a script in the workspace and run that.',
  },
};

export function classMessage(name: CommandClass): string {
  const { what, instead } = CLASS_TEXTS[name];
  return `It ${what}. ${instead}`;
}
