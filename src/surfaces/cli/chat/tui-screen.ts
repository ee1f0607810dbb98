import {
  CombinedAutocompleteProvider,
  type Component,
  Container,
  Editor,
  type EditorTheme,
  Loader,
  Markdown,
  type MarkdownTheme,
  matchesKey,
  ProcessTerminal,
  SelectList,
  type SelectListTheme,
  Spacer,
  Text,
  type TUI,
  TuiMainScreen,
} from '@earendil-works/pi-tui';
import type { ApprovalRequest, ApprovalScope } from '../../../gate/index.ts';
import { printable } from '../../../kernel/tool-call/index.ts';
import { abortReason } from '../../../platform/clock/index.ts';
import { exactArguments, finishedLine, startedLine } from './call-line-text.ts';
import type { CallLine, ChatScreen, ScreenInput, SlashCommandInfo, StreamedAnswer } from './chat-screen.ts';
import { readScope } from './read-scope.ts';
import { type ChatTheme, createTheme } from './theme.ts';

/** The conversation drawn on a terminal: an editor below, everything said above it, in the terminal's own scrollback. */
export class TuiScreen implements ChatScreen {
  readonly #tui: TUI;
  readonly #theme: ChatTheme;
  readonly #log = new Container();
  readonly #status = new Container();
  readonly #editor: Editor;
  readonly #cwd: string;
  readonly #inputs: ScreenInput[] = [];
  #waiting: ((input: ScreenInput) => void) | undefined;
  #interrupt: () => void = () => undefined;
  #loader: Loader | undefined;
  #closed = false;

  constructor({ cwd, colours }: { readonly cwd: string; readonly colours: boolean }) {
    this.#cwd = cwd;
    this.#theme = createTheme(colours);
    this.#tui = new TuiMainScreen(new ProcessTerminal());
    this.#editor = new Editor(this.#tui, editorTheme(this.#theme));
    this.#editor.onSubmit = (text) => this.#submit(text);
    this.#tui.addChild(this.#log);
    this.#tui.addChild(this.#status);
    this.#tui.addChild(this.#editor);
    this.#tui.setFocus(this.#editor);
    this.#tui.addInputListener((data) => this.#onKey(data));
  }

  start(commands: readonly SlashCommandInfo[]): void {
    const completions = commands.map(({ name, summary, complete }) => ({
      name,
      description: summary,
      ...(complete === undefined
        ? {}
        : {
            getArgumentCompletions: async (prefix: string) =>
              (await complete())
                .filter((value) => value.startsWith(prefix))
                .map((value) => ({ value, label: value })),
          }),
    }));
    this.#editor.setAutocompleteProvider(new CombinedAutocompleteProvider(completions, this.#cwd));
    this.#tui.start();
  }

  async read(): Promise<ScreenInput> {
    const input = this.#inputs.shift();
    if (input !== undefined) return input;
    return await new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  onInterrupt(listener: () => void): void {
    this.#interrupt = listener;
  }

  answer(): StreamedAnswer {
    let shown = '';
    const markdown = new Markdown('', 0, 0, markdownTheme(this.#theme));
    this.#add(markdown);
    const show = (text: string): void => {
      shown = text;
      markdown.setText(text);
      this.#tui.requestRender();
    };
    return {
      append: (text) => show(shown + text),
      restart: () => show(''),
      complete: (text) => {
        show(text);
        if (text !== '') this.#add(new Spacer(1));
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
    if (what !== undefined) {
      this.#loader = new Loader(this.#tui, this.#theme.accent, this.#theme.dim, what);
      this.#status.addChild(this.#loader);
    }
    this.#tui.requestRender();
  }

  notice(kind: 'info' | 'warning' | 'error', text: string): void {
    const paint = { info: this.#theme.dim, warning: this.#theme.warn, error: this.#theme.bad }[kind];
    this.#add(new Text(text.split('\n').map(paint).join('\n'), 0, 0));
  }

  async approve(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalScope | 'deny'> {
    const question = `${this.#theme.warn(request.message)}\n${this.#theme.bold(request.call.tool)}\n${exactArguments(request.call)}`;
    const chosen = await this.#select(question, APPROVAL_CHOICES, signal);
    const answer = readScope(chosen ?? 'deny') ?? 'deny';
    this.notice('info', `${request.call.tool}: ${answer}`);
    return answer;
  }

  async ask(question: string, choices: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    if (choices.length > 0) {
      const items = choices.map((choice) => ({ value: choice, label: choice }));
      return await this.#select(this.#theme.accent(question), items, signal);
    }
    this.#add(new Text(this.#theme.accent(question), 0, 0));
    const input = await unlessAborted(this.read(), signal);
    return input.type === 'text' ? input.text : undefined;
  }

  remember(inputs: readonly string[]): void {
    for (const input of inputs) this.#editor.addToHistory(input);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#loader?.stop();
    this.#tui.stop();
  }

  /** Shows choices in the place of the editor until one is taken; undefined when the person backs out. */
  async #select(
    question: string,
    items: readonly { readonly value: string; readonly label: string; readonly description?: string }[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    signal.throwIfAborted();
    const list = new SelectList([...items], items.length, selectTheme(this.#theme));
    const prompt = new Container();
    prompt.addChild(new Text(question, 0, 0));
    prompt.addChild(list);
    this.#log.addChild(prompt);
    this.#tui.setFocus(list);
    this.#tui.requestRender();
    try {
      const chosen = new Promise<string | undefined>((resolve) => {
        list.onSelect = ({ value }) => resolve(value);
        list.onCancel = () => resolve(undefined);
      });
      return await unlessAborted(chosen, signal);
    } finally {
      prompt.removeChild(list);
      this.#tui.setFocus(this.#editor);
      this.#tui.requestRender();
    }
  }

  #submit(text: string): void {
    const trimmed = text.trim();
    if (trimmed === '') return;
    this.#editor.addToHistory(text);
    this.#add(new Text(`${this.#theme.accent('›')} ${text.split('\n').map(printable).join('\n  ')}`, 0, 0));
    this.#deliver({ type: 'text', text });
  }

  #onKey(data: string): { consume: boolean } | undefined {
    if (matchesKey(data, 'ctrl+c')) {
      this.#onCtrlC();
      return { consume: true };
    }
    if (matchesKey(data, 'ctrl+d') && this.#editor.getText() === '') {
      this.#deliver({ type: 'leave' });
      return { consume: true };
    }
    if (matchesKey(data, 'escape') && this.#loader !== undefined && !this.#editor.isShowingAutocomplete()) {
      this.#interrupt();
      return { consume: true };
    }
    return undefined;
  }

  /** Interrupts what runs; else empties the line; else leaves. */
  #onCtrlC(): void {
    if (this.#waiting === undefined) this.#interrupt();
    else if (this.#editor.getText() !== '') this.#editor.setText('');
    else this.#deliver({ type: 'leave' });
    this.#tui.requestRender();
  }

  #deliver(input: ScreenInput): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#inputs.push(input);
    else waiting(input);
  }

  #add(component: Component): void {
    this.#log.addChild(component);
    this.#tui.requestRender();
  }
}

const APPROVAL_CHOICES = [
  { value: 'once', label: 'Once', description: 'run it this time' },
  { value: 'session', label: 'Session', description: 'and again in this session' },
  { value: 'always', label: 'Always', description: 'and in every session in this project' },
  { value: 'deny', label: 'Deny', description: 'do not run it' },
];

async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const stop = (): void => reject(abortReason(signal));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function selectTheme(theme: ChatTheme): SelectListTheme {
  return {
    selectedPrefix: theme.accent,
    selectedText: theme.accent,
    description: theme.dim,
    scrollInfo: theme.dim,
    noMatch: theme.dim,
  };
}

function editorTheme(theme: ChatTheme): EditorTheme {
  return { borderColor: theme.dim, selectList: selectTheme(theme) };
}

function markdownTheme(theme: ChatTheme): MarkdownTheme {
  const plain = (text: string): string => text;
  return {
    heading: theme.bold,
    link: theme.underline,
    linkUrl: theme.dim,
    code: theme.accent,
    codeBlock: plain,
    codeBlockBorder: theme.dim,
    quote: theme.italic,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.accent,
    bold: theme.bold,
    italic: theme.italic,
    strikethrough: theme.dim,
    underline: theme.underline,
  };
}
