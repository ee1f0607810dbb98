import { type Failure, HermaError, messageOf } from '../../kernel/errors/index.ts';
import { printable, printableLine } from './output/printable.ts';

type Told = Pick<Failure, 'code' | 'message' | 'remedy'>;

const MAX_CHARS = 2000;

/** One or two lines for a person: what failed, and what to do. */
export function describeFailure({ code, message, remedy }: Told): string {
  const first = `herma: ${line(message)}`;
  if (remedy === undefined) return first;
  return code === 'usage' ? `${first}; ${line(remedy)}` : `${first}\n  ${line(remedy)}`;
}

/** What was thrown as a failure: its own words for an expected one, `internal error` for a bug. */
export function toFailure(thrown: unknown): Told {
  if (HermaError.isInstance(thrown)) {
    const { code, message, remedy } = thrown;
    return remedy === undefined ? { code, message } : { code, message, remedy };
  }
  const first = messageOf(thrown).split('\n', 1).join('');
  return {
    code: 'internal',
    message: `internal error: ${first}`,
    remedy: '`--verbose` shows where; please report it',
  };
}

/** The stack of what was thrown and of its causes, for `--verbose`. */
export function describeStack(thrown: unknown): string {
  const stacks: string[] = [];
  for (let each = thrown; each instanceof Error && stacks.length < 5; each = each.cause) {
    stacks.push(each.stack ?? each.message);
  }
  return printable(stacks.join('\ncaused by: '));
}

function line(text: string): string {
  const shown = printableLine(text);
  return shown.length > MAX_CHARS ? `${shown.slice(0, MAX_CHARS)}…` : shown;
}
