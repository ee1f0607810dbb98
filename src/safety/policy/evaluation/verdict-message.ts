import { printable } from '../../../kernel/tool-call/index.ts';
import type { CommandFinding } from '../../../shell/index.ts';
import type { RuleSource } from '../conditions/compile-rule.ts';
import type { PolicyDecision } from '../rules/policy-rule.ts';

export interface MessageParts {
  /** What the rules say. */
  readonly decided: PolicyDecision;
  /** With nobody to ask, a question is a block. */
  readonly raw: PolicyDecision;
  readonly winner:
    | {
        readonly id: string;
        readonly source: RuleSource | 'engine';
        readonly why: string;
        readonly message: string;
      }
    | undefined;
  readonly finding: CommandFinding | undefined;
}

/** Why a call is refused or asked about and what to do instead; empty when it is allowed. */
export function messageFor({ decided, raw, winner, finding }: MessageParts): string {
  if (raw === 'allow') return '';
  const by = winner === undefined ? 'policy default' : `policy rule ${winner.id}`;
  const what = printable(finding?.evidence ?? winner?.why ?? 'no rule allows this call');
  const advice = winner?.message ?? '';
  const closing = closingOf(decided, raw, winner?.source);
  return [`${by}: ${what}`, advice, closing]
    .filter((part) => part !== '')
    .map(sentence)
    .join(' ');
}

function closingOf(
  decided: PolicyDecision,
  raw: PolicyDecision,
  source: RuleSource | 'engine' | undefined,
): string {
  if (raw === 'ask') return '';
  if (decided === 'ask') return 'A person would be asked, and nobody is there: it did not run';
  const lasting = source === 'floor' ? 'Nothing lifts this rule' : 'It did not run';
  return `${lasting}; the same in another spelling is refused too`;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
