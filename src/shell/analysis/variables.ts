import { type Content, either, NUMBER, textContent, UNKNOWN } from './content.ts';
import type { ShellState, Variable } from './shell-state.ts';

const NUMBERS = new Set(
  'RANDOM SRANDOM SECONDS UID EUID PPID BASHPID LINENO COLUMNS LINES EPOCHSECONDS SHLVL'.split(' '),
);

export function variableOf(state: ShellState, name: string): Variable | undefined {
  const variable = state.variables.get(name);
  return variable?.refersTo === undefined ? variable : state.variables.get(variable.refersTo);
}

export function variableText(state: ShellState, name: string): string | undefined {
  return variableOf(state, name)?.value.text;
}

export function variableValue(state: ShellState, name: string): Content {
  if (name === 'PWD') return state.directory === undefined ? UNKNOWN : textContent(state.directory);
  const known = variableOf(state, name);
  if (known !== undefined) return known.value;
  return NUMBERS.has(name) ? NUMBER : UNKNOWN;
}

export function setVariable(state: ShellState, name: string, variable: Variable): void {
  const { refersTo } = state.variables.get(name) ?? {};
  state.variables.set(refersTo ?? name, variable);
}

/** Makes a name stand for another variable. */
export function refer(state: ShellState, name: string, refersTo: string): void {
  state.variables.set(name, { value: UNKNOWN, items: undefined, refersTo });
}

export function forgetVariable(state: ShellState, name: string): void {
  setVariable(state, name, { value: UNKNOWN, items: undefined });
}

/** Takes over what a shell that was forked for a branch has set: it happened or it did not. */
export function joinBranches(state: ShellState, branches: readonly ShellState[], mayBeNone: boolean): void {
  const names = new Set(branches.flatMap(({ variables }) => [...variables.own.keys()]));
  for (const name of names) {
    const values = branches.map((branch) => variableOf(branch, name) ?? { value: UNKNOWN, items: undefined });
    const before = variableOf(state, name);
    if (mayBeNone) values.push(before ?? { value: UNKNOWN, items: undefined });
    const [first, ...more] = values;
    if (first === undefined) continue;
    const value = more.reduce((joined, each) => either(joined, each.value), first.value);
    const items = more.every((each) => each.items === first.items) ? first.items : undefined;
    setVariable(state, name, { value, items });
  }
  for (const { functions } of branches)
    for (const [name, body] of functions.own) state.functions.set(name, body);
  const directories = new Set(branches.map(({ directory }) => directory));
  if (mayBeNone) directories.add(state.directory);
  const all = [...directories];
  if (all.length <= 1 && all[0] === state.directory) return;
  const known = all.filter((directory) => directory !== undefined);
  const others = [...known, ...branches.flatMap(({ otherDirectories }) => otherDirectories)];
  state.directory = known.length === all.length ? known[0] : undefined;
  state.otherDirectories = [...new Set([...state.otherDirectories, ...others])]
    .filter((each) => each !== state.directory)
    .slice(0, 4);
}
