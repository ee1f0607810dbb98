import type { CommandClass } from './command-analysis.ts';

/**
 * The verdict on a command in which something of a class was found, where nobody has said otherwise. `ask` is for what a person may
 * well want, or what cannot be known; of several the strictest counts.
 */
export const USUAL_VERDICTS: Readonly<Record<CommandClass, 'block' | 'ask' | 'allow'>> = {
  'delete-root': 'block',
  'delete-home': 'block',
  'delete-system': 'block',
  device: 'block',
  'fork-bomb': 'block',
  'kill-all': 'block',
  power: 'block',
  'pipe-to-shell': 'block',
  'decode-exec': 'block',
  'download-exec': 'block',
  'reverse-shell': 'block',
  exfil: 'ask',
  'cred-read': 'block',
  imds: 'block',
  'self-tamper': 'block',
  persistence: 'block',
  startup: 'ask',
  'cred-expose': 'ask',
  privilege: 'ask',
  perms: 'ask',
  'delete-outside': 'ask',
  'delete-vcs': 'ask',
  'delete-workspace': 'ask',
  'delete-unknown': 'ask',
  'vcs-destructive': 'ask',
  'dynamic-exec': 'ask',
  'interpreter-exec': 'ask',
  remote: 'ask',
  'unknown-wrapper': 'ask',
  install: 'allow',
  'not-understood': 'ask',
};
