import { restArgument, textArgument } from '../inputs.ts';

export const checkpoint = textArgument(
  'id',
  'the checkpoint: an id, its beginning, or a number of the list',
  {
    completion: 'checkpoint-ids',
  },
);
export const files = restArgument('files', 'only these files', { completion: 'files' });
