import { CALLBACK_TIME_LIMIT_MS, type EventDefinition } from './event-definition.ts';
import { type Fields, flag, integer, list, object, oneOf, optional, text, type ValuesOf } from './field.ts';
import { CONTEXT_RESULT, TEXT_RESULT, TOOL_CALL_RESULT, VERIFY_RESULT } from './results.ts';

const sessionId = text('Session the event belongs to.', 'ses_example');
const turnId = text('Turn within the session.', 'turn_example');
const taskId = optional(text('Task the session works on, where there is one.', 'task_example'));
const model = text('Model in use.', 'gpt-test');
const platform = text('Surface the session runs on.', 'cli');
const parentSessionId = optional(text('Session that delegated to this one.', 'ses_parent'));

const call = {
  toolName: text('Tool to be called.', 'terminal'),
  args: object('Arguments of the call.', { command: 'echo hello' }),
  sessionId,
  parentSessionId,
  taskId,
  turnId,
  toolCallId: text('Id of the call, given by the model provider.', 'call_example'),
  apiRequestId: optional(text('Model request that asked for the call.', 'req_example')),
  cwd: optional(text('Working directory of the call.', '/home/you/project')),
} satisfies Fields;

const callOutcome = {
  result: text('What the tool answered.', '{"exit_code":0,"output":"hello\\n"}'),
  durationMs: integer('Time the tool took, in milliseconds.', 12),
  status: oneOf('How the call ended.', ['ok', 'error', 'blocked', 'cancelled']),
  errorType: optional(text('Class of the failure.', 'TimeoutError')),
  errorMessage: optional(text('The failure in words.', 'the command did not end within 60 s')),
} satisfies Fields;

const turn = { sessionId, taskId, turnId, model, platform } satisfies Fields;

const apiAttempt = {
  ...turn,
  apiRequestId: text('This request; its attempts share it.', 'req_example'),
  provider: text('Provider of the model.', 'openai-compatible'),
  baseUrl: optional(text('Where the request goes.', 'http://127.0.0.1:8080/v1')),
  apiCallCount: integer('Requests of this turn so far, this one included.', 1),
  retryCount: integer('Attempts before this one for the same request.', 0),
} satisfies Fields;

const approval = {
  command: text('What would run.', 'rm -rf build'),
  description: text('Why a person is asked.', 'policy asks before recursive deletion'),
  patternKey: text('What an answer for longer than once is bound to.', 'terminal'),
  sessionKey: text('Session that asks.', 'ses_example'),
  surface: text('Surface that asks.', 'cli'),
  turnId,
  toolCallId: text('Call that waits for the answer.', 'call_example'),
} satisfies Fields;

const stream = {
  turnId,
  iteration: integer('Model requests of this turn so far, this one included.', 1),
  sessionId,
  model,
  surface: text('Surface the session runs on.', 'cli'),
} satisfies Fields;

const observed = { mode: 'observe', onFailure: 'ignore', result: null } as const;
const bounded = { ...observed, timeLimitMs: CALLBACK_TIME_LIMIT_MS } as const;
const unbounded = { ...observed, timeLimitMs: null } as const;
const transform = {
  mode: 'transform',
  onFailure: 'ignore',
  timeLimitMs: CALLBACK_TIME_LIMIT_MS,
  result: TEXT_RESULT,
} as const;

/**
 * Every event of Herma, by its wire name. Names and fields are those of Hermes Agent, so that its hooks run here
 * unchanged.
 */
export const EVENTS = {
  pre_tool_call: {
    doc: 'Before a tool runs, once per call. May block it, ask a person, or rewrite its arguments.',
    mode: 'decide',
    onFailure: 'block',
    timeLimitMs: CALLBACK_TIME_LIMIT_MS,
    payload: { ...call, recheck: optional(flag('True on the second look at rewritten arguments.', true)) },
    result: TOOL_CALL_RESULT,
  },
  post_tool_call: {
    doc: 'After a call ended, whatever its end: success, error, cancellation or block.',
    ...bounded,
    payload: { ...call, ...callOutcome },
  },
  transform_tool_result: {
    doc: 'After post_tool_call, before the result joins the conversation.',
    ...transform,
    payload: { ...call, ...callOutcome },
  },
  transform_terminal_output: {
    doc: 'Output of a command, before redaction, stripping of control sequences and the size limit.',
    ...transform,
    payload: {
      command: text('Command line.', 'npm test'),
      output: text('What it printed.', '1 passing'),
      returncode: optional(integer('Exit code; absent while it runs.', 0)),
      taskId,
      envType: text('Where it ran.', 'local'),
    },
  },
  pre_llm_call: {
    doc: 'Once per turn, before the first model request. What callbacks return is appended to the user message.',
    mode: 'inject',
    onFailure: 'ignore',
    timeLimitMs: CALLBACK_TIME_LIMIT_MS,
    payload: {
      ...turn,
      userMessage: text('What the person wrote.', 'run the tests'),
      conversationHistory: list('Messages before this turn.', []),
      isFirstTurn: flag('True in the first turn of a session.', true),
      parentSessionId,
    },
    result: CONTEXT_RESULT,
  },
  post_llm_call: {
    doc: 'Once per turn that ended with an answer.',
    ...bounded,
    payload: {
      ...turn,
      userMessage: text('What the person wrote.', 'run the tests'),
      assistantResponse: text('The final answer.', 'All tests pass.'),
      conversationHistory: list('Messages of the session.', []),
    },
  },
  transform_llm_output: {
    doc: 'The final answer of a turn, before it is shown and stored. An empty text leaves it as it is.',
    ...transform,
    payload: { responseText: text('The answer.', 'All tests pass.'), sessionId, model, platform },
  },
  pre_verify: {
    doc: 'When a turn that edited files is about to end. May send the model on, a bounded number of times.',
    mode: 'decide',
    onFailure: 'ignore',
    timeLimitMs: CALLBACK_TIME_LIMIT_MS,
    payload: {
      sessionId,
      platform,
      model,
      coding: flag('True when the working directory is a code project.', true),
      attempt: integer('Times the model was already sent on in this turn.', 0),
      finalResponse: text('The answer that would end the turn.', 'Done.'),
      changedPaths: list('Files edited in this turn, sorted.', ['src/main.ts']),
    },
    result: VERIFY_RESULT,
  },
  pre_api_request: {
    doc: 'Before each attempt of a model request.',
    ...bounded,
    payload: {
      ...apiAttempt,
      messageCount: integer('Messages sent.', 3),
      toolCount: integer('Tools offered.', 8),
      requestCharCount: integer('Size of the request, in characters.', 2048),
    },
  },
  post_api_request: {
    doc: 'After a model request succeeded.',
    ...bounded,
    payload: {
      ...apiAttempt,
      apiDuration: integer('Time it took, in milliseconds.', 900),
      finishReason: text('Why the model stopped.', 'stop'),
      usage: object('Tokens used.', { input_tokens: 100, output_tokens: 20 }),
      assistantToolCallCount: integer('Calls the model asked for.', 0),
    },
  },
  api_request_error: {
    doc: 'After each failed attempt of a model request.',
    ...bounded,
    payload: {
      ...apiAttempt,
      statusCode: optional(integer('HTTP status.', 429)),
      maxRetries: integer('Attempts that are made at most after the first.', 3),
      retryable: flag('Whether another attempt follows.', true),
      error: object('What went wrong.', { type: 'rate_limited', message: 'too many requests' }),
    },
  },
  on_session_start: {
    doc: 'In the first turn of a new session.',
    ...bounded,
    payload: { sessionId, model, platform },
  },
  on_session_end: {
    doc: 'At the end of every turn, with its outcome.',
    ...bounded,
    payload: {
      ...turn,
      completed: flag('True when the model gave a final answer.', true),
      failed: flag('True when the turn ended by an error.', false),
      interrupted: flag('True when a person interrupted it.', false),
      turnExitReason: text('Why the turn ended.', 'completed'),
    },
  },
  on_session_finalize: {
    doc: 'When a session is closed for good.',
    ...unbounded,
    payload: { sessionId, platform, reason: optional(text('Why it is closed.', 'exit')) },
  },
  on_session_reset: {
    doc: 'When a new session takes the place of another.',
    ...unbounded,
    payload: {
      sessionId,
      platform,
      reason: optional(text('Why it was reset.', 'new')),
      oldSessionId: optional(text('The session that ended.', 'ses_old')),
      newSessionId: optional(text('The session that began.', 'ses_new')),
    },
  },
  subagent_start: {
    doc: 'When a delegated child is about to run.',
    ...unbounded,
    payload: {
      parentSessionId: text('Session that delegates.', 'ses_example'),
      parentTurnId: text('Turn that delegates.', 'turn_example'),
      childSessionId: text('Session of the child.', 'ses_child'),
      childRole: oneOf('Whether the child may delegate further.', ['leaf', 'orchestrator']),
      childGoal: text('What the child is to do.', 'summarise the failing tests'),
    },
  },
  subagent_stop: {
    doc: 'When a delegated child has ended; one at a time, on the side of the parent.',
    ...unbounded,
    payload: {
      parentSessionId: text('Session that delegated.', 'ses_example'),
      parentTurnId: text('Turn that delegated.', 'turn_example'),
      childSessionId: text('Session of the child.', 'ses_child'),
      childRole: oneOf('Whether the child might delegate further.', ['leaf', 'orchestrator']),
      childSummary: text('What the child reports.', 'two tests fail'),
      childStatus: oneOf('How the child ended.', ['completed', 'failed', 'interrupted', 'error']),
      toolCallHistory: list('Calls of the child, without contents.', []),
      durationMs: integer('Time the child took, in milliseconds.', 4200),
    },
  },
  pre_approval_request: {
    doc: 'Before a person is asked whether a call may run.',
    ...bounded,
    payload: approval,
  },
  post_approval_response: {
    doc: 'After a person answered, or did not.',
    ...bounded,
    payload: {
      ...approval,
      choice: oneOf('The answer.', [
        'once',
        'session',
        'always',
        'deny',
        'timeout',
        'cancelled',
        'notify_failed',
      ]),
    },
  },
  pre_command: {
    doc: 'When a person has typed a command such as /model, before it runs.',
    ...bounded,
    payload: {
      surface: text('Where it was typed.', 'cli'),
      command: text('Name of the command.', 'model'),
      aliasUsed: text('The name that was typed.', 'model'),
      argsRaw: text('What followed it.', ''),
      sessionKey: text('Session it was typed in.', 'ses_example'),
      platform,
    },
  },
  on_stream_start: {
    doc: 'When an answer begins to arrive. Told beside the stream, which waits for nobody.',
    ...bounded,
    payload: { ...stream },
  },
  on_stream_delta: {
    doc: 'A piece of an answer, as it arrives. Whoever is slow misses the oldest pieces.',
    ...bounded,
    payload: {
      ...stream,
      delta: text('The piece.', 'All tests '),
      kind: oneOf('What it is a piece of.', ['text', 'reasoning']),
    },
  },
  on_stream_end: {
    doc: 'When an answer has arrived, or was broken off.',
    ...bounded,
    payload: {
      ...stream,
      finalText: text('The answer, as far as it came.', 'All tests pass.'),
      finished: flag('True when it came to its end.', true),
      error: optional(text('Why it was broken off.', 'the connection was closed')),
    },
  },
  on_interim_message: {
    doc: 'What the model said beside its calls, in the middle of a turn.',
    ...bounded,
    payload: {
      ...stream,
      text: text('What it said.', 'I run the tests.'),
      alreadyStreamed: flag('True when it was told in pieces before.', true),
    },
  },
  pre_gateway_dispatch: {
    doc: 'When the gateway has received a message, before it is answered. Accepted; fires where there is a gateway.',
    ...unbounded,
    payload: {
      platform,
      sessionKey: text('Session the message belongs to.', 'ses_example'),
      text: text('The message.', 'hello'),
    },
  },
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventName = keyof typeof EVENTS;

export const EVENT_NAMES: readonly EventName[] = Object.keys(EVENTS).filter(isEventName);

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

/** What a callback of event `E` receives. */
export type EventPayload<E extends EventName> = ValuesOf<(typeof EVENTS)[E]['payload']>;
