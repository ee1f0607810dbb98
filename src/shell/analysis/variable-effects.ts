import type { Analysis, Call } from './analysis.ts';
import type { Content } from './content.ts';
import { showFields } from './field.ts';
import { addFinding } from './report.ts';
import { forkState, type ShellState } from './shell-state.ts';

/** Variables whose value is a command that programs run. */
const COMMAND_VARIABLES =
  /^(?:GIT_(?:SSH_COMMAND|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|ASKPASS|SSH|PROXY_COMMAND)|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|PROMPT_COMMAND|LESSOPEN|LESSCLOSE|SSH_ASKPASS|SUDO_ASKPASS|RSYNC_RSH|CVS_RSH|MAKEFLAGS)$/;
/** Variables that make programs load other code. */
const LOADERS = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|PERL5OPT|PYTHONSTARTUP|RUBYOPT)$/;
const SCRIPTS = /^BASH_ENV$/;

/** The command that a variable makes some program run, or the file it makes it load. */
export function noticeVariable(name: string, value: Content, state: ShellState, analysis: Analysis): void {
  // Functions come to a shell in such variables; a prompt is expanded when it is shown.
  if (name.endsWith('%%') || (/^PS[0124]$/.test(name) && /\$\(|`/.test(value.text ?? ''))) {
    addFinding(analysis.report, 'dynamic-exec', `${name}=${value.text ?? '…'}`);
    const code = name.endsWith('%%') ? `f ${value.text ?? ''}; f` : `echo "${value.text ?? ''}"`;
    analysis.runText(code.replace(/^f \(\)/, 'f()'), forkState(state));
  }
  if (SCRIPTS.test(name) || LOADERS.test(name))
    addFinding(analysis.report, 'dynamic-exec', `${name}=${value.text ?? '…'}`);
  if (!COMMAND_VARIABLES.test(name)) return;
  if (value.text === undefined) addFinding(analysis.report, 'dynamic-exec', `${name}=…`);
  else if (value.text !== '' && name !== 'MAKEFLAGS') analysis.runText(value.text, state);
}

/** Where a name is evaluated, so is the substitution in its index. */
export function runIndexes({ args, command, state, analysis }: Omit<Call, 'name'>): void {
  for (const { text } of args) {
    const match = /\[[^\]]*?(?:\$\((.*)\)|`([^`]*)`)/s.exec(text ?? '');
    if (match === null) continue;
    addFinding(analysis.report, 'dynamic-exec', showFields(command));
    analysis.runText(match[1] ?? match[2] ?? '', forkState(state));
  }
}
