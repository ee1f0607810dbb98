import type { Call, Handler } from './analysis.ts';
import { classifyTree } from './classify-deletion.ts';
import { NOTHING, PRINTED, textContent } from './content.ts';
import { type Field, literalField, showFields } from './field.ts';
import { locate } from './locate-path.ts';
import { hostOf, isLoopback, noteHost } from './network.ts';
import { removeTargets } from './programs-delete.ts';
import { isOwnData } from './protected-files.ts';
import { hasOption, optionValues, type ReadArguments, readArguments } from './read-arguments.ts';
import { addFinding } from './report.ts';
import { forkState } from './shell-state.ts';

/** Settings of git whose value is a command. */
const COMMAND_SETTING =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|pager\..*|sequence\.editor|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|mergetool\..*\.cmd|difftool\..*\.cmd|filter\..*\.(?:clean|smudge|process)|credential\.helper|credential\..*\.helper|gpg\.program|gpg\..*\.program|uploadpack\.packobjectshook|interactive\.difffilter|sendemail\..*cmd|browser\..*\.cmd|web\.browser|receive\.procreceiverefs)$/;
const CHANGES_FILES = /^(?:checkout|switch|restore|reset|stash|apply|am|pull|merge|rebase|rm|mv|init)$/;
const HOOKS = /^(?:core\.hookspath|init\.templatedir)$/;
const PAGERS =
  /^(?:cat|less(?: -[\w-]+)*|more|delta|vim?|nano|emacs|code(?: --wait)?|true|:|osxkeychain|store|cache(?: .*)?|manager|libsecret|ssh(?: -[io] ?[\w=/.~-]+)*|gpg2?)?$/;

const git: Handler = (call) => {
  const { args, state, analysis } = call;
  const own = readArguments(args, {
    letters: 'Cc',
    names: ['git-dir', 'work-tree', 'namespace', 'exec-path', 'config-env', 'super-prefix'],
    endsAtOperand: true,
  });
  const evidence = showFields(call.command);
  const aliases = new Map<string, Field>();
  for (const setting of optionValues(own, 'c')) {
    const [name = '', ...rest] = (setting.text ?? '').split('=');
    const value = rest.join('=');
    if (/^alias\./i.test(name)) aliases.set(name.slice('alias.'.length), literalField(value));
    else noticeSetting(name.toLowerCase(), literalField(value), evidence, call);
  }
  const [verb, ...rest] = own.operands;
  const directory = optionValues(own, 'C').reduce<string | undefined>(
    (at, field) => locate(field, at, analysis.place)?.path,
    state.directory,
  );
  const inner: Call = { ...call, state: { ...state, directory } };
  if (verb === undefined) return PRINTED;
  if (verb.text === undefined) {
    if (verb.isDynamic && !verb.isList) addFinding(analysis.report, 'dynamic-exec', evidence);
    return PRINTED;
  }
  const alias = aliases.get(verb.text)?.text;
  if (alias?.startsWith('!') === true) {
    analysis.runText([alias.slice(1), ...rest.map(({ shown }) => shown)].join(' '), forkState(inner.state));
    return PRINTED;
  }
  if (alias !== undefined) return git({ ...inner, args: [...alias.split(/\s+/).map(literalField), ...rest] });
  return runVerb(verb.text, rest, inner);
};

function noticeSetting(name: string, value: Field, evidence: string, { state, analysis }: Call): void {
  if (HOOKS.test(name)) addFinding(analysis.report, 'startup', evidence);
  if (!COMMAND_SETTING.test(name) && !name.startsWith('alias.')) return;
  const text = value.text?.replace(/^!/, '');
  if (name.startsWith('alias.')) {
    if (value.text?.startsWith('!') === true && text !== undefined) analysis.runText(text, forkState(state));
    return;
  }
  if (text === undefined) addFinding(analysis.report, 'dynamic-exec', evidence);
  else if (!PAGERS.test(text)) {
    addFinding(analysis.report, 'interpreter-exec', evidence);
    analysis.runText(text, forkState(state));
  }
}

function runVerb(verb: string, args: readonly Field[], call: Call): ReturnType<Handler> {
  const { analysis, state } = call;
  const evidence = showFields(call.command);
  const read = readArguments(args, {
    letters: verb === 'rebase' ? 'mFCboXx' : 'mFCboX',
    names: [
      'message',
      'file',
      'author',
      'date',
      'grep',
      'exec',
      'upload-pack',
      'receive-pack',
      'extcmd',
      'open-files-in-pager',
      'tree-filter',
      'index-filter',
      'msg-filter',
      'env-filter',
      'onto',
      'format',
      'pretty',
    ],
  });
  if (isDestructive(verb, read, args)) addFinding(analysis.report, 'vcs-destructive', evidence);
  if (verb === 'clean' && isDestructive(verb, read, args)) cleanTree(evidence, call);
  if (CHANGES_FILES.test(verb) && state.directory !== undefined && isOwnData(state.directory, analysis.place))
    addFinding(analysis.report, 'self-tamper', evidence, [state.directory]);
  if (verb === 'config') configure(args, evidence, call);
  if (verb === 'rev-parse' && args.some(({ text }) => text === '--show-toplevel'))
    return textContent(`${analysis.place.workspace}\n`);
  runCommandOptions(verb, read, args, { ...call, state });
  if (/^(?:push|fetch|pull|clone|ls-remote|remote)$/.test(verb)) talk(verb, read, call);
  if (verb === 'rm' && !hasOption(read, 'cached', 'n', 'dry-run'))
    removeTargets(read.operands, { evidence, isTree: hasOption(read, 'r') }, state, analysis);
  if (verb === 'ls-files' && read.operands.length === 0 && state.directory !== undefined)
    return { ...PRINTED, names: [`${state.directory}/*`] };
  return verb === 'commit' || verb === 'add' ? NOTHING : PRINTED;
}

/** What git does not know is removed, and in a home that is nearly all. */
function cleanTree(evidence: string, { state, analysis }: Call): void {
  const { directory } = state;
  const found = directory === undefined ? undefined : classifyTree(directory, analysis.place);
  if (found !== undefined && /^(?:delete-(?:root|home|system)|self-tamper)$/.test(found))
    addFinding(analysis.report, found, evidence, [directory ?? '']);
}

function isDestructive(verb: string, read: ReadArguments, args: readonly Field[]): boolean {
  const has = (...names: readonly string[]): boolean => hasOption(read, ...names);
  const first = read.operands[0]?.text;
  if (has('n', 'dry-run') && (verb === 'push' || verb === 'clean')) return false;
  const all = read.operands.some(
    ({ text }) => text === '.' || text === './' || text === ':/' || text === '*',
  );
  switch (verb) {
    case 'reset':
      return has('hard');
    case 'clean':
      return has('f', 'force');
    case 'push':
      return (
        has('f', 'force', 'force-with-lease', 'd', 'delete', 'mirror', 'prune') ||
        read.operands.some(({ text }) => /^\+|^:./.test(text ?? ''))
      );
    case 'branch':
      return has('D') || (has('d', 'delete') && has('f', 'force'));
    case 'checkout':
      return has('f', 'force') || all;
    case 'switch':
      return has('f', 'force', 'discard-changes', 'C');
    case 'restore':
      return all && !(has('staged', 'S') && !has('worktree', 'W'));
    case 'stash':
      return first === 'drop' || first === 'clear';
    case 'reflog':
      return first === 'expire' || first === 'delete';
    case 'gc':
      return args.some(({ text }) => /^--prune(?:=now|=all)?$/.test(text ?? ''));
    case 'prune':
    case 'filter-branch':
    case 'filter-repo':
      return true;
    case 'update-ref':
      return has('d');
    case 'worktree':
      return first === 'remove' && has('f', 'force');
    case 'submodule':
      return first === 'deinit' && has('f', 'force');
    case 'rm':
      return all && has('r');
    default:
      return false;
  }
}

function configure(args: readonly Field[], evidence: string, call: Call): void {
  const read = readArguments(args, { letters: 'f', names: ['file', 'blob', 'type', 'default'] });
  if (hasOption(read, 'get', 'get-all', 'get-regexp', 'list', 'l', 'unset', 'unset-all', 'remove-section'))
    return;
  const operands = /^(?:set|add)$/.test(read.operands[0]?.text ?? '')
    ? read.operands.slice(1)
    : read.operands;
  const [name, value] = operands;
  if (name?.text !== undefined && value !== undefined)
    noticeSetting(name.text.toLowerCase(), value, evidence, call);
}

/** Options and subcommands by which git runs what it is given. */
function runCommandOptions(verb: string, read: ReadArguments, args: readonly Field[], call: Call): void {
  const { analysis, state } = call;
  const evidence = showFields(call.command);
  const texts = optionValues(
    read,
    'upload-pack',
    'receive-pack',
    'extcmd',
    'open-files-in-pager',
    'tree-filter',
    'index-filter',
    'msg-filter',
  );
  if (verb === 'rebase') texts.push(...optionValues(read, 'exec', 'x'));
  if (/^(?:archive|clone|push)$/.test(verb)) texts.push(...optionValues(read, 'exec'));
  for (const setting of verb === 'clone'
    ? args.filter(({ text }) => /^(?:core|alias|filter|diff)\.\w+.*=/.test(text ?? ''))
    : []) {
    const [name = '', ...rest] = (setting.text ?? '').split('=');
    noticeSetting(name.toLowerCase(), literalField(rest.join('=')), evidence, call);
  }
  for (const { text } of texts) {
    addFinding(analysis.report, 'interpreter-exec', evidence);
    if (text !== undefined) analysis.runText(text, forkState(state));
  }
  const [first, ...rest] = args;
  if (verb === 'bisect' && first?.text === 'run') analysis.runArguments(rest, forkState(state));
  if (verb === 'submodule' && first?.text === 'foreach')
    analysis.runText(
      rest.flatMap(({ text }) => (text === '--recursive' ? [] : [text ?? ''])).join(' '),
      forkState(state),
    );
  for (const { text } of read.operands)
    if (text?.startsWith('ext::') === true) analysis.runText(text.slice('ext::'.length), forkState(state));
}

function talk(verb: string, { operands }: ReadArguments, { analysis, state }: Call): void {
  for (const { text } of operands) {
    const isAddress =
      text !== undefined &&
      (/:\/\//.test(text) || /^[\w.-]+@[\w.-]+:/.test(text)) &&
      !text.startsWith('ext::');
    const host = isAddress ? hostOf(text.replace(/^([\w.-]+@[\w.-]+):(?!\/\/)/, 'ssh://$1/')) : undefined;
    if (host !== undefined && !isLoopback(host)) noteHost(host, text ?? '', analysis);
  }
  if (verb === 'push') analysis.report.sends = true;
  const target = verb === 'clone' ? operands[1] : undefined;
  const path = target === undefined ? undefined : locate(target, state.directory, analysis.place)?.path;
  if (path !== undefined) analysis.report.writes.add(path);
}

export const GIT_PROGRAMS: readonly (readonly [string, Handler])[] = [['git', git]];
