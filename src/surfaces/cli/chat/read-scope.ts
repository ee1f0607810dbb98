import type { ApprovalScope } from '../../../gate/index.ts';

export const SCOPE_QUESTION = 'Run it? [o]nce, for this [s]ession, [a]lways, [d]eny:';

/** What a typed answer to {@link SCOPE_QUESTION} means; undefined when it is none of them. An empty one is a no. */
export function readScope(text: string): ApprovalScope | 'deny' | undefined {
  switch (text.trim().toLowerCase()) {
    case 'o':
    case 'once':
    case 'y':
    case 'yes':
      return 'once';
    case 's':
    case 'session':
      return 'session';
    case 'a':
    case 'always':
      return 'always';
    case '':
    case 'd':
    case 'deny':
    case 'n':
    case 'no':
      return 'deny';
    default:
      return undefined;
  }
}
