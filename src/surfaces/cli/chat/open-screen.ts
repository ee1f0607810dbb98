import type { VerbContext } from '../verb.ts';
import type { ChatScreen } from './chat-screen.ts';
import { PlainScreen } from './plain-screen.ts';

/** The screen a conversation is shown on: drawn where there is a terminal that can, else lines of text. */
export async function openScreen(context: VerbContext): Promise<ChatScreen> {
  const { isInteractive, environment, stdin, stdout, stderr, paths, clock } = context;
  const colours = hasColours(context);
  if (isInteractive && stdout.isTty && environment['TERM'] !== 'dumb') {
    const { TuiScreen } = await import('./tui-screen.ts');
    return new TuiScreen({ cwd: context.workingDirectory(), colours, clock, logFolder: paths.logs });
  }
  const questions = stdout.isTty ? stdout : stderr;
  return new PlainScreen({
    stdin,
    write: (text) => stdout.write(text),
    writeQuestion: (text) => questions.write(text),
    isTyped: isInteractive,
    colours,
  });
}

function hasColours({ colours }: VerbContext): boolean {
  return colours.strong('x') !== 'x';
}
