import { keepingVerbs } from '../ledger/keeping-verbs.ts';
import { listVerb, lookingVerbs } from '../ledger/looking-verbs.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  ...listVerb,
  name: 'ledger',
  summary: 'see what calls did, find those that were lost, and check the journal',
  details: 'Without a command it lists the calls. `docs/ledger.md` explains what is recorded.',
  example: 'herma ledger',
  subcommands: [...lookingVerbs, ...keepingVerbs],
};
