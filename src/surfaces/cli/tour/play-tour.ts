import { messageOf, valueOrThrow } from '../../../kernel/errors/index.ts';
import { makeDirectory, temporaryDirectory } from '../../../platform/files/index.ts';
import { resolvePath } from '../../../platform/paths/index.ts';
import { ownProgram } from '../../../platform/process/index.ts';
import type { VerbContext } from '../verb.ts';
import type { Act, ActReport, Stage } from './act.ts';

export interface PlayedAct extends ActReport {
  readonly title: string;
}

/** Told of each act before it is played; the function it gives back is told how it went, unless it was broken off. */
export type ActAudience = (title: string, number: number) => (report: ActReport | undefined) => void;

/**
 * Plays acts in a scratch home and a scratch project, which are removed at the end, however it ends. An act that fails is
 * reported and does not stop the others. Rejects when the signal of the context is aborted, after everything was removed.
 */
export async function playTour(
  acts: readonly Act[],
  context: VerbContext,
  audience: ActAudience,
): Promise<readonly PlayedAct[]> {
  const scratch = valueOrThrow(await temporaryDirectory('herma-tour-'));
  try {
    const stage = await setStage(scratch.path, context);
    const played: PlayedAct[] = [];
    for (const [index, act] of acts.entries()) {
      context.signal.throwIfAborted();
      const tell = audience(act.title, index + 1);
      const report = await playSafely(act, stage);
      tell(context.signal.aborted ? undefined : report);
      played.push({ title: act.title, ...report });
    }
    context.signal.throwIfAborted();
    return played;
  } finally {
    const removed = await scratch.remove();
    if (!removed.ok) context.note(removed.message);
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
    return { lines: [messageOf(error)], held: false };
  }
}
