import { isOrdinaryVariable } from '../programs/read-only-programs.ts';
import type { Arithmetic, ShellScript, Word, WordPart } from '../shell-script.ts';
import { doubt, type Findings } from './findings.ts';

/** Walks commands that run while a word is expanded. */
export type WalkNested = (script: ShellScript, findings: Findings) => void;

/** What happens while these words are expanded, whatever is then done with them. */
export function expandAll(words: readonly Word[], findings: Findings, walk: WalkNested): void {
  for (const { parts } of words) expandParts(parts, findings, walk);
}

export function expandArithmetic(arithmetic: Arithmetic, findings: Findings, walk: WalkNested): void {
  if (!arithmetic.isConstant) doubt(findings);
  expandParts(arithmetic.parts, findings, walk);
}

function expandParts(parts: readonly WordPart[], findings: Findings, walk: WalkNested): void {
  for (const part of parts) expandPart(part, findings, walk);
}

function expandPart(part: WordPart, findings: Findings, walk: WalkNested): void {
  switch (part.type) {
    case 'literal':
    case 'tilde':
      return;
    case 'parameter':
      if (part.effect === 'evaluates') doubt(findings);
      if (part.effect === 'assigns' && !isOrdinaryVariable(part.name)) doubt(findings);
      expandAll(part.operands, findings, walk);
      return;
    case 'commands':
      walk(part.script, findings);
      return;
    case 'process':
      expandProcess(part.script, findings, walk);
      return;
    case 'arithmetic':
      expandArithmetic(part.arithmetic, findings, walk);
      return;
    case 'pattern':
    case 'braces':
      expandParts(part.parts, findings, walk);
      return;
    default:
      part satisfies never;
      doubt(findings);
  }
}

/** Bash does not wait for it; it matters only when it is still changing something. */
function expandProcess(script: ShellScript, findings: Findings, walk: WalkNested): void {
  const inner: Findings = { ...findings, isReadOnly: true };
  walk(script, inner);
  const { isReadOnly, isComplete, isDetached } = inner;
  findings.isReadOnly &&= isReadOnly;
  findings.isComplete &&= isComplete;
  findings.isDetached ||= isDetached || !isReadOnly;
}
