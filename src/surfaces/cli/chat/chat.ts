import type { TurnResult } from '../../../agent/loop/index.ts';
import type { OpenSession, Runtime, SessionChoice } from '../../../app/index.ts';
import { type Failure, HermaError, messageOf } from '../../../kernel/errors/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import type { ChatScreen, ScreenInput } from './chat-screen.ts';
import { turnPresenter } from './show-turn.ts';
import {
  type Commanded,
  findCommand,
  isCommandLine,
  type SlashCommand,
  slashCommands,
} from './slash-commands.ts';

export interface ChatParts {
  readonly runtime: Runtime;
  readonly screen: ChatScreen;
  readonly session: OpenSession;
  readonly surface: string;
  /** Where the person is, absolute. */
  readonly cwd: string;
}

/** What there is to say when the person has left. */
export interface ChatEnd {
  /** The session they were in at the end; undefined when nothing was said in it. */
  readonly sessionId: string | undefined;
  /** Whether something that was asked for could not be done. */
  readonly hasFailed: boolean;
}

/** Sessions that `/sessions` lists. */
const LISTED_SESSIONS = 15;
/** The answer that deletes files. */
const YES = 'Yes';

/** An interactive conversation: reads, runs a turn or a slash command, shows, until the person leaves. */
export class Chat implements Commanded {
  readonly #parts: ChatParts;
  readonly #commands: readonly SlashCommand[];
  readonly #leaving = Promise.withResolvers<ScreenInput>();
  #session: OpenSession;
  #running: AbortController | undefined;
  #hasFailed = false;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#session = parts.session;
    const own = slashCommands(this);
    this.#commands = [...own, ...this.#pluginCommands(own)];
  }

  /** Interrupts what runs, and what was typed ahead does not run either; false when nothing does. */
  interrupt(): boolean {
    if (this.#running === undefined) return false;
    this.#running.abort(new Error('the person interrupted the turn'));
    this.#parts.screen.withdraw();
    return true;
  }

  /** What Ctrl-C does where it is a signal: interrupts what runs, else ends the conversation. */
  interruptOrLeave(): void {
    if (!this.interrupt()) this.#leaving.resolve({ type: 'leave' });
  }

  /** Resolves when the person has left. `signal` ends the conversation from outside. The session is closed then. */
  async run(signal: AbortSignal): Promise<ChatEnd> {
    const leave = (): void => {
      this.#running?.abort(signal.reason);
      this.#leaving.resolve({ type: 'leave' });
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      await this.#converse();
      await this.#finalize('exit');
    } finally {
      signal.removeEventListener('abort', leave);
      await this.#session.close();
    }
    const { sessionId, messages } = this.#session.conversation;
    return { sessionId: messages.length === 0 ? undefined : sessionId, hasFailed: this.#hasFailed };
  }

  help(name: string): void {
    const wanted = name.replace(/^\//, '');
    const chosen = this.#commands.filter(
      (command) => wanted === '' || command.name === wanted || command.aliases?.includes(wanted) === true,
    );
    if (chosen.length === 0) return this.#unknown(wanted);
    const lines = chosen.map(({ name: command, usage, summary, aliases }) => {
      const left = `/${command}${usage === undefined ? '' : ` ${usage}`}`;
      return `  ${left.padEnd(26)} ${summary}${aliases === undefined ? '' : ` (also /${aliases.join(', /')})`}`;
    });
    const keys = ['', '  Ctrl-C interrupts a turn; on an empty line it leaves, like Ctrl-D.'];
    this.#say('info', [...lines, ...(wanted === '' ? keys : [])].join('\n'));
  }

  async startNew(): Promise<void> {
    const oldSessionId = this.#session.conversation.sessionId;
    if (!(await this.#switch({ type: 'new' }))) return;
    const { runtime, surface } = this.#parts;
    const { sessionId } = this.#session.conversation;
    this.#warn(
      await runtime.callbacks.observe(
        'on_session_reset',
        () => ({ sessionId, platform: surface, reason: 'new', oldSessionId, newSessionId: sessionId }),
        new AbortController().signal,
      ),
    );
    this.#say('info', `New session ${sessionId}.`);
  }

  async resume(sessionId: string): Promise<void> {
    if (sessionId === '') return this.#say('warning', 'Which one? See /sessions, then /resume ID.');
    if (this.#isCurrent(sessionId)) return this.#say('info', `You are in session ${printable(sessionId)}.`);
    if (await this.#switch({ type: 'resume', sessionId })) await this.#greet();
  }

  async model(name: string): Promise<void> {
    const { runtime } = this.#parts;
    const model = name === '' ? await runtime.model() : await runtime.useModel(name);
    if (model.ok) this.#say('info', `Model: ${model.value.label}`);
    else this.#fail(model);
  }

  listSessions(): void {
    const store = this.#parts.runtime.sessions();
    const listed = store.ok ? store.value.list({ limit: LISTED_SESSIONS }) : store;
    if (!listed.ok) return this.#fail(listed);
    const lines = listed.value.map(({ id, title, firstWords, messageCount }) => {
      const mark = id === this.#session.conversation.sessionId ? '*' : ' ';
      return `${mark} ${id}  ${String(messageCount).padStart(4)} messages  ${printable(title ?? firstWords)}`;
    });
    this.#say('info', lines.length === 0 ? 'No sessions yet.' : lines.join('\n'));
  }

  sessionIds(): readonly string[] {
    const store = this.#parts.runtime.sessions();
    const listed = store.ok ? store.value.list({ limit: LISTED_SESSIONS }) : store;
    return listed.ok ? listed.value.map(({ id }) => id) : [];
  }

  async compress(): Promise<void> {
    const { runtime, screen } = this.#parts;
    const { conversation } = this.#session;
    const before = conversation.messages.length;
    await this.#interruptibly(async (signal) => {
      screen.busy('condensing the history');
      const done = await runtime.compress(conversation, signal);
      if (done.ok) this.#say('info', `${String(before)} messages became ${String(done.value)}.`);
      else if (signal.aborted) this.#say('warning', 'Interrupted. The history stays as it was.');
      else this.#fail(done);
    });
  }

  async rollback(argument: string): Promise<void> {
    const { runtime, screen, cwd } = this.#parts;
    await this.#interruptibly(async (signal) => {
      const store = await runtime.checkpoints();
      if (!store.ok) return this.#fail(store);
      const { conversation } = this.#session;
      const { rollbackInChat } = await import('../rollback/chat-rollback.ts');
      screen.busy('looking at the checkpoints');
      await rollbackInChat(argument, {
        store: store.value,
        isEnabled: runtime.checkpointsEnabled,
        directory: cwd,
        rootSessionId: conversation.rootSessionId,
        rewindTo: (owner) => runtime.rewindTo(owner, conversation),
        confirm: (question) => this.#agrees(question, signal),
        say: (kind, text) => this.#say(kind, text),
        fail: (failure) => this.#fail(failure),
      });
    });
  }

  /** Whether the person says yes. An interrupt is a no. */
  async #agrees(question: string, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.#parts.screen.ask(question, [YES, 'No'], signal)) === YES;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  async #converse(): Promise<void> {
    const { screen } = this.#parts;
    screen.onInterrupt(() => this.interrupt());
    screen.start(this.#commands);
    await this.#greet();
    for (;;) {
      const input = await Promise.race([this.#leaving.promise, screen.read()]);
      if (input.type === 'leave') return;
      if ((await this.#handle(input.text)) === 'leave') return;
    }
  }

  async #handle(text: string): Promise<'go-on' | 'leave'> {
    if (text.trim() === '') return 'go-on';
    if (!isCommandLine(text)) {
      await this.#turn(text);
      return 'go-on';
    }
    const found = findCommand(this.#commands, text);
    if ('command' in found) {
      await this.#tellCommand(found.command.name, text, found.argument);
      return found.command.run(found.argument);
    }
    this.#unknown(found.unknown, found.meant);
    return 'go-on';
  }

  /** The commands of plugins; one that has the name of ours does not hide it. */
  #pluginCommands(own: readonly SlashCommand[]): readonly SlashCommand[] {
    const taken = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    return this.#parts.runtime.pluginCommands
      .filter(({ name }) => !taken.has(name))
      .map((command) => ({
        name: command.name,
        summary: `${command.summary} (plugin ${command.plugin})`,
        ...(command.usage === undefined ? {} : { usage: command.usage }),
        run: async (argument) => {
          await this.#interruptibly(async (signal) => {
            const print = (line: string): void => this.#say('info', line);
            const done = await command.run(argument, { print, signal });
            if (!done.ok) this.#fail(done);
          });
          return 'go-on';
        },
      }));
  }

  async #tellCommand(command: string, line: string, argsRaw: string): Promise<void> {
    const { runtime, surface } = this.#parts;
    const aliasUsed = /^\/(\S*)/.exec(line)?.[1] ?? command;
    const { sessionId: sessionKey } = this.#session.conversation;
    this.#warn(
      await runtime.callbacks.observe(
        'pre_command',
        () => ({ surface, command, aliasUsed, argsRaw, sessionKey, platform: surface }),
        new AbortController().signal,
      ),
    );
  }

  #unknown(name: string, meant?: string): void {
    const message = `There is no command /${printable(name).slice(0, 80)}.`;
    this.#fail({ message, remedy: meant === undefined ? 'See /help.' : `Did you mean /${meant}?` });
  }

  async #turn(text: string): Promise<void> {
    const { runtime, screen } = this.#parts;
    const { conversation } = this.#session;
    const presenter = turnPresenter(screen);
    await this.#interruptibly(async (signal) => {
      const result = await runtime
        .runTurn({ conversation, text, signal, onEvent: presenter.show })
        .finally(presenter.end);
      if (result.ok) this.#conclude(result.value);
      else this.#fail(result);
    });
  }

  #conclude({ end, failure, calls }: TurnResult): void {
    if (end === 'interrupted') {
      const isOpen = calls.some(({ status, executed }) => status === 'cancelled' && executed);
      const effect = isOpen ? ' What was done stands; what was running has an unknown effect.' : '';
      this.#say('warning', `Interrupted.${effect}`);
    }
    if (end === 'failed' && failure !== undefined) this.#fail(failure);
  }

  async #interruptibly(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const controller = new AbortController();
    this.#running = controller;
    try {
      await work(controller.signal);
    } catch (error) {
      const { remedy } = HermaError.isInstance(error) ? error : {};
      this.#fail({ message: messageOf(error), ...(remedy === undefined ? {} : { remedy }) });
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

  /** Whether a session is the one that is open, or an earlier part of it. */
  #isCurrent(sessionId: string): boolean {
    const { conversation } = this.#session;
    if (sessionId === conversation.sessionId) return true;
    const store = this.#parts.runtime.sessions();
    const found = store.ok ? store.value.get(sessionId) : store;
    return found.ok && found.value.rootSessionId === conversation.rootSessionId;
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
        () => ({ sessionId, platform: surface, reason }),
        new AbortController().signal,
      ),
    );
  }

  #say(kind: 'info' | 'warning' | 'error', text: string): void {
    this.#parts.screen.notice(kind, text);
  }

  #fail({ message, remedy }: Pick<Failure, 'message' | 'remedy'>): void {
    this.#hasFailed = true;
    this.#say('error', remedy === undefined ? message : `${message}\n${remedy}`);
  }

  #warn(lines: readonly string[]): void {
    for (const line of lines) this.#say('warning', line);
  }
}
