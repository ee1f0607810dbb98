import type { SessionChoice } from '../../../app/index.ts';
import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import type { Config, ModelConfig } from '../../../platform/config/index.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import { flagOption, textOption } from '../inputs.ts';
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
const checkpoints = flagOption(
  '--checkpoints',
  'capture files before they are changed, so that it can be taken back',
);
const yolo = flagOption('--yolo', 'answer every approval with once; lifts no block');

export const verb: Verb = {
  name: 'chat',
  summary: 'talk to the agent, or give it one task with -q',
  details:
    'With -q the answer goes to standard output and what happens on the way to standard error. Exit code 0 when the turn came to an answer, 1 when it was ended by its limit of model requests, 2 when it failed.',
  example: 'herma chat -q "create hello.txt with a greeting" --model openai:gpt-5',
  options: [query, model, baseUrl, apiKeyEnv, resume, continueLast, checkpoints, yolo],
  run: async (context) => {
    const request = readRequest(context);
    if (!request.ok) return context.fail(request);
    if (context.get(query) === undefined) {
      if (context.json)
        return context.fail(
          fail('usage', '--json needs -q: a conversation is no document', 'herma chat -q "…" --json'),
        );
      const { runConversation } = await import('../chat/run-conversation.ts');
      return runConversation(context, request.value);
    }
    const text = await queryText(context);
    if (!text.ok) return context.fail(text);
    const { runQuery } = await import('../chat/run-query.ts');
    return runQuery(context, request.value, text.value);
  },
};

/** Bytes of a message that is read from standard input. */
const MAX_QUERY_BYTES = 64 * 1024 * 1024;

/** Hermes Agent's name for the terminal. */
const SURFACE = 'cli';

function readRequest(context: VerbContext): Result<ChatRequest> {
  const session = sessionChoice(context);
  if (!session.ok) return session;
  const chosen = modelChoice(context);
  if (!chosen.ok) return chosen;
  const runtime = {
    surface: SURFACE,
    yolo: context.get(yolo),
    ...(context.get(checkpoints) ? { adjust: withCheckpoints } : {}),
  };
  return succeed({
    session: session.value,
    runtime: chosen.value === undefined ? runtime : { ...runtime, model: chosen.value },
  });
}

function withCheckpoints(config: Config): Config {
  return { ...config, checkpoints: { ...config.checkpoints, enabled: true } };
}

function modelChoice(context: VerbContext): Result<ModelConfig | undefined> {
  const name = context.get(model);
  const [url, keyName] = [context.get(baseUrl), context.get(apiKeyEnv)];
  if (name === undefined) {
    if (url === undefined && keyName === undefined) return succeed(undefined);
    return fail('usage', '--base-url and --api-key-env need --model', 'add --model openai-compatible:NAME');
  }
  return succeed({
    name,
    ...(url === undefined ? {} : { baseUrl: url }),
    ...(keyName === undefined ? {} : { apiKeyEnv: keyName }),
  });
}

function sessionChoice(context: VerbContext): Result<SessionChoice> {
  const sessionId = context.get(resume);
  const continues = context.get(continueLast);
  if (sessionId !== undefined && continues)
    return fail('usage', '--resume and --continue exclude each other', 'give one of them');
  if (sessionId !== undefined) return succeed({ type: 'resume', sessionId });
  return succeed({ type: continues ? 'continue' : 'new' });
}

async function queryText(context: VerbContext): Promise<Result<string>> {
  const given = context.get(query) ?? '';
  const text = given === '-' ? await readStdin(context, MAX_QUERY_BYTES) : succeed(given);
  if (text.ok && text.value.trim() === '')
    return fail('empty_query', 'The message is empty.', 'Say what to do: herma chat -q "…"');
  return text;
}
