/** `error`: the program refuses to run on this configuration. `warning`: it runs, and says so. */
export type ConfigSeverity = 'error' | 'warning';

/** One thing that is wrong in `config.yaml`. */
export interface ConfigProblem {
  readonly severity: ConfigSeverity;
  readonly file: string;
  /** From 1; absent when the problem is about the file as a whole. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  /** `agent.max_iterations`; absent when the problem is about no single key. */
  readonly key?: string;
  /** One line: what is wrong, with the value found and what was expected. Holds no secrets. */
  readonly message: string;
  /** One line: what to do. */
  readonly remedy: string;
}

/** `/home/you/.herma/config.yaml:3:19: agent.max_iterations is "ninety" (text), expected a whole number from 1 to 10000`. */
export function describeProblem({ file, line, column, message }: ConfigProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return `${place}: ${message}`;
}
