/** How a command ended, for whoever started it. */
export const EXIT = {
  /** Done; nothing to report. */
  done: 0,
  /** Done, and the answer is no: findings, problems, a block, a ghost. */
  no: 1,
  /** Could not do it: bad usage, bad configuration, an operation that failed. */
  couldNot: 2,
  /** Part of the answer is missing, and there is nothing worse to say. */
  incomplete: 3,
  /** Nothing to look at. */
  nothing: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
