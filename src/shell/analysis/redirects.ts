import type { Redirect } from '../shell-script.ts';
import type { Analysis } from './analysis.ts';
import { type Content, concatenate, FROM_NETWORK, NOTHING, textContent } from './content.ts';
import type { Field } from './field.ts';
import { readFile, writeFile } from './files-touched.ts';
import { isLoopback, noteHost, noteSending } from './network.ts';
import { resolveValue, resolveWord } from './resolve-word.ts';
import type { ShellState } from './shell-state.ts';

/** Where a command's input comes from and its output goes to. */
export interface Streams {
  /** Undefined when it is not redirected. */
  readonly input: Content | undefined;
  readonly outputs: readonly { readonly target: Field; readonly isAppended: boolean }[];
  /** Whether what it prints does not go on to whoever reads it otherwise. */
  readonly isDiverted: boolean;
  /** Connected to another machine. */
  readonly isRemote: boolean;
  /** It is another one than this. */
  readonly isAway: boolean;
}

const CONNECTION = /^\/dev\/(?:tcp|udp)\/([^/]*)/;

export function openRedirects(
  redirects: readonly Redirect[],
  evidence: string,
  state: ShellState,
  analysis: Analysis,
): Streams {
  const opened: Opened = { input: undefined, outputs: [], isDiverted: false, isRemote: false, isAway: false };
  for (const redirect of redirects) {
    if (redirect.type === 'text') takeInput(redirect, hereText(redirect, state, analysis), opened, analysis);
    else
      for (const target of alternatives(resolveWord(redirect.target, state, analysis)))
        openOne(redirect, target, opened, { evidence, state, analysis });
  }
  return opened;
}

interface Opened {
  input: Content | undefined;
  readonly outputs: { target: Field; isAppended: boolean }[];
  isDiverted: boolean;
  isRemote: boolean;
  isAway: boolean;
}

function takeInput(redirect: Redirect, content: Content, opened: Opened, { descriptors }: Analysis): void {
  if ((redirect.descriptor ?? 0) === 0) opened.input = content;
  else descriptors.set(String(redirect.descriptor), { content });
}

interface Place {
  readonly evidence: string;
  readonly state: ShellState;
  readonly analysis: Analysis;
}

function openOne(redirect: Redirect, target: Field, opened: Opened, place: Place): void {
  const { evidence, state, analysis } = place;
  if (connect(redirect, target, analysis)) {
    opened.isRemote = true;
    opened.isAway ||= !isLoopback(CONNECTION.exec(target.text ?? target.pattern)?.[1] ?? '');
    if (redirect.type !== 'write') opened.input = FROM_NETWORK;
    return;
  }
  if (redirect.type === 'read')
    takeInput(
      redirect,
      readFile(target, { evidence: `${evidence} < ${target.shown}` }, state, analysis),
      opened,
      analysis,
    );
  else if (redirect.type === 'duplicate') duplicate(redirect, target, opened, analysis);
  else if ((redirect.descriptor ?? 1) === 1) {
    opened.outputs.push({ target, isAppended: redirect.isAppended });
    opened.isDiverted ||= !/^\/dev\/(?:stdout|stderr|tty|fd\/[12])$/.test(target.text ?? '');
  } else {
    const shown = `${evidence} ${redirect.descriptor ?? ''}> ${target.shown}`;
    writeFile(target, { evidence: shown }, state, analysis);
    analysis.descriptors.set(String(redirect.descriptor), { target });
  }
}

/** `<&3` and `>&3`: what was opened under that number before. */
function duplicate(redirect: Redirect, target: Field, opened: Opened, { descriptors }: Analysis): void {
  const known = descriptors.get(target.text?.replace(/-$/, '') ?? '');
  if (known?.content !== undefined) opened.input = known.content;
  if (known?.target === undefined || (redirect.descriptor ?? 1) !== 1) return;
  opened.outputs.push({ target: known.target, isAppended: true });
  opened.isDiverted = true;
}

function alternatives(fields: readonly Field[]): readonly Field[] {
  return fields.flatMap((field) => [
    ...field.choices.map((text): Field => ({ ...field, text, choices: [], isDynamic: false, shown: text })),
    ...(field.choices.length === 0 || field.isDynamic ? [{ ...field, choices: [] }] : []),
  ]);
}

function hereText(redirect: Redirect, state: ShellState, analysis: Analysis): Content {
  const content = resolveValue(redirect.target, state, analysis);
  if (content.text !== undefined) analysis.report.data.add(content.text);
  return redirect.isString ? concatenate([content, textContent('\n')]) : content;
}

/** Whether it leads to another machine. */
function connect(redirect: Redirect, target: Field, analysis: Analysis): boolean {
  const text = target.text ?? target.pattern;
  if (redirect.type === 'duplicate') return analysis.connections.has(text.replace(/-$/, ''));
  const host = CONNECTION.exec(text)?.[1];
  if (host === undefined) return false;
  noteHost(host, text, analysis);
  if (redirect.descriptor !== undefined) analysis.connections.add(String(redirect.descriptor));
  if (redirect.setsVariable) analysis.connections.add('…');
  return true;
}

/** What was printed goes where it was redirected to; answers with what is left of it. */
export function closeRedirects(
  streams: Streams,
  printed: Content,
  evidence: string,
  { state, analysis }: { readonly state: ShellState; readonly analysis: Analysis },
): Content {
  for (const { target, isAppended } of streams.outputs)
    writeFile(
      target,
      { evidence: `${evidence} > ${target.shown}`, content: printed, isAppended },
      state,
      analysis,
    );
  if (streams.isAway && (printed.isLocal || printed.secret !== 'none') && streams.input === undefined)
    noteSending(printed, evidence, analysis);
  const goesAway = streams.isDiverted || (streams.isRemote && streams.input === undefined);
  return goesAway ? NOTHING : printed;
}
