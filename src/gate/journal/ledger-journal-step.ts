import { isRecorded, type ToolCall } from '../../kernel/tool-call/index.ts';
import { currentProcessIdentity, type ProcessIdentity } from '../../platform/process/index.ts';
import type { Foreseen, Intent, Ledger } from '../../safety/ledger/index.ts';
import type { EndedCall } from '../observers.ts';
import type { JournalContext, Journalled, JournalStep, NotRun } from './journal-step.ts';
import { outcomeOf } from './outcome-of.ts';

export interface LedgerJournalParts {
  readonly ledger: Ledger;
  /** What is known beforehand of what a call changes. */
  readonly foresee: (call: ToolCall) => Promise<Foreseen | undefined>;
  /** The class of a shell command; undefined for other calls. */
  readonly classOf: (call: ToolCall) => Promise<string | undefined>;
  /** Whether repeating the call does no harm. */
  readonly isRepeatable: (call: ToolCall) => Promise<boolean>;
  readonly onFailure: 'block' | 'warn';
  /** From this equal call on, when the effects of the earlier ones are not known, it is stopped; 0 for never. */
  readonly retryLimit: number;
  /** How long a call of a tool may stay open before it counts as lost, in milliseconds. */
  readonly graceMsOf: (tool: string) => number;
}

/** The journal step of a gate on a journal. */
export function ledgerJournalStep(parts: LedgerJournalParts): JournalStep {
  return new LedgerJournalStep(parts);
}

class LedgerJournalStep implements JournalStep {
  readonly #parts: LedgerJournalParts;

  constructor(parts: LedgerJournalParts) {
    this.#parts = parts;
  }

  async before(call: ToolCall, context: JournalContext): Promise<Journalled> {
    const { continues, awaitsApproval } = context;
    if (continues !== undefined && !awaitsApproval) return this.#goOn(continues, call);
    // Asked about once more, it still waits in its row.
    if (continues !== undefined && continues !== '')
      return { type: 'journalled', entry: continues, warnings: [] };
    if (!isRecorded(call)) return { type: 'journalled', entry: '', warnings: [] };
    const repeated = await this.#tooOften(call);
    if (repeated !== undefined) return { type: 'blocked', message: repeated, warnings: [] };
    const issued = await this.#parts.ledger.issue(await this.#intentOf(call, context));
    if (issued.ok) return { type: 'journalled', entry: String(issued.value), warnings: [] };
    return this.#unrecorded(call, issued.message);
  }

  async after(entry: string, ended: EndedCall): Promise<readonly string[]> {
    if (entry === '') return [];
    const settled = await this.#parts.ledger.settle(Number(entry), outcomeOf(ended), ended.call);
    if (!settled.ok) return [`How this call ended could not be journalled: ${settled.message}`];
    if (settled.value.type === 'spooled')
      return [`How this call ended will be journalled later: ${settled.value.message}`];
    return [];
  }

  async refused(
    call: ToolCall,
    { by, message }: NotRun,
    { verdicts, entry = '' }: Pick<JournalContext, 'verdicts'> & { readonly entry?: string },
  ): Promise<readonly string[]> {
    const { ledger } = this.#parts;
    // A read that was cancelled is nothing to keep; one that was stopped is.
    if (by === undefined && !isRecorded(call)) return [];
    const why = by === undefined ? { message } : { by, message };
    const noted =
      entry === ''
        ? await ledger.refuse({ ...this.#baseOf(call), verdicts }, why)
        : await ledger.withdraw(Number(entry), why, call);
    return noted.ok ? [] : [`That this call was stopped could not be journalled: ${noted.message}`];
  }

  async #goOn(entry: string, call: ToolCall): Promise<Journalled> {
    if (entry === '') return { type: 'journalled', entry, warnings: [] };
    const approved = await this.#parts.ledger.approve(Number(entry), call);
    if (approved.ok) return { type: 'journalled', entry, warnings: [] };
    // The row is there, and open: that it was approved is all that is missing.
    return {
      type: 'journalled',
      entry,
      warnings: [`The approval could not be journalled: ${approved.message}`],
    };
  }

  async #tooOften(call: ToolCall): Promise<string | undefined> {
    const { ledger, retryLimit, isRepeatable } = this.#parts;
    if (retryLimit === 0) return undefined;
    const earlier = await ledger.unknownRepeats(call);
    // A journal that cannot be read is said to be when the row is written.
    if (!earlier.ok || earlier.value === 0 || earlier.value + 1 < retryLimit) return undefined;
    if (await isRepeatable(call)) return undefined;
    return [
      `this is equal call number ${String(earlier.value + 1)}, and nobody knows what the earlier ones did.`,
      'Look at the real state first; do not repeat it.',
      `A person can allow it with \`herma ledger ack\`, or change ledger.retry_limit (${String(retryLimit)}).`,
    ].join(' ');
  }

  #unrecorded(call: ToolCall, problem: string): Journalled {
    if (call.effect !== 'none' && this.#parts.onFailure === 'block')
      return {
        type: 'blocked',
        message: `a call that cannot be journalled does not run: ${problem}`,
        warnings: [],
      };
    return {
      type: 'journalled',
      entry: '',
      warnings: [`This call is not in the journal: ${problem}`],
    };
  }

  async #intentOf(
    call: ToolCall,
    { checkpoint, verdicts, awaitsApproval, owner }: JournalContext,
  ): Promise<Intent> {
    const { foresee, classOf } = this.#parts;
    const [foreseen, commandClass] = [await foresee(call), await classOf(call)];
    return {
      ...this.#baseOf(call, owner),
      checkpoint,
      verdicts,
      awaitingApproval: awaitsApproval,
      foreseen,
      commandClass,
    };
  }

  /** A call of our own is kept alive by this process; one of another agent has its process, which gives no sign of life. */
  #baseOf(call: ToolCall, owner?: ProcessIdentity): Pick<Intent, 'call' | 'owner' | 'isOwn' | 'graceMs'> {
    const isOwn = call.origin.kind === 'herma';
    return {
      call,
      owner: isOwn ? currentProcessIdentity() : owner,
      isOwn,
      graceMs: this.#parts.graceMsOf(call.tool),
    };
  }
}
