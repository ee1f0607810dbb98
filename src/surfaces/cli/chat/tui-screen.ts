import {
  CombinedAutocompleteProvider,
  type Component,
  Container,
  Editor,
  Loader,
  Markdown,
  matchesKey,
  ProcessTerminal,
  SelectList,
  Spacer,
  setCapabilityOverrides,
  Text,
  type TUI,
  TuiMainScreen,
} from '@earendil-works/pi-tui';
import type { ApprovalRequest, ApprovalScope } from '../../../gate/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import { abortReason, type Clock } from '../../../platform/clock/index.ts';
import { finishedLine, startedLine } from './call-line-text.ts';
import type { CallLine, ChatScreen, ScreenInput, SlashCommandInfo, StreamedAnswer } from './chat-screen.ts';
import { Fitted } from './fitted.ts';
import { InputQueue } from './input-queue.ts';
import { answerIn, approvalText, questionText } from './question-text.ts';
import { readScope } from './read-scope.ts';
import { ScreenTextStream, screenText } from './screen-text.ts';
import { type ChatTheme, createTheme } from './theme.ts';
import { editorTheme, markdownTheme, selectTheme } from './tui-theme.ts';

export interface TuiScreenParts {
  /** Where file names are completed. */
  readonly cwd: string;
  readonly colours: boolean;
  readonly clock: Clock;
  /** Where the terminal library writes down what it was drawing when it fails. */
  readonly logFolder: string;
}

/** The conversation drawn on a terminal: an editor below, everything said above it, in the terminal's own scrollback. */
export class TuiScreen implements ChatScreen {
  readonly #tui: TUI;
  readonly #theme: ChatTheme;
  readonly #log = new Container();
  readonly #status = new Container();
  readonly #editor: Editor;
  readonly #cwd: string;
  readonly #inputs = new InputQueue();
  readonly #clock: Clock;
  #interrupt: () => boolean = () => false;
  #loader: Loader | undefined;
  #isChoosing = false;
  #state: 'new' | 'started' | 'closed' = 'new';
  #startedAtMs = 0;

  constructor({ cwd, colours, clock, logFolder }: TuiScreenParts) {
    this.#cwd = cwd;
    this.#clock = clock;
    this.#theme = createTheme(colours);
    // Addresses of links are always shown: a text that hides where it leads to is for a web page.
    setCapabilityOverrides({ images: null, hyperlinks: false });
    this.#tui = new TuiMainScreen(new ProcessTerminal(), false, logFolder);
    this.#editor = new Editor(this.#tui, editorTheme(this.#theme));
    this.#editor.onSubmit = (text) => this.#submit(text);
    for (const part of [this.#log, this.#status, new Fitted(this.#editor)]) this.#tui.addChild(part);
    this.#tui.setFocus(this.#editor);
    this.#tui.addInputListener((data) => this.#onKey(data));
  }

  start(commands: readonly SlashCommandInfo[]): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    this.#startedAtMs = this.#clock.monotonicMs();
    const completions = commands.map(({ name, summary, complete }) => ({
      name,
      description: summary,
      ...(complete === undefined
        ? {}
        : {
            getArgumentCompletions: (prefix: string) =>
              complete()
                .filter((value) => value.startsWith(prefix) && value !== prefix)
                .map((value) => ({ value, label: value })),
          }),
    }));
    this.#editor.setAutocompleteProvider(new CombinedAutocompleteProvider(completions, this.#cwd));
    this.#tui.start();
  }

  async read(): Promise<ScreenInput> {
    return this.#inputs.next();
  }

  onInterrupt(listener: () => boolean): void {
    this.#interrupt = listener;
  }

  answer(): StreamedAnswer {
    let stream = new ScreenTextStream();
    let shown = '';
    const markdown = new Markdown('', 0, 0, markdownTheme(this.#theme), undefined, MARKDOWN);
    this.#add(markdown);
    const show = (text: string): void => {
      shown = text;
      markdown.setText(text);
      this.#tui.requestRender();
    };
    return {
      append: (text) => show(shown + stream.take(text)),
      restart: () => {
        stream = new ScreenTextStream();
        show('');
      },
      complete: (text) => {
        show(screenText(text));
        if (text !== '') this.#add(new Spacer(1));
      },
      breakOff: () => {
        if (shown !== '') this.#add(new Spacer(1));
      },
    };
  }

  call(call: Parameters<ChatScreen['call']>[0]): CallLine {
    const line = new Text(startedLine(call, this.#theme), 0, 0);
    this.#add(line);
    const show = (text: string): void => {
      line.setText(text);
      this.#tui.requestRender();
    };
    return {
      progress: (text) =>
        show(`${startedLine(call, this.#theme)} ${this.#theme.dim(printable(text).slice(0, 100))}`),
      finish: (report) => show(finishedLine(call, report, this.#theme)),
    };
  }

  busy(what: string | undefined): void {
    this.#loader?.stop();
    this.#loader = undefined;
    this.#status.clear();
    if (what !== undefined && this.#state !== 'closed') {
      this.#loader = new Loader(this.#tui, this.#theme.accent, this.#theme.dim, printable(what));
      this.#status.addChild(new Fitted(this.#loader));
    }
    this.#tui.requestRender();
  }

  notice(kind: 'info' | 'warning' | 'error', text: string): void {
    const paint = { info: this.#theme.dim, warning: this.#theme.warn, error: this.#theme.bad }[kind];
    this.#add(new Text(screenText(text).split('\n').map(paint).join('\n'), 0, 0));
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalScope | 'deny'> {
    signal.throwIfAborted();
    this.#add(new Text(approvalText(request, this.#theme), 0, 0));
    const chosen = await this.#select(APPROVAL_CHOICES, signal);
    const answer = readScope(chosen ?? 'deny') ?? 'deny';
    this.notice('info', `${request.call.tool}: ${answer}`);
    return answer;
  }

  async ask(question: string, choices: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    this.#add(new Text(questionText(question, choices, this.#theme), 0, 0));
    const input = await this.#inputs.answer(signal);
    return input.type === 'text' ? answerIn(input.text, choices) : undefined;
  }

  withdraw(): void {
    const lines = this.#inputs.withdraw();
    if (lines.length === 0) return;
    this.#editor.setText([...lines, this.#editor.getExpandedText()].filter((text) => text !== '').join('\n'));
    this.notice('info', 'What was typed ahead was not sent; it is in the line below.');
  }

  remember(inputs: readonly string[]): void {
    for (const input of inputs) this.#editor.addToHistory(input);
  }

  close(): void {
    if (this.#state === 'started') {
      this.busy(undefined);
      this.#tui.renderNow();
      this.#tui.stop();
    }
    this.#state = 'closed';
    this.#inputs.end();
  }

  /**
   * Offers choices below the conversation until one is taken; undefined when the person backs out. The last one is
   * selected at first: an Enter that was meant for something else must not be a yes.
   */
  async #select(choices: readonly Choice[], signal: AbortSignal): Promise<string | undefined> {
    const list = new SelectList([...choices], choices.length, selectTheme(this.#theme));
    list.setSelectedIndex(choices.length - 1);
    const shown = new Fitted(list);
    this.#add(shown, false);
    this.#tui.setFocus(list);
    this.#isChoosing = true;
    try {
      const chosen = new Promise<string | undefined>((resolve) => {
        list.onSelect = ({ value }) => resolve(value);
        list.onCancel = () => resolve(undefined);
      });
      return await unlessAborted(chosen, signal);
    } finally {
      this.#isChoosing = false;
      this.#log.removeChild(shown);
      this.#tui.setFocus(this.#editor);
      this.#tui.requestRender();
    }
  }

  #submit(text: string): void {
    if (text.trim() === '') return;
    this.#editor.addToHistory(text);
    const shown = text.split('\n').map(printable).join('\n  ');
    this.#add(new Text(`${this.#theme.accent('›')} ${shown}`, 0, 0));
    this.#inputs.push({ type: 'text', text });
  }

  #onKey(data: string): { readonly consume?: boolean; readonly data?: string } | undefined {
    if (data === '\n' && this.#clock.monotonicMs() - this.#startedAtMs < START_MS) return { data: '\r' };
    if (matchesKey(data, 'ctrl+c')) {
      this.#onCtrlC();
      return { consume: true };
    }
    if (matchesKey(data, 'ctrl+d') && this.#editor.getText() === '') {
      this.#inputs.push({ type: 'leave' });
      return { consume: true };
    }
    const isClosing = this.#isChoosing || this.#editor.isShowingAutocomplete();
    if (matchesKey(data, 'escape') && !isClosing && this.#interrupt()) return { consume: true };
    return undefined;
  }

  /** Interrupts what runs; else empties the line; else leaves. */
  #onCtrlC(): void {
    if (this.#interrupt()) return;
    if (this.#editor.getText() === '') this.#inputs.push({ type: 'leave' });
    else this.#editor.setText('');
    this.#tui.requestRender();
  }

  #add(component: Component, fits = true): void {
    this.#log.addChild(fits ? new Fitted(component) : component);
    this.#tui.requestRender();
  }
}

/**
 * How long after the start input may arrive that was typed before it, in milliseconds. The terminal made line breaks of
 * its Enters, which are keys of their own from then on.
 */
const START_MS = 500;

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description: string;
}

const APPROVAL_CHOICES: readonly Choice[] = [
  { value: 'once', label: 'Once', description: 'run it this time' },
  { value: 'session', label: 'Session', description: 'and again in this session' },
  { value: 'always', label: 'Always', description: 'and in every session in this project' },
  { value: 'deny', label: 'Deny', description: 'do not run it' },
];

/** What a model writes is no formula: `$5 and $6` stays what it is. */
const MARKDOWN = { renderLatex: false };

async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(abortReason(signal));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
