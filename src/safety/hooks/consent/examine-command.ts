import type { Failure } from '../../../kernel/errors/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { type BindErrorCode, bindContent } from './bind-content.ts';
import type { ConsentSubject } from './consent-subject.ts';
import { FileInspector } from './file-inspector.ts';
import { absolutePath } from './find-program.ts';
import { scriptOf } from './script-of.ts';

/** What a command would run now, as far as that shows without running it. */
export interface ExaminedCommand {
  /** `program`: a program of the system with arguments, without a script of anybody's. */
  readonly kind: 'script' | 'program';
  /** Absolute, every link followed. */
  readonly path: string;
  /** Whether the system starts the file itself, which it does only when {@link isExecutable}. */
  readonly isStarted: boolean;
  readonly isExecutable: boolean;
}

/** Looks for the script and for what runs it, and reads both. */
export async function examineCommand(
  subject: ConsentSubject,
  clock: Clock,
  signal?: AbortSignal,
): Promise<{ readonly ok: true; readonly value: ExaminedCommand } | Failure<BindErrorCode>> {
  const inspector = new FileInspector(clock);
  const bound = await bindContent(subject, inspector, signal);
  if (!bound.ok) return bound;
  const { script, isProgramOnly } = bound.value;
  const choice = await scriptOf(subject.words, subject, inspector);
  return {
    ok: true,
    value: {
      kind: isProgramOnly ? 'program' : 'script',
      path: script.path,
      isStarted: choice.type === 'file' && choice.isProgram,
      isExecutable: (script.stat.mode & 0o111) !== 0,
    },
  };
}

/** The word that names the script relative to the working directory, whether it is there or not; undefined when none does. */
export async function relativeScript(subject: ConsentSubject, clock: Clock): Promise<string | undefined> {
  const { words, cwd } = subject;
  if (words.length === 0) return undefined;
  const { path } = await scriptOf(words, subject, new FileInspector(clock));
  return words.find((word) => !word.startsWith('/') && absolutePath(cwd, word) === path);
}
