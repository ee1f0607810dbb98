import { resolve } from 'node:path';
import { isInside } from '../../../../platform/paths/index.ts';
import type { Foreseen } from '../../model/foreseen.ts';
import { UNFORESEEN } from '../check-file.ts';
import { contentFact } from '../file-facts.ts';
import { FILE_EFFECTS } from './file-effects.ts';
import { gitEffect } from './git-effects.ts';
import type { Plan } from './plan.ts';
import { isUnchanged, PlannedFiles } from './planned-files.ts';
import { type Step, type StepOutput, stepsOf } from './steps.ts';

/** A command, and where it is to run. */
export interface CommandToForesee {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  /** What `~` stands for; absolute. */
  readonly home: string;
}

/**
 * What a command is to make of files and repositories, as far as its text tells. Where it does something else besides, the last of
 * the files stands for that. Reads what is there, runs nothing, changes nothing.
 *
 * @param signal once aborted, nothing more is read of contents.
 */
export async function foreseeCommand(
  { command, cwd, home }: CommandToForesee,
  signal: AbortSignal,
): Promise<Pick<Foreseen, 'files' | 'repositories'>> {
  const { steps, isWhole: isAllSteps } = stepsOf(command, home);
  const plan: Plan = { files: new PlannedFiles(signal), repositories: [], cwd };
  let isWhole = isAllSteps;
  for (const step of steps) {
    const isForeseen = await foreseeStep(step, plan);
    isWhole &&= isForeseen;
  }
  const { foreseen } = plan.files;
  const changed = foreseen.filter((file) => !isUnchanged(file));
  const { repositories } = plan;
  if (changed.length === 0 && repositories.length === 0) return { files: isWhole ? foreseen : [] };
  return {
    files: isWhole ? changed : [...changed, UNFORESEEN],
    ...(repositories.length === 0 ? {} : { repositories }),
  };
}

async function foreseeStep(step: Step, plan: Plan): Promise<boolean> {
  const { cwd } = plan;
  if (cwd === undefined) return step.isHarmless && step.outputs.length === 0;
  let isWhole = true;
  for (const output of step.outputs) if (!(await foreseeOutput(output, plan, cwd))) isWhole = false;
  const [name, ...args] = step.argv ?? [];
  if (name === 'cd') {
    if (!step.isPiped) plan.cwd = await changedDirectory(args, plan, cwd);
    return isWhole && (step.isPiped || plan.cwd !== undefined);
  }
  const effect = name === 'git' ? gitEffect : FILE_EFFECTS.get(name ?? '');
  const isForeseen = step.isHarmless || (await effect?.(args, plan, cwd)) === true;
  return isForeseen && isWhole;
}

async function foreseeOutput(
  { path: given, isAppended, content }: StepOutput,
  { files }: Plan,
  cwd: string,
): Promise<boolean> {
  const path = resolve(cwd, given);
  if (isInside('/dev', path)) return true;
  const current = await files.current(path);
  if (current?.type !== 'absent' && current?.type !== 'file') return files.giveUp(path);
  if (content === undefined) return files.change(path, undefined);
  const isAtEnd = isAppended && current.type === 'file';
  return files.change(path, isAtEnd ? await files.appended(path, content) : contentFact(content));
}

async function changedDirectory(
  args: readonly string[],
  { files }: Plan,
  cwd: string,
): Promise<string | undefined> {
  const [given, ...more] = args[0] === '--' ? args.slice(1) : args;
  if (given === undefined || given === '' || more.length > 0 || given.startsWith('-')) return undefined;
  const path = resolve(cwd, given);
  return (await files.current(path))?.type === 'folder' ? path : undefined;
}
