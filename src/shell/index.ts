export { analyseCommand } from './analysis/analyse-command.ts';
export {
  COMMAND_CLASSES,
  type CommandAnalysis,
  type CommandClass,
  type CommandFinding,
  type CommandPlace,
  type ProgramRun,
} from './analysis/command-analysis.ts';
export { USUAL_VERDICTS } from './analysis/usual-verdicts.ts';
export { type CommandFootprint, footprintOf } from './footprint/footprint-of.ts';
export { parseShell } from './parser/parse-shell.ts';
export type { Redirect, ShellScript, SimpleCommand, Word, WordPart } from './shell-script.ts';
