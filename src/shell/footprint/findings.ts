/** What the walk over a command has found so far. It starts with the best and can only get worse. */
export interface Findings {
  isReadOnly: boolean;
  isComplete: boolean;
  isDetached: boolean;
  readonly words: Set<string>;
  /** The directory the next command runs in, seen from where the whole command starts; `undefined` when not certain. */
  directory: string | undefined;
  /** Shells inside shells. */
  depth: number;
}

const MAX_WORDS = 200;
const MAX_WORD_LENGTH = 4096;

export function newFindings(): Findings {
  return {
    isReadOnly: true,
    isComplete: true,
    isDetached: false,
    words: new Set(),
    directory: '',
    depth: 0,
  };
}

/** Nothing is known of some part: it may change anything. */
export function doubt(findings: Findings): void {
  findings.isReadOnly = false;
  findings.isComplete = false;
}

/** Takes note of a word that may name a file. */
export function mention(findings: Findings, word: string): void {
  if (word === '' || word.length > MAX_WORD_LENGTH) return;
  const path = inDirectory(findings.directory ?? '', word);
  if (findings.words.has(path)) return;
  if (findings.words.size < MAX_WORDS) findings.words.add(path);
  else findings.isComplete = false;
}

/** Takes note of a path that is changed, or that something below it is. */
export function mentionChanged(findings: Findings, word: string): void {
  if (
    findings.directory === undefined ||
    !isPlainPath(word, findings.directory) ||
    word.length > MAX_WORD_LENGTH
  )
    findings.isComplete = false;
  mention(findings, word);
}

export function inDirectory(directory: string, word: string): string {
  if (directory === '' || word.startsWith('/')) return word;
  return directory.endsWith('/') ? `${directory}${word}` : `${directory}/${word}`;
}

/** Behind a symbolic link `..` leads elsewhere for a program than for the shell, so it is certain only at the very beginning. */
export function isPlainPath(word: string, directory: string): boolean {
  const names = word.split('/').filter((name) => name !== '' && name !== '.');
  const up = names.lastIndexOf('..');
  if (up === -1) return true;
  return directory === '' && !word.startsWith('/') && names.slice(0, up).every((name) => name === '..');
}
