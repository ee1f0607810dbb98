import type { Analysis } from './analysis.ts';
import { spend } from './budget.ts';
import { type Content, concatenate, MAX_CHOICES, NOTHING, PRINTED } from './content.ts';
import { holdsCredentials, isCredential, mayGiveCredentials } from './credentials.ts';
import { type Field, knownPrefix } from './field.ts';
import { followBase, followLinks, type Located, locate, resolvePath } from './locate-path.ts';
import { classifyWrite, isOwnData, isSystemFile } from './protected-files.ts';
import { addFinding, addPath } from './report.ts';
import type { ShellState } from './shell-state.ts';

/** Nothing is stored behind these. */
const STREAMS = /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/[^/]+|zero|u?random|full)$/;

/** How a program reads what its argument names. */
export interface Reading {
  readonly evidence: string;
  /** With everything below it. */
  readonly isTree?: boolean;
  /** It goes into a copy that may include all of it; a mere search through a home directory does not show its secrets. */
  readonly isCopy?: boolean;
}

/** A file is read; answers with what it holds. */
export function readFile(
  field: Field,
  { evidence, isTree = false, isCopy = false }: Reading,
  state: ShellState,
  analysis: Analysis,
): Content {
  const { place, report, files } = analysis;
  if (!spend(analysis, field.text === undefined ? 4 : 1)) return PRINTED;
  const located = locateOrPrefix(field, state, analysis);
  if (located === undefined) return PRINTED;
  const { path, pattern } = located;
  if (path === undefined) {
    const isSecret =
      mayGiveCredentials(pattern ?? '', place) || mayGiveCredentials(followBase(pattern ?? '', place), place);
    if (isSecret) addFinding(report, 'cred-read', evidence);
    return { ...PRINTED, secret: isSecret ? 'credential' : 'none', file: undefined };
  }
  const known = files.get(path);
  const followed = followLinks(path, place);
  if (path === '/dev/null') return NOTHING;
  if (!STREAMS.test(path)) addPath(report.reads, followed);
  const isSecret =
    isCredential(path, place) ||
    isCredential(followed, place) ||
    (isTree && holdsCredentials(followed, place) && (isCopy || !isBroad(followed, analysis)));
  if (isSecret) addFinding(report, 'cred-read', evidence, [followed]);
  if (known !== undefined) return readAgain(known, evidence, analysis);
  return { ...PRINTED, file: path, secret: isSecret ? 'credential' : 'none' };
}

/** A file that the command has made before: a copy of another one, or a link to it. */
function readAgain(content: Content, evidence: string, { place, report }: Analysis): Content {
  const { file } = content;
  if (file === undefined || !isCredential(file, place)) return content;
  addFinding(report, 'cred-read', evidence, [file]);
  return { ...content, secret: 'credential' };
}

/** So much more than secrets is in it that a search through it is no search for them. */
function isBroad(path: string, { place }: Analysis): boolean {
  return path === '/' || place.home.startsWith(path) || path === '/root';
}

/** Where it leads; for a text that is known at its beginning only, the pattern of what can follow. */
function locateOrPrefix(field: Field, state: ShellState, { place }: Analysis): Located | undefined {
  if (!field.isDynamic) return locate(field, state.directory, place);
  const prefix = knownPrefix(field);
  if (!/^\/.*\//.test(prefix)) return undefined;
  return locate({ ...field, isDynamic: false }, state.directory, place);
}

/** What is written; without a content the file is only changed in some way. */
export interface Writing {
  readonly evidence: string;
  readonly content?: Content | undefined;
  readonly isAppended?: boolean;
}

/** A file is made or changed. */
export function writeFile(field: Field, written: Writing, state: ShellState, analysis: Analysis): void {
  const { place, report, files } = analysis;
  if (!spend(analysis)) return;
  const located = locate(field, state.directory, place);
  const path = located?.path;
  if (path === undefined) {
    classifyUncertain(field, written.evidence, analysis);
    return;
  }
  if (STREAMS.test(path)) return;
  const followed = followLinks(path, place);
  addPath(report.writes, followed);
  const found = classifyWrite(followed, place) ?? classifyWrite(path, place);
  if (found !== undefined) addFinding(report, found, written.evidence, [followed]);
  const { content } = written;
  if (content === undefined) return;
  if (content.text === '' && written.isAppended !== true && isSystemFile(followed, place))
    addFinding(report, 'delete-outside', written.evidence, [followed]);
  if (content.origin === 'network') addPath(report.downloads, followed);
  const before =
    written.isAppended === true ? (files.get(path) ?? { ...PRINTED, file: undefined }) : undefined;
  files.set(path, before === undefined ? content : appended(before, content));
}

/** What was there may be unknown, what was added is in it all the same. */
function appended(before: Content, content: Content): Content {
  const whole = concatenate([before, content]);
  if (whole.text !== undefined || content.text === undefined) return whole;
  return { ...whole, choices: [...before.choices, content.text].slice(-MAX_CHOICES) };
}

function classifyUncertain(field: Field, evidence: string, { place, report }: Analysis): void {
  const prefix = knownPrefix(field);
  const directory = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  if (!directory.startsWith('/')) return;
  const path = resolvePath(directory, place);
  if (isOwnData(`${path}/config.yaml`, place) || path.startsWith(`${place.hermaHome}/`))
    addFinding(report, 'self-tamper', evidence, [path]);
}
