import type { Call, Handler } from './analysis.ts';
import { classifyTree } from './classify-deletion.ts';
import type { CommandClass } from './command-analysis.ts';
import { NOTHING, PRINTED } from './content.ts';
import { type Field, showFields } from './field.ts';
import { writeFile } from './files-touched.ts';
import { locate } from './locate-path.ts';
import { hasOption, type ReadArguments, readArguments } from './read-arguments.ts';
import { addFinding } from './report.ts';
import { runContent } from './run-code.ts';
import { forkState } from './shell-state.ts';

function find(call: Call, found: CommandClass): void {
  addFinding(call.analysis.report, found, showFields(call.command));
}

const isQuestion = (args: readonly Field[]): boolean =>
  args.some(({ text }) => text === '--help' || text === '--version' || (text === '-h' && args.length === 1));

const powerOff: Handler = (call) => {
  const isCancelled = call.args.some(({ text }) => /^(?:-c|--show|-w|--wtmp-only|-k)$/.test(text ?? ''));
  if (!isCancelled && !(isQuestion(call.args) && call.args.every(({ text }) => text !== '-h')))
    find(call, 'power');
  return NOTHING;
};

const init: Handler = (call) => {
  if (call.args.some(({ text }) => /^[016sS]$/.test(text ?? ''))) find(call, 'power');
  return NOTHING;
};

const systemctl: Handler = (call) => {
  const { operands } = readArguments(call.args, { letters: 'tpHMno', names: ['type', 'property', 'state'] });
  const verb = operands[0]?.text ?? '';
  if (
    /^(?:poweroff|reboot|halt|kexec|soft-reboot|emergency|rescue|suspend|hibernate|hybrid-sleep|isolate|exit)$/.test(
      verb,
    )
  )
    find(call, 'power');
  const isTarget = operands.some(({ text }) =>
    /^(?:poweroff|reboot|halt|kexec|shutdown|emergency|rescue|suspend|hibernate)\.target$/.test(text ?? ''),
  );
  if (/^(?:start|restart)$/.test(verb) && isTarget) find(call, 'power');
  if (/^(?:enable|reenable|link|edit|preset|set-default)$/.test(verb)) find(call, 'startup');
  return PRINTED;
};

const kill: Handler = (call) => {
  const texts = call.args.map(({ text }) => text);
  if (texts.some((text) => text === '-l' || text === '-L')) return PRINTED;
  const first = texts[0] ?? '';
  const isSpelled = /^-(?:s|n|-signal)$/.test(first);
  const hasSignal = /^-(?:\d+|[A-Za-z]\w*)$/.test(first) && !isSpelled;
  const rest = texts.slice(isSpelled ? 2 : hasSignal ? 1 : 0);
  if (rest.includes('-1') || (texts.length === 1 && first === '-1')) find(call, 'kill-all');
  return NOTHING;
};

const pkill: Handler = (call) => {
  const read = readArguments(call.args, {
    letters: 'gGPsStuUFo',
    names: ['signal', 'euid', 'uid', 'group', 'parent', 'terminal'],
  });
  if (read.operands.some(({ text }) => /^(?:\.|\.\*|\^|\$|\^\.\*|)$/.test(text ?? 'x')))
    find(call, 'kill-all');
  // All of a user, the terminal this runs in and the agent among them.
  const isOfUser = hasOption(read, 'u', 'U', 'euid', 'uid') && read.operands.length === 0;
  const isNarrow = hasOption(read, 'P', 'parent', 't', 'terminal', 'g', 'G', 's', 'F', 'l');
  if (isOfUser && !isNarrow) find(call, 'kill-all');
  return NOTHING;
};

/** Programs that call a service by name. */
const bus: Handler = (call) => {
  const isPower = call.args.some(({ text }) =>
    /(?:^|\.)(?:PowerOff|Reboot|Halt|KExec|Suspend|Hibernate|HybridSleep)(?:WithFlags)?$/.test(text ?? ''),
  );
  if (isPower) find(call, 'power');
  return PRINTED;
};

const killall: Handler = (call) => {
  const read = readArguments(call.args, { letters: 'sunoyZ', names: ['signal', 'user', 'context'] });
  if (read.operands.length === 0 && hasOption(read, 'u', 'user')) find(call, 'kill-all');
  return NOTHING;
};

const skill: Handler = (call) => {
  if (call.args.some(({ text }) => text === '-u' || text === '-t')) find(call, 'kill-all');
  return NOTHING;
};

const killEverything: Handler = (call) => {
  find(call, 'kill-all');
  return NOTHING;
};

const OPEN_MODE =
  /^0?[0-7]?[0-7][0-7][2367]$|^(?:[ugo]*[ao][ugo]*)?[+=][rXst]*w|^(?:[ugo]*a[ugo]*|[ug]*o[ug]*)[+=]\w*w/;
/** The owner cannot go in. */
const CLOSED_MODE = /^0?[0-4][0-7]{2}$|^[ugo]*[ua][ugo]*-\w*[rx]|^-\w*[rx]/;
const SET_ID = /^[0]?[246][0-7]{3}$|^[ugoa]*[+=][rwxX]*s/;

const chmod: Handler = (call) => {
  const { args, state, analysis } = call;
  const modes = args.filter(({ text }) => text !== undefined && !/^--?[A-Za-z-]*$/.test(text));
  const read = readArguments(
    args.filter(({ text }) => !/^-[rwxXst]+$/.test(text ?? '')),
    { names: ['reference'] },
  );
  const [mode, ...targets] =
    modes[0]?.text?.startsWith('-') === true ? [modes[0], ...read.operands] : read.operands;
  const isTree = hasOption(read, 'R', 'recursive');
  const evidence = showFields(call.command);
  if (SET_ID.test(mode?.text ?? '')) find(call, 'privilege');
  const isOpen = OPEN_MODE.test(mode?.text ?? '');
  for (const target of targets) {
    const path = locate(target, state.directory, analysis.place)?.path;
    const found = path === undefined ? undefined : classifyTree(path, analysis.place);
    if (isOpen && (isTree || isSystem(found))) addFinding(analysis.report, 'perms', evidence);
    else if (isSystem(found) && (isTree || CLOSED_MODE.test(mode?.text ?? '')))
      addFinding(analysis.report, 'perms', evidence);
    writeFile(target, { evidence }, state, analysis);
  }
  return NOTHING;
};

function isSystem(found: CommandClass | undefined): boolean {
  return found === 'delete-root' || found === 'delete-home' || found === 'delete-system';
}

const chown: Handler = (call) => {
  const { args, state, analysis } = call;
  const read = readArguments(args, { names: ['from', 'reference'] });
  const targets = read.operands.slice(hasOption(read, 'reference') ? 0 : 1);
  const evidence = showFields(call.command);
  for (const target of targets) {
    const path = locate(target, state.directory, analysis.place)?.path;
    if (
      hasOption(read, 'R', 'recursive') &&
      path !== undefined &&
      isSystem(classifyTree(path, analysis.place))
    )
      find(call, 'perms');
    writeFile(target, { evidence }, state, analysis);
  }
  return NOTHING;
};

/** Attributes and lists of rights, of a tree or of a directory of the system. */
const rights: Handler = (call) => {
  const { args, state, analysis } = call;
  const read = readArguments(args, { letters: 'mxMXpv', names: ['modify', 'remove', 'set'] });
  for (const target of read.operands) {
    const path = locate(target, state.directory, analysis.place)?.path;
    if (path === undefined) continue;
    const isTree = hasOption(read, 'R', 'recursive');
    if (isTree && isSystem(classifyTree(path, analysis.place))) find(call, 'perms');
    writeFile(target, { evidence: showFields(call.command) }, state, analysis);
  }
  return NOTHING;
};

const crontab: Handler = (call) => {
  const read = readArguments(call.args, { letters: 'u' });
  if (!hasOption(read, 'l', 'V')) find(call, 'startup');
  return PRINTED;
};

/** Runs its input at another time. */
const later: Handler = (call) => {
  const { args, state, analysis, command } = call;
  const read = readArguments(args, { letters: 'fqtdc' });
  if (hasOption(read, 'l', 'r', 'c', 'V')) return PRINTED;
  find(call, 'startup');
  if (!hasOption(read, 'f') && state.input.text !== '')
    runContent(state.input, showFields(command), forkState(state), analysis);
  return NOTHING;
};

const launchctl: Handler = (call) => {
  if (/^(?:load|bootstrap|submit|enable)$/.test(call.args[0]?.text ?? '')) find(call, 'startup');
  return PRINTED;
};

const account: Handler = (call) => {
  if (!isQuestion(call.args) && !call.args.some(({ text }) => /^-(?:S|-status|c|-check)$/.test(text ?? '')))
    find(call, 'privilege');
  return NOTHING;
};

const visudo: Handler = (call) => {
  if (!call.args.some(({ text }) => text?.startsWith('-c') === true)) find(call, 'privilege');
  return NOTHING;
};

const onDevice =
  (verbs: RegExp): Handler =>
  (call) => {
    if (call.args.some(({ text }) => verbs.test(text ?? ''))) find(call, 'device');
    return PRINTED;
  };

const always: Handler = (call) => {
  if (!isQuestion(call.args) && call.args.length > 0) find(call, 'device');
  return PRINTED;
};

const INSTALLS = new Map<string, RegExp>([
  ['apt', /^(?:install|full-upgrade|upgrade|build-dep)$/],
  ['apt-get', /^(?:install|upgrade|dist-upgrade|build-dep)$/],
  ['yum', /^(?:install|localinstall|update)$/],
  ['dnf', /^(?:install|upgrade)$/],
  ['apk', /^add$/],
  ['pacman', /^-S/],
  ['brew', /^(?:install|upgrade)$/],
  ['snap', /^install$/],
  ['npm', /^(?:install|i|ci|add|update)$/],
  ['pnpm', /^(?:install|i|add|update)$/],
  ['yarn', /^(?:install|add|upgrade)$/],
  ['bun', /^(?:install|i|add)$/],
  ['pip', /^install$/],
  ['pip3', /^install$/],
  ['pipx', /^install$/],
  ['gem', /^install$/],
  ['cargo', /^(?:install|add)$/],
  ['go', /^(?:install|get)$/],
  ['composer', /^(?:install|require|update)$/],
]);

const install: Handler = (call) => {
  const verb =
    call.args.find(({ text }) => text !== undefined && (!text.startsWith('-') || text.startsWith('-S')))
      ?.text ?? '';
  if (INSTALLS.get(call.name)?.test(verb) === true) find(call, 'install');
  // Made to be run: how a shell is to be set up.
  if (call.name === 'brew' && verb === 'shellenv') return NOTHING;
  return PRINTED;
};

/** Herma's own commands that change what it may do or remembers. */
const herma: Handler = (call) => {
  const words = call.args.flatMap(({ text }) => (text?.startsWith('-') === false ? [text] : [])).join(' ');
  const changes =
    /^(?:policy (?:mode \w|init)|config (?:set|unset|edit)|hooks (?:allow|approve|add|remove|enable|disable|revoke)|approvals (?:add|allow|remove|clear)|checkpoints (?:delete|prune|clear)|ledger (?:delete|prune|clear))/;
  if (changes.test(words)) find(call, 'self-tamper');
  return PRINTED;
};

/** Stores of passwords that print them. */
const keychain: Handler = (call) => {
  if (
    /^(?:find-(?:generic|internet)-password|dump-keychain|export|lookup|search)$/.test(
      call.args[0]?.text ?? '',
    )
  )
    find(call, 'cred-read');
  return { ...PRINTED, secret: 'credential' };
};

/** What an option of `sudo` itself means. */
export function noticeSudo(read: ReadArguments, call: Call): void {
  if (call.name === 'sudo' && hasOption(read, 'S', 'stdin')) find(call, 'privilege');
}

export const SYSTEM_PROGRAMS: readonly (readonly [string, Handler])[] = [
  ...['shutdown', 'reboot', 'halt', 'poweroff', 'kexec', 'pm-suspend', 'openrc-shutdown'].map(
    (name) => [name, powerOff] as const,
  ),
  ['init', init],
  ['telinit', init],
  ['systemctl', systemctl],
  ['loginctl', systemctl],
  ['kill', kill],
  ['pkill', pkill],
  ['killall5', killEverything],
  ['killall', killall],
  ['skill', skill],
  ['slay', killEverything],
  ['dbus-send', bus],
  ['busctl', bus],
  ['gdbus', bus],
  ['qdbus', bus],
  ['setfacl', rights],
  ['chattr', rights],
  ['chmod', chmod],
  ['chown', chown],
  ['chgrp', chown],
  ['crontab', crontab],
  ['at', later],
  ['batch', later],
  ['launchctl', launchctl],
  ['visudo', visudo],
  ['herma', herma],
  ['security', keychain],
  ['secret-tool', keychain],
  ...'useradd adduser usermod userdel groupadd groupmod addgroup gpasswd passwd chpasswd newusers vipw setcap'
    .split(' ')
    .map((name) => [name, account] as const),
  ['lvremove', always],
  ['vgremove', always],
  ['zpool', onDevice(/^(?:destroy|labelclear)$/)],
  ['zfs', onDevice(/^destroy$/)],
  ['diskutil', onDevice(/^(?:erase|secureErase|zeroDisk|partitionDisk|reformat)/i)],
  ['nvme', onDevice(/^(?:format|sanitize|write)/)],
  ['cryptsetup', onDevice(/^(?:luksFormat|erase|luksErase|reencrypt)$/)],
  ['hdparm', onDevice(/^--(?:security-erase|trim-sector|write-sector|make-bad)/)],
  ['mdadm', onDevice(/^--(?:zero-superblock|create)$/)],
  ...[...INSTALLS.keys()].map((name) => [name, install] as const),
];
