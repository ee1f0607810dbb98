import type { CodeBlock } from './markdown.ts';

/** One command of a transcript, and what it prints. */
export interface TranscriptStep {
  readonly command: string;
  /** Both outputs, without a line feed at the end. */
  readonly output: string;
}

/** The steps of all blocks in the language `console`: lines that begin with `$ `, and what follows them. */
export function transcriptOf(blocks: readonly CodeBlock[]): readonly TranscriptStep[] {
  return blocks
    .filter(({ language }) => language === 'console')
    .flatMap(({ text }) => text.trimEnd().split(/^\$ /m).slice(1))
    .map((step) => {
      const [command = '', ...output] = step.split('\n');
      return { command, output: output.join('\n').trimEnd() };
    });
}

const ID = /\b(?:ses|turn|tkt|call|apr|proc)_[0-9a-z]{16,}\b/g;

/** The ids of a page, and those that a run had in their place. */
export class IdMap {
  readonly #real = new Map<string, string>();

  /** Takes the ids of two texts as equal, in their order. */
  learn(shown: string, printed: string): void {
    const real = printed.match(ID) ?? [];
    for (const [index, id] of (shown.match(ID) ?? []).entries()) {
      const other = real[index];
      if (other !== undefined) this.#real.set(id, other);
    }
  }

  /** The text of a page with the ids of the run. */
  translate(shown: string): string {
    return shown.replaceAll(ID, (id) => this.#real.get(id) ?? id);
  }
}
