import { EXIT, type ExitCode } from '../exit-code.ts';
import { hookPrompt } from '../hooks/hook-prompt.ts';
import { openRuntime } from '../runtime/open-runtime.ts';
import type { VerbContext } from '../verb.ts';
import { Chat, type ChatEnd } from './chat.ts';
import type { ChatRequest } from './chat-request.ts';
import type { ChatScreen } from './chat-screen.ts';
import { openScreen } from './open-screen.ts';

/**
 * `herma chat`: a conversation, until the person leaves or the input ends. Where nobody types, the exit code says whether
 * everything that was asked for could be done, and Ctrl-C ends the program.
 */
export async function runConversation(context: VerbContext, request: ChatRequest): Promise<ExitCode> {
  const shown: ChatScreen[] = [];
  const theScreen = (): ChatScreen => {
    const [open] = shown;
    if (open === undefined) throw new Error('the screen is not open yet');
    return open;
  };
  const opened = await openRuntime(context, {
    ...request.runtime,
    ...(context.isInteractive ? personAt(theScreen) : {}),
    ...hookPrompt(context),
    onWarning: (line) => (shown[0] === undefined ? context.note(line) : shown[0].notice('warning', line)),
  });
  if (!opened.ok) return context.fail(opened);
  const runtime = opened.value;
  // Whoever has to be asked about a hook is asked before the screen is drawn.
  await runtime.prepare();
  const screen = await openScreen(context);
  shown.push(screen);
  try {
    const session = await runtime.openSession(request.session);
    if (!session.ok) return context.fail(session);
    const chat = new Chat({
      runtime,
      screen,
      session: session.value,
      surface: request.runtime.surface,
      cwd: request.runtime.cwd ?? context.workingDirectory(),
    });
    const giveBack = context.isInteractive
      ? context.onInterrupt(() => chat.interruptOrLeave())
      : () => undefined;
    const end = await chat.run(context.signal).finally(giveBack);
    screen.close();
    return conclude(context, end);
  } finally {
    screen.close();
    await runtime.close();
  }
}

function conclude(context: VerbContext, { sessionId, hasFailed }: ChatEnd): ExitCode {
  if (sessionId !== undefined) context.note(`Take it up again with: herma chat --resume ${sessionId}`);
  const isEndedFromOutside = context.signal.aborted;
  return isEndedFromOutside || (hasFailed && !context.isInteractive) ? EXIT.couldNot : EXIT.done;
}

function personAt(screen: () => ChatScreen): Pick<ChatRequest['runtime'], 'approve' | 'ask'> {
  return {
    approve: async (request, signal) => screen().approve(request, signal),
    ask: async (question, choices, signal) => screen().ask(question, choices, signal),
  };
}
