import type { Redactor } from '../kernel/redact/index.ts';
import { describeCall, isRecorded, type ToolCall } from '../kernel/tool-call/index.ts';
import { ABSTAIN, type CallGuard } from '../kernel/verdict/index.ts';
import { statPath } from '../platform/files/index.ts';
import { resolvePath, userHome } from '../platform/paths/index.ts';
import type { PolicyEngine, PolicyRecord, PolicyStore } from '../safety/policy/index.ts';
import type { LedgerKeeper } from './ledger-keeper.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export interface PolicyKeeperParts {
  readonly options: RuntimeOptions;
  readonly redactor: Redactor;
  readonly ledger: LedgerKeeper;
}

/** The policy of this installation, loaded with the first call it judges. */
export interface OpenPolicy {
  readonly engine: PolicyEngine;
  readonly store: PolicyStore;
}

/** Characters of a call that the record of a decision shows. */
const SUBJECT_CHARS = 500;
/** Longer than the guard inside may take. */
const TIME_LIMIT_MS = 15_000;

/** Opens the policy when the first call has to be judged, and writes its decisions into the journal. */
export class PolicyKeeper {
  readonly #parts: PolicyKeeperParts;
  #opening: Promise<OpenPolicy> | undefined;
  #guard: Promise<CallGuard> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: PolicyKeeperParts) {
    this.#parts = parts;
  }

  /** The policy as a guard of the gate: its floors hold in every mode. Fails closed: a policy that cannot be loaded blocks. */
  guard(): CallGuard {
    return {
      name: 'policy',
      onFailure: 'block',
      timeLimitMs: TIME_LIMIT_MS,
      recheck: true,
      consult: async (call, options) => {
        if (await this.#hasNothingToSay(call)) return { verdict: ABSTAIN };
        this.#guard ??= this.#makeGuard();
        const guard = this.#guard;
        // In the order of the calls: what one did counts for the next, and a person is asked about them in that order.
        const answer = this.#last.then(async () => (await guard).consult(call, options));
        this.#last = answer.catch(() => undefined);
        return answer;
      },
    };
  }

  async policy(): Promise<OpenPolicy> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Without rules in force only the floors hold, and they are about what has an effect: a read then need not wait for the rules to load. */
  async #hasNothingToSay(call: ToolCall): Promise<boolean> {
    if (isRecorded(call)) return false;
    const mode = await statPath(this.#parts.options.paths.policyMode);
    return mode.ok && mode.value === undefined;
  }

  async #makeGuard(): Promise<CallGuard> {
    const { policyGuard } = await import('../safety/policy/index.ts');
    const { engine } = await this.policy();
    return policyGuard(engine, { isUnattended: (call) => this.#isUnattended(call) });
  }

  /** Another agent's own person can always be asked. */
  #isUnattended({ origin }: ToolCall): boolean {
    return origin.kind === 'herma' && this.#parts.options.approve === undefined;
  }

  async #open(): Promise<OpenPolicy> {
    const {
      createPolicyEngine,
      PolicyStore: Store,
      sessionFiles,
    } = await import('../safety/policy/index.ts');
    const { paths, clock, config, environment } = this.#parts.options;
    const store = new Store(paths);
    const engine = await createPolicyEngine({
      current: async () => store.current(),
      clock,
      place: { home: userHome(environment), hermaHome: paths.home },
      floors: config.policy.floors,
      sessions: sessionFiles(resolvePath(paths.run, 'policy'), clock),
      record: async (decision) => this.#record(decision),
    });
    return { engine, store };
  }

  async #record({ call, verdict, recheck }: PolicyRecord): Promise<void> {
    const { options, ledger, redactor } = this.#parts;
    if (recheck || !options.config.ledger.enabled) return;
    const { recordDecision } = await import('../safety/ledger/index.ts');
    const { ledger: open } = await ledger.journal();
    const recorded = await recordDecision(
      open,
      {
        call,
        mode: verdict.mode,
        raw: verdict.raw,
        effective: verdict.effective,
        rule: verdict.rule ?? '',
        class: verdict.class,
        severity: verdict.severity,
        subject: redactor.redactAndCut(describeCall(call, 2000), SUBJECT_CHARS),
      },
      new Date(options.clock.now()).toISOString(),
    );
    if (!recorded.ok) throw new Error(recorded.message);
  }
}
