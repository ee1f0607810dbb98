import type { Runtime, SessionChoice } from '../../../app/index.ts';
import { fail, HermaError, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { ModelConfig } from '../../../platform/config/index.ts';
import type { ChatScreen } from '../chat/chat-screen.ts';
import { PlainScreen } from '../chat/plain-screen.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { flagOption, textOption } from '../inputs.ts';
import { openRuntime } from '../runtime/open-runtime.ts';
import { readStdin } from '../runtime/read-stdin.ts';
import type { Verb, VerbContext } from '../verb.ts';

const query = textOption(
  '-q, --query <text>',
  'run one turn with this message and leave; "-" reads it from standard input',
);
const model = textOption('-m, --model <provider:name>', 'use this model instead of the configured one');
const baseUrl = textOption('--base-url <url>', 'address of the API of an openai-compatible model');
const apiKeyEnv = textOption('--api-key-env <name>', 'environment variable that holds the key');
const resume = textOption('-r, --resume <id>', 'take up this session', { completion: 'session-ids' });
const continueLast = flagOption('-c, --continue', 'take up the session last used in this folder');
const yolo = flagOption('--yolo', 'answer every approval with once; lifts no block');

export const verb: Verb = {
  name: 'chat',
  summary: 'talk to the agent, or give it one task with -q',
  details:
    'With -q the answer goes to standard output and what happens on the way to standard error. Exit code 0 when the turn came to an answer, 1 when it was ended by its limit of model requests, 2 when it failed.',
  example: 'herma chat -q "create hello.txt with a greeting" --model openai:gpt-5',
  options: [query, model, baseUrl, apiKeyEnv, resume, continueLast, yolo],
  run: async (context) => {
    const choice = sessionChoice(context);
    if (!choice.ok) return context.fail(choice);
    if (context.get(query) !== undefined) return await runQuery(context, choice.value);
    if (context.json)
      return context.fail(
        fail('usage', '--json needs -q: a conversation is no document.', 'herma chat -q "…" --json'),
      );
    return await runConversation(context, choice.value);
  },
};

/** Bytes of a message that is read from standard input. */
const MAX_QUERY_BYTES = 64 * 1024 * 1024;

async function runQuery(context: VerbContext, choice: SessionChoice): Promise<ExitCode> {
  const text = await queryText(context);
  if (!text.ok) return context.fail(text);
  const screen = context.isInteractive
    ? new PlainScreen({
        stdin: context.stdin,
        stdout: context.stderr.stream,
        isTerminal: true,
        colours: false,
      })
    : undefined;
  const opened = await openRuntime(context, { ...runtimeChoices(context), ...personOn(screen) });
  if (!opened.ok) return context.fail(opened);
  const runtime = opened.value;
  try {
    return await answerQuery(context, runtime, choice, text.value);
  } finally {
    screen?.close();
    await runtime.close();
  }
}

async function answerQuery(
  context: VerbContext,
  runtime: Runtime,
  choice: SessionChoice,
  text: string,
): Promise<ExitCode> {
  const { oneShotDocument, runOneShot } = await import('../chat/one-shot.ts');
  const model_ = await runtime.model();
  if (!model_.ok) return context.fail(model_);
  const session = await runtime.openSession(choice);
  if (!session.ok) return context.fail(session);
  try {
    const { signal } = context;
    const result = await runOneShot({
      runtime,
      session: session.value,
      text,
      signal,
      note: (line) => context.note(line),
    });
    if (!result.ok) return context.fail(result);
    const { failure, final, end } = result.value;
    if (context.json) context.printJson(oneShotDocument(result.value, session.value.conversation.sessionId));
    else if (final !== '') context.print(final);
    if (end === 'failed' && failure !== undefined)
      return context.json ? noted(context, failure.message) : context.fail(failure);
    return end === 'completed' ? EXIT.done : EXIT.no;
  } finally {
    await session.value.close();
  }
}

async function runConversation(context: VerbContext, choice: SessionChoice): Promise<ExitCode> {
  const screen = await openScreen(context);
  const opened = await openRuntime(context, {
    ...runtimeChoices(context),
    ...personOn(screen),
    onWarning: (line) => screen.notice('warning', line),
  });
  if (!opened.ok) return closing(screen, () => context.fail(opened));
  const runtime = opened.value;
  try {
    const session = await runtime.openSession(choice);
    if (!session.ok) return closing(screen, () => context.fail(session));
    const { Chat } = await import('../chat/chat.ts');
    const chat = new Chat({ runtime, screen, session: session.value, surface: SURFACE });
    const giveBack = context.onInterrupt(() => chat.interrupt());
    await chat.run(context.signal);
    giveBack();
    screen.close();
    context.note(`Take it up again with: herma chat --resume ${session.value.conversation.sessionId}`);
    return EXIT.done;
  } finally {
    screen.close();
    await runtime.close();
  }
}

/** Hermes Agent's name for the terminal. */
const SURFACE = 'cli';

function runtimeChoices(context: VerbContext): {
  readonly surface: string;
  readonly yolo: boolean;
  readonly model?: ModelConfig;
} {
  const name = context.get(model);
  const [url, keyName] = [context.get(baseUrl), context.get(apiKeyEnv)];
  if (name === undefined && (url !== undefined || keyName !== undefined)) {
    throw new HermaError({
      code: 'usage',
      message: '--base-url and --api-key-env need --model.',
      remedy: 'Add --model openai-compatible:NAME.',
    });
  }
  const chosen = { surface: SURFACE, yolo: context.get(yolo) };
  if (name === undefined) return chosen;
  const reach = {
    ...(url === undefined ? {} : { baseUrl: url }),
    ...(keyName === undefined ? {} : { apiKeyEnv: keyName }),
  };
  return { ...chosen, model: { name, ...reach } };
}

function personOn(screen: ChatScreen | undefined): object {
  if (screen === undefined) return {};
  return {
    approve: (...request: Parameters<ChatScreen['approve']>) => screen.approve(...request),
    ask: (...question: Parameters<ChatScreen['ask']>) => screen.ask(...question),
  };
}

function sessionChoice(context: VerbContext): Result<SessionChoice> {
  const sessionId = context.get(resume);
  if (sessionId !== undefined && context.get(continueLast)) {
    return fail('usage', '--resume and --continue exclude each other.', 'Give one of them.');
  }
  if (sessionId !== undefined) return succeed({ type: 'resume', sessionId });
  return succeed(context.get(continueLast) ? { type: 'continue' } : { type: 'new' });
}

async function queryText(context: VerbContext): Promise<Result<string>> {
  const given = context.get(query) ?? '';
  const text = given === '-' ? await readStdin(context, MAX_QUERY_BYTES) : succeed(given);
  if (text.ok && text.value.trim() === '')
    return fail('empty_query', 'The message is empty.', 'herma chat -q "what to do"');
  return text;
}

async function openScreen({
  isInteractive,
  environment,
  stdin,
  stdout,
  colours,
  workingDirectory,
}: VerbContext): Promise<ChatScreen> {
  const draws = isInteractive && stdout.isTty && environment['TERM'] !== 'dumb';
  const hasColours = colours.strong('x') !== 'x';
  if (!draws)
    return new PlainScreen({ stdin, stdout: stdout.stream, isTerminal: isInteractive, colours: hasColours });
  const { TuiScreen } = await import('../chat/tui-screen.ts');
  return new TuiScreen({ cwd: workingDirectory(), colours: hasColours });
}

/** The terminal is given back before anything is written to it. */
function closing(screen: ChatScreen, then: () => ExitCode): ExitCode {
  screen.close();
  return then();
}

function noted(context: VerbContext, line: string): ExitCode {
  context.note(line);
  return EXIT.couldNot;
}
