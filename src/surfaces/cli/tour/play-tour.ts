import { messageOf, valueOrThrow } from '../../../kernel/errors/index.ts';
import { makeDirectory, temporaryDirectory } from '../../../platform/files/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import { ownProgram } from '../../../platform/process/index.ts';
import type { VerbContext } from '../verb.ts';
import type { Act, ActReport, Stage } from './act.ts';

export interface PlayedAct extends ActReport {
  readonly title: string;
}

/**
 * Plays acts in a scratch home and a scratch project, which are removed at the end, however it ends. An act that fails
 * is reported and does not stop the others.
 */
export async function playTour(
  acts: readonly Act[],
  context: VerbContext,
  onAct: (title: string, number: number) => void,
  onReport: (report: ActReport) => void,
): Promise<readonly PlayedAct[]> {
  const scratch = valueOrThrow(await temporaryDirectory('herma-tour-'));
  try {
    const stage = await setStage(scratch.path, context);
    const played: PlayedAct[] = [];
    for (const [index, act] of acts.entries()) {
      context.signal.throwIfAborted();
      onAct(act.title, index + 1);
      const report = await playSafely(act, stage);
      onReport(report);
      played.push({ title: act.title, ...report });
    }
    return played;
  } finally {
    await scratch.remove();
  }
}

async function setStage(scratch: string, context: VerbContext): Promise<Stage> {
  const [home, project] = [resolvePath(scratch, 'home'), resolvePath(scratch, 'project')];
  for (const folder of [home, project]) valueOrThrow(await makeDirectory(folder));
  return { context, home, project, program: ownProgram() };
}

async function playSafely(act: Act, stage: Stage): Promise<ActReport> {
  try {
    return await act.play(stage);
  } catch (error) {
    stage.context.signal.throwIfAborted();
    return { lines: [messageOf(error)], held: false };
  }
}
