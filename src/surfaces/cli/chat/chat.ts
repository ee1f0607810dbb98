import type { TurnResult } from '../../../agent/loop/index.ts';
import type { OpenSession, Runtime, SessionChoice } from '../../../app/index.ts';
import { type Failure, HermaError, messageOf } from '../../../kernel/errors/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import type { ChatScreen } from './chat-screen.ts';
import { turnPresenter } from './show-turn.ts';
import { findCommand, type SlashCommand, slashCommands } from './slash-commands.ts';

export interface ChatParts {
  readonly runtime: Runtime;
  readonly screen: ChatScreen;
  readonly session: OpenSession;
  readonly surface: string;
}

/** Sessions that `/sessions` lists. */
const LISTED_SESSIONS = 15;

/** An interactive conversation: reads, runs a turn or a slash command, shows, until the person leaves. */
export class Chat {
  readonly #parts: ChatParts;
  readonly #commands: readonly SlashCommand[];
  #session: OpenSession;
  #running: AbortController | undefined;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#session = parts.session;
    this.#commands = slashCommands(this);
  }

  /** Interrupts the turn that runs; does nothing between turns. */
  interrupt(): void {
    this.#running?.abort(new Error('the person interrupted the turn'));
  }

  /** Resolves when the person leaves. `signal` ends the conversation from outside. */
  async run(signal: AbortSignal): Promise<void> {
    const { screen } = this.#parts;
    screen.onInterrupt(() => this.interrupt());
    screen.start(this.#commands);
    await this.#greet();
    const leaving = whenAborted(signal);
    for (;;) {
      const input = await Promise.race([screen.read(), leaving]);
      if (input.type === 'leave') break;
      if ((await this.#handle(input.text, signal)) === 'leave') break;
    }
    await this.#finalize('exit');
    await this.#session.close();
  }

  async help(name: string): Promise<void> {
    const chosen = this.#commands.filter(
      (command) => name === '' || command.name === name.replace(/^\//, ''),
    );
    const lines = chosen.map(({ name: command, usage, summary, aliases }) => {
      const left = `/${command}${usage === undefined ? '' : ` ${usage}`}`;
      return `  ${left.padEnd(26)} ${summary}${aliases === undefined ? '' : ` (also /${aliases.join(', /')})`}`;
    });
    this.#say(
      'info',
      [...lines, '', '  Ctrl-C interrupts a turn; on an empty line it leaves, like Ctrl-D.'].join('\n'),
    );
    await Promise.resolve();
  }

  async startNew(): Promise<void> {
    const old = this.#session.conversation.sessionId;
    if (!(await this.#switch({ type: 'new' }))) return;
    const { runtime, surface } = this.#parts;
    const payload = {
      sessionId: this.#session.conversation.sessionId,
      platform: surface,
      reason: 'new',
      oldSessionId: old,
    };
    this.#warn(
      await runtime.callbacks.observe(
        'on_session_reset',
        { ...payload, newSessionId: payload.sessionId },
        new AbortController().signal,
      ),
    );
    this.#say('info', `New session ${payload.sessionId}.`);
  }

  async resume(sessionId: string): Promise<void> {
    if (sessionId === '') return this.#say('warning', 'Which one? See /sessions, then /resume ID.');
    if (await this.#switch({ type: 'resume', sessionId })) await this.#greet();
  }

  async model(name: string): Promise<void> {
    const { runtime } = this.#parts;
    const model = name === '' ? await runtime.model() : await runtime.useModel(name);
    if (model.ok) this.#say('info', `Model: ${model.value.label}`);
    else this.#fail(model);
  }

  async listSessions(): Promise<void> {
    const store = this.#parts.runtime.sessions();
    const listed = store.ok ? store.value.list({ limit: LISTED_SESSIONS }) : store;
    if (!listed.ok) return this.#fail(listed);
    const lines = listed.value.map(({ id, title, firstWords, messageCount }) => {
      const mark = id === this.#session.conversation.sessionId ? '*' : ' ';
      return `${mark} ${id}  ${String(messageCount).padStart(4)} messages  ${printable(title ?? firstWords)}`;
    });
    this.#say('info', lines.length === 0 ? 'No sessions yet.' : lines.join('\n'));
    await Promise.resolve();
  }

  async sessionIds(): Promise<readonly string[]> {
    const store = this.#parts.runtime.sessions();
    const listed = store.ok ? store.value.list({ limit: LISTED_SESSIONS }) : store;
    return await Promise.resolve(listed.ok ? listed.value.map(({ id }) => id) : []);
  }

  async compress(): Promise<void> {
    const { runtime, screen } = this.#parts;
    const { conversation } = this.#session;
    const before = conversation.messages.length;
    await this.#interruptibly(async (signal) => {
      screen.busy('condensing the history');
      const done = await runtime.compress(conversation, signal);
      if (done.ok) this.#say('info', `${String(before)} messages became ${String(done.value)}.`);
      else this.#fail(done);
    });
  }

  async #handle(text: string, signal: AbortSignal): Promise<'go-on' | 'leave'> {
    if (text.trim() === '') return 'go-on';
    if (!text.startsWith('/')) {
      await this.#turn(text, signal);
      return 'go-on';
    }
    const found = findCommand(this.#commands, text);
    if ('command' in found) return await found.command.run(this, found.argument);
    const meant = found.meant === undefined ? 'See /help.' : `Did you mean /${found.meant}?`;
    this.#say('error', `There is no command /${printable(found.unknown)}. ${meant}`);
    return 'go-on';
  }

  async #turn(text: string, outer: AbortSignal): Promise<void> {
    const { runtime, screen } = this.#parts;
    const { conversation } = this.#session;
    await this.#interruptibly(async (signal) => {
      const result = await runtime.runTurn({
        conversation,
        text,
        signal: AbortSignal.any([signal, outer]),
        onEvent: turnPresenter(screen),
      });
      if (result.ok) this.#conclude(result.value);
      else this.#fail(result);
    });
  }

  #conclude({ end, failure }: TurnResult): void {
    if (end === 'interrupted')
      this.#say('warning', 'Interrupted. What was done stands; what was running has an unknown effect.');
    if (failure !== undefined && end === 'failed') this.#fail({ ok: false, ...failure });
  }

  async #interruptibly(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    this.#running = controller;
    try {
      await work(controller.signal);
    } catch (error) {
      this.#fail({
        ok: false,
        code: 'failed',
        message: messageOf(error),
        ...(HermaError.isInstance(error) && error.remedy !== undefined ? { remedy: error.remedy } : {}),
      });
    } finally {
      this.#running = undefined;
      this.#parts.screen.busy(undefined);
    }
  }

  async #switch(choice: SessionChoice): Promise<boolean> {
    const next = await this.#parts.runtime.openSession(choice);
    if (!next.ok) {
      this.#fail(next);
      return false;
    }
    await this.#finalize(choice.type);
    await this.#session.close();
    this.#session = next.value;
    return true;
  }

  async #greet(): Promise<void> {
    const { runtime, screen } = this.#parts;
    const { conversation } = this.#session;
    const model = await runtime.model();
    if (model.ok)
      this.#say('info', `Herma · ${model.value.label} · session ${conversation.sessionId} · /help`);
    else this.#fail(model);
    const typed = conversation.messages.flatMap((message) =>
      message.role === 'user' && message.synthetic === undefined ? [message.text] : [],
    );
    screen.remember(typed);
    if (typed.length === 0) return;
    const answer = conversation.messages.findLast(
      (message) => message.role === 'assistant' && message.text !== '',
    );
    this.#say(
      'info',
      `Resumed with ${String(conversation.messages.length)} messages. You last wrote: ${printable(typed.at(-1) ?? '').slice(0, 200)}`,
    );
    if (answer !== undefined) screen.answer().complete(answer.text);
  }

  async #finalize(reason: string): Promise<void> {
    const { runtime, surface } = this.#parts;
    const { sessionId } = this.#session.conversation;
    this.#warn(
      await runtime.callbacks.observe(
        'on_session_finalize',
        { sessionId, platform: surface, reason },
        new AbortController().signal,
      ),
    );
  }

  #say(kind: 'info' | 'warning' | 'error', text: string): void {
    this.#parts.screen.notice(kind, text);
  }

  #fail({ message, remedy }: Failure): void {
    this.#say('error', remedy === undefined ? message : `${message}\n${remedy}`);
  }

  #warn(lines: readonly string[]): void {
    for (const line of lines) this.#say('warning', line);
  }
}

function whenAborted(signal: AbortSignal): Promise<{ readonly type: 'leave' }> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve({ type: 'leave' });
    signal.addEventListener('abort', () => resolve({ type: 'leave' }), { once: true });
  });
}
