import type { Command } from '../shell-script.ts';
import type { Analysis } from './analysis.ts';
import { type Content, PRINTED } from './content.ts';
import type { Field } from './field.ts';
import { addFinding } from './report.ts';
import type { ShellState } from './shell-state.ts';

const MAX_FRAMES = 8;

/** A function that is called; what it does happens in this very shell. */
export function callFunction(
  name: string,
  body: Command,
  args: readonly Field[],
  { state, analysis }: { readonly state: ShellState; readonly analysis: Analysis },
): Content {
  const { report } = analysis;
  const frame = state.frames.find((each) => each.name === name);
  // It starts itself beside itself, whatever happens.
  if (frame !== undefined && state.forks > frame.forks && !state.isConditional)
    addFinding(report, 'fork-bomb', `${name}() { … ${name} … & }`);
  if (frame !== undefined) return PRINTED;
  if (state.frames.length >= MAX_FRAMES) {
    report.problem ??= 'too_deep';
    return PRINTED;
  }
  const { positional, arePositionalSet, frames, isConditional } = state;
  state.positional = args;
  state.arePositionalSet = false;
  state.frames = [...frames, { name, forks: state.forks }];
  state.isConditional = false;
  const printed = analysis.runCommand(body, state);
  state.positional = positional;
  state.arePositionalSet = arePositionalSet;
  state.frames = frames;
  state.isConditional = isConditional;
  return printed;
}
