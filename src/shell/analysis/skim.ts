import type { Command, ShellScript, SimpleCommand, Word } from '../shell-script.ts';
import type { Analysis } from './analysis.ts';
import { spendReserve } from './budget.ts';
import { type Content, UNKNOWN } from './content.ts';
import { forkState, type ShellState } from './shell-state.ts';
import { walkSimple } from './walk-simple.ts';

/** Programs that may be a disaster, and what decides where they run. */
const URGENT = new Set(
  (
    'rm find fd dd shred mkfs mke2fs mkswap wipefs blkdiscard sgdisk sfdisk parted fdisk tee truncate mv cp rsync tar kill pkill ' +
    'killall killall5 shutdown reboot halt poweroff init telinit systemctl loginctl cd pushd herma'
  ).split(' '),
);
/** Where they may be one, as text; everything else is at most named in passing. */
const URGENT_TEXT = new RegExp(
  [
    String.raw`\b(?:rm|dd|shred|mkfs|mke2fs|mkswap|wipefs|blkdiscard|s[gf]disk|parted|fdisk|pkill|herma|rmtree|rmSync|rm_rf|unlink)\b`,
    String.raw`\b(?:shutdown|reboot|halt|poweroff|init|telinit)\b|/dev/|/proc/`,
    String.raw`\b(?:find|fd)\b[^\n]{0,300}\s-(?:delete|exec|ok|[xX]\b)|\bkill(?:all5?)?\b[^\n]{0,60}-1`,
    String.raw`\b(?:truncate|mv|cp|rsync|tee|tar)\b[^\n]{0,300}(?:\s["']?[/~$]|\.\.|--remove)`,
    String.raw`\b(?:cd|pushd)\s*(?:$|[;&|\n"'/~$.-])|\|[^|\n]{0,40}&\s*\}`,
  ].join('|'),
);
/** Programs that run others. */
const RUNNERS = new Set(
  (
    'sudo doas env eval exec command builtin xargs parallel nohup setsid timeout nice bash sh zsh dash ksh busybox ' +
    'python python3 perl ruby node'
  ).split(' '),
);
const DANGER =
  /\b(?:rm|find|dd|mkfs|shred|kill|shutdown|reboot|halt|poweroff|init|rmtree|rmSync|rm_rf|unlink)\b|\/dev\//;

/** Whether a text that is not followed is worth reading at all. */
export function mayBeUrgent(text: string, { functions }: ShellState): boolean {
  return URGENT_TEXT.test(text) || functions.get(/^\s*([^\s;&|()<>]+)/.exec(text)?.[1] ?? '') !== undefined;
}

/**
 * Goes through what is left when a command has more in it than is followed: each part of it once, and of the simple commands only
 * those that may be a disaster.
 */
export function skim(command: Command, state: ShellState, analysis: Analysis): Content {
  if (analysis.skimmed.has(command)) return UNKNOWN;
  analysis.skimmed.add(command);
  switch (command.type) {
    case 'simple':
      if ((isUrgent(command) || isFunction(command, state)) && spendReserve(analysis))
        walkSimple(command, state, analysis);
      else for (const word of command.words) skimWord(word, state, analysis);
      break;
    case 'and-or':
      for (const each of command.commands) skim(each, state, analysis);
      break;
    case 'pipeline':
      skimAll(command.commands, state, analysis);
      break;
    case 'compound': {
      const inner = command.kind === 'subshell' ? forkState(state) : state;
      for (const body of command.bodies) skimScript(body, inner, analysis);
      break;
    }
    case 'function':
      state.functions.set(command.name, command.body);
      skim(command.body, state, analysis);
      break;
    case 'coprocess':
      skim(command.body, state, analysis);
      break;
    default:
      command satisfies never;
  }
  return UNKNOWN;
}

/** Those of a pipeline. */
export function skimAll(commands: readonly Command[], state: ShellState, analysis: Analysis): Content {
  const inner = forkState(state, { input: UNKNOWN });
  for (const each of commands) skim(each, inner, analysis);
  return UNKNOWN;
}

function skimScript({ statements }: ShellScript, state: ShellState, analysis: Analysis): void {
  for (const { command } of statements) skim(command, state, analysis);
}

function skimWord({ parts }: Word, state: ShellState, analysis: Analysis): void {
  for (const part of parts)
    if (part.type === 'commands' || part.type === 'process')
      skimScript(part.script, forkState(state), analysis);
}

function isFunction({ words }: SimpleCommand, { functions }: ShellState): boolean {
  return functions.get(literalOf(words[0]) ?? '') !== undefined;
}

function isUrgent({ words, redirects }: SimpleCommand): boolean {
  const name = literalOf(words[0])?.split('/').at(-1) ?? '';
  return (
    URGENT.has(name) ||
    (RUNNERS.has(name) && words.some((word) => DANGER.test(literalOf(word) ?? ''))) ||
    name.startsWith('mkfs.') ||
    redirects.some(
      ({ type, target }) => type === 'write' && /^\/(?:dev|proc)\//.test(literalOf(target) ?? ''),
    )
  );
}

function literalOf(word: Word | undefined): string | undefined {
  let text = '';
  for (const part of word?.parts ?? []) {
    if (part.type !== 'literal') return undefined;
    text += part.value;
  }
  return text;
}
