import type { TurnResult } from '../../../agent/loop/index.ts';
import type { OpenSession, Runtime } from '../../../app/index.ts';
import { fail } from '../../../kernel/errors/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { hookPrompt } from '../hooks/hook-prompt.ts';
import { openRuntime } from '../runtime/open-runtime.ts';
import type { VerbContext } from '../verb.ts';
import type { ChatRequest } from './chat-request.ts';
import { LinePerson } from './line-person.ts';
import { oneShotDocument, runOneShot } from './one-shot.ts';
import { ProgressNotes } from './progress-notes.ts';
import { screenText } from './screen-text.ts';
import { createTheme } from './theme.ts';

/** `herma chat -q`: one turn. The answer goes to standard output, everything else to standard error. */
export async function runQuery(context: VerbContext, request: ChatRequest, text: string): Promise<ExitCode> {
  const notes = new ProgressNotes(context.stderr, context.clock);
  const person = context.isInteractive ? personAt(context, notes) : undefined;
  const opened = await openRuntime(context, {
    ...request.runtime,
    ...person?.answers,
    ...hookPrompt(context),
    onWarning: (line) => notes.note(screenText(line)),
  });
  if (!opened.ok) return context.fail(opened);
  const runtime = opened.value;
  try {
    await runtime.prepare();
    const model = await runtime.model();
    if (!model.ok) return context.fail(model);
    const session = await runtime.openSession(request.session);
    if (!session.ok) return context.fail(session);
    try {
      return await answer(context, { runtime, session: session.value, notes, text });
    } finally {
      await session.value.close();
    }
  } finally {
    notes.close();
    person?.close();
    await runtime.close();
  }
}

interface Query {
  readonly runtime: Runtime;
  readonly session: OpenSession;
  readonly notes: ProgressNotes;
  readonly text: string;
}

async function answer(context: VerbContext, { runtime, session, notes, text }: Query): Promise<ExitCode> {
  const result = await runOneShot({
    runtime,
    session,
    text,
    signal: context.signal,
    note: (line) => notes.note(line),
    busy: (what) => notes.busy(what),
  });
  notes.close();
  if (!result.ok) return context.fail(result);
  if (context.json) context.printJson(oneShotDocument(result.value, session.conversation.sessionId));
  else printAnswer(context, result.value.final);
  return exitCodeOf(context, result.value);
}

/** The answer as the model gave it; on a terminal without what would steer it. */
function printAnswer(context: VerbContext, final: string): void {
  if (final !== '') context.print(context.stdout.isTty ? screenText(final) : final);
}

function exitCodeOf(context: VerbContext, { end, failure }: TurnResult): ExitCode {
  switch (end) {
    case 'completed':
      return EXIT.done;
    case 'iteration_limit':
      return EXIT.no;
    case 'failed':
      return context.fail(failure ?? fail('failed', 'The turn failed.'));
    case 'interrupted':
      return context.fail(
        fail('interrupted', 'The turn was interrupted.', 'Take it up again with: herma chat --continue'),
      );
  }
}

function personAt(
  { stdin, stderr }: VerbContext,
  notes: ProgressNotes,
): { readonly answers: Pick<ChatRequest['runtime'], 'approve' | 'ask'>; readonly close: () => void } {
  const person = new LinePerson({
    input: stdin,
    write: (text) => stderr.write(text),
    theme: createTheme(false),
  });
  return {
    answers: {
      approve: async (request, signal) => notes.quietly(async () => person.approve(request, signal)),
      ask: async (question, choices, signal) =>
        notes.quietly(async () => person.ask(question, choices, signal)),
    },
    close: () => person.close(),
  };
}
