import { flagOption, textOption } from './inputs.ts';

/** Options that every command takes, before and after its name. */
export const globalOptions = {
  home: textOption('--home <dir>', "Herma's home folder, instead of HERMA_HOME or ~/.herma", {
    completion: 'folders',
  }),
  json: flagOption('--json', 'print one JSON document on standard output'),
  verbose: flagOption('--verbose', 'show more, and where an error comes from'),
  acceptHooks: flagOption('--accept-hooks', 'run shell hooks that nobody has approved yet'),
  yes: flagOption('-y, --yes', 'answer every confirmation with yes'),
  force: flagOption('-f, --force', 'the same as --yes'),
} as const;
