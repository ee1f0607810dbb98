import { createContext, Script } from 'node:vm';

export type Limited<Value> = { readonly inTime: true; readonly value: Value } | { readonly inTime: false };

/** Runs synchronous work for at most so many milliseconds. Throws what the work throws. */
export type RunLimited = <Value>(limitMs: number, work: () => Value) => Limited<Value>;

/**
 * A runner that stops work in its tracks when its time is over, also in the middle of a regular expression that backtracks
 * without end. A runner is for one piece of work after the other.
 */
export function createLimitedRunner(): RunLimited {
  const holder = { work: (): void => undefined };
  const context = createContext(holder);
  const callWork = new Script('work()');
  return <Value>(limitMs: number, work: () => Value): Limited<Value> => {
    const results: Value[] = [];
    holder.work = () => void results.push(work());
    try {
      callWork.runInContext(context, { timeout: limitMs });
    } catch (error) {
      if (isTimeout(error)) return { inTime: false };
      throw error;
    }
    const [value] = results;
    if (value === undefined) throw new Error('the work has no value');
    return { inTime: true, value };
  };
}

/** The error comes from another realm, so it is no instance of our `Error`. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
