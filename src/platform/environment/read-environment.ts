/** Environment variables. Has no prototype, so a look-up finds nothing but variables. */
export type Environment = Readonly<Record<string, string>>;

/** A frozen copy of this process's environment as it is now. */
export function readEnvironment(): Environment {
  return freezeVariables(Object.entries(process.env));
}

/** An {@link Environment} of these variables; those that are undefined are left out. */
export function freezeVariables(variables: Iterable<readonly [string, string | undefined]>): Environment {
  const set = Array.from(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const environment: Record<string, string> = Object.fromEntries(set);
  Object.setPrototypeOf(environment, null);
  return Object.freeze(environment);
}
