import { messageOf } from '../../../kernel/errors/index.ts';
import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import type { Clock } from '../../../platform/clock/index.ts';
import { projectRoot } from '../../../platform/paths/index.ts';
import { analyseCommand, type CommandPlace } from '../../../shell/index.ts';
import type { CompiledRule } from '../conditions/compile-rule.ts';
import { compileRules, type RuleTestResult, runRuleTests } from '../conditions/load-policy.ts';
import { type Judgement, judgeCall } from '../evaluation/judge-call.ts';
import type { PolicyMode, PolicyVerdict } from '../evaluation/policy-verdict.ts';
import { type CallFacts, factsOf } from '../facts/call-facts.ts';
import { COMMAND_TOOLS, type CommandTool } from '../facts/command-of-call.ts';
import { linkFollower } from '../facts/follow-links.ts';
import type { CommandAnalyser, PolicyCall } from '../facts/policy-call.ts';
import { readScriptFile } from '../facts/read-script.ts';
import type { SessionMemory } from '../memory/session-files.ts';
import { type CallPlace, SessionTaint } from '../memory/session-taint.ts';
import { floorRules } from '../rules/builtin-rules.ts';
import type { PolicyState } from '../store/policy-store.ts';

/** A decision worth writing down: a call that is refused or asked about, or would be in `enforce`. */
export interface PolicyRecord {
  readonly call: ToolCall;
  readonly verdict: PolicyVerdict;
  /** Whether it is a second look at a call whose arguments were rewritten. */
  readonly recheck: boolean;
}

export interface PolicyEngineOptions {
  /** By default that of `src/shell`. */
  readonly analyse?: CommandAnalyser;
  /** The policy in force; asked before every call. */
  readonly current: () => Promise<PolicyState>;
  readonly clock: Clock;
  readonly place: {
    /** What `~` stands for; absolute. */
    readonly home: string;
    /** Herma's own directory; absolute. */
    readonly hermaHome: string;
    /** What the agent works on when it is in a folder (absolute); by default the root of the project. */
    readonly workspaceOf?: (cwd: string) => string;
  } & Pick<CommandPlace, 'realPath' | 'readScript'>;
  /** `false` lifts all floors but the one that keeps the agent from changing Herma; for containers that are thrown away. */
  readonly floors?: boolean;
  /** By default {@link COMMAND_TOOLS}. */
  readonly commandTools?: readonly CommandTool[];
  /**
   * Milliseconds that the rules may take for one call, 50 by default; what is not looked at by then is a question. It counts when it
   * happens twice in a row.
   */
  readonly budgetMs?: number;
  /** Where sessions are remembered from one process to the next; by default only in this one. */
  readonly sessions?: SessionMemory;
  /** Told of every decision worth writing down; a failure is a warning and changes nothing. */
  readonly record?: (decision: PolicyRecord) => Promise<void> | void;
}

export interface PolicySituation {
  /** Whether nobody can be asked. */
  readonly unattended: boolean;
  readonly recheck?: boolean;
}

export interface PolicyEvaluation {
  readonly verdict: PolicyVerdict;
  /** For the person, one line each: what is wrong with the policy, once for every change of it, and decisions not recorded. */
  readonly warnings: readonly string[];
}

export interface CheckOptions {
  readonly unattended: boolean;
  /** Judge as if this mode were set. */
  readonly mode?: PolicyMode;
}

export interface ListedRule extends Pick<CompiledRule, 'rule' | 'source'> {
  /** Whether it is looked at in the mode that is set. */
  readonly isActive: boolean;
}

/** Judges calls by the policy in force. Has no timers and no open files: it needs no closing. */
export interface PolicyEngine {
  /** Judges a call that is about to run, and remembers it unless it is refused. */
  evaluate(call: ToolCall, situation: PolicySituation): Promise<PolicyEvaluation>;
  /** Judges a call that is not going to run: nothing is remembered, nothing recorded, no earlier call counts. */
  check(call: PolicyCall, options: CheckOptions): Promise<PolicyVerdict>;
  /** Every rule in force: the floors, the built-in ones, those of the file. */
  rules(): Promise<readonly ListedRule[]>;
  /** Runs the tests of every rule. */
  testRules(): Promise<readonly RuleTestResult[]>;
}

const BUDGET_MS = 50;

export async function createPolicyEngine(options: PolicyEngineOptions): Promise<PolicyEngine> {
  const floors = await compileRules(floorRules({ disasters: options.floors !== false }), 'floor');
  const memory = new SessionTaint();
  const judge = createJudge(options, floors.rules);
  let warnedOf: readonly string[] = [];

  return {
    evaluate: async (call, { unattended, recheck = false }) => {
      const state = await options.current();
      const warnings = state.mode === 'off' || state.warnings === warnedOf ? [] : state.warnings;
      warnedOf = state.warnings;
      const place = placeInSession(call, options.clock);
      // Without rules in force nothing looks back.
      const sessions = state.mode === 'off' ? undefined : options.sessions;
      if (sessions !== undefined) memory.recall(place.lineage, await sessions.load(place.lineage));
      const { judgement, facts } = judge(call, { state, unattended, memory, place });
      const { verdict, marks } = judgement;
      const isRemembered = facts !== undefined && verdict.effective !== 'block';
      if (isRemembered) memory.record(place, facts, marks);
      const unsaved = isRemembered
        ? await sessions?.save(place.lineage, memory.recordOf(place.lineage))
        : undefined;
      const unrecorded =
        verdict.raw === 'allow' ? undefined : await recordDecision({ call, verdict, recheck }, options);
      return {
        verdict,
        warnings: [...warnings, ...[unsaved, unrecorded].filter((line) => line !== undefined)],
      };
    },
    check: async (call, { unattended, mode }) => {
      const state = await options.current();
      const place = { lineage: '', key: '', nowMs: 0 };
      const asked = mode === undefined ? state : { ...state, mode };
      return judge(call, { state: asked, unattended, memory: new SessionTaint(), place }).judgement.verdict;
    },
    rules: async () => {
      const { policy, mode } = await options.current();
      const listed =
        (isActive: boolean) =>
        ({ rule, source }: CompiledRule): ListedRule => ({ rule, source, isActive });
      return [...floors.rules.map(listed(true)), ...policy.rules.map(listed(mode !== 'off'))];
    },
    testRules: async () => {
      const { policy } = await options.current();
      return [...floors.rules, ...policy.rules].flatMap((rule) =>
        runRuleTests(rule, options.analyse ?? analyseCommand),
      );
    },
  };
}

interface JudgeInput {
  readonly state: PolicyState;
  readonly unattended: boolean;
  readonly memory: SessionTaint;
  readonly place: CallPlace;
}

interface Judged {
  readonly judgement: Judgement;
  /** Undefined when the call could not even be read. */
  readonly facts: CallFacts | undefined;
}

type Judge = (call: PolicyCall, input: JudgeInput) => Judged;

function createJudge(options: PolicyEngineOptions, floors: readonly CompiledRule[]): Judge {
  const { analyse = analyseCommand, clock, commandTools = COMMAND_TOOLS, budgetMs = BUDGET_MS } = options;
  const { home, hermaHome, workspaceOf = projectRoot, realPath, readScript = readScriptFile } = options.place;
  const judgeOnce = (call: PolicyCall, { state, unattended, memory, place }: JudgeInput): Judged => {
    const follow = realPath ?? linkFollower();
    // Everything a call names is followed too: both have to be names of the same kind.
    const where = {
      home: follow(home),
      hermaHome: follow(hermaHome),
      workspace: follow(workspaceOf(call.cwd)),
      realPath: follow,
      readScript,
    };
    const facts = factsOf(call, { analyse, commandTools, place: where, unattended });
    const startMs = clock.monotonicMs();
    const msLeft = (): number => startMs + budgetMs - clock.monotonicMs();
    const { policy, mode } = state;
    return {
      facts,
      judgement: judgeCall(facts, memory.view(place), { policy, floors, mode, unattended, msLeft }),
    };
  };
  return (call, input) => {
    try {
      const first = judgeOnce(call, input);
      // A machine that was busy for a moment is no danger in the call.
      return first.judgement.isLate ? judgeOnce(call, input) : first;
    } catch (error) {
      return { facts: undefined, judgement: failedJudgement(messageOf(error), input) };
    }
  };
}

/** In every mode: where the call could not be read, the floors could not be looked at either. */
function failedJudgement(reason: string, { state, unattended }: JudgeInput): Judgement {
  const decision = unattended ? 'block' : 'ask';
  const why = `judging the call failed: ${reason}`;
  const verdict: PolicyVerdict = {
    mode: state.mode,
    raw: decision,
    effective: decision,
    rule: 'cannot-judge',
    source: 'engine',
    severity: 'medium',
    class: undefined,
    resolved: undefined,
    message: `policy rule cannot-judge: ${why}. Write the call simpler.`,
    candidates: [
      { rule: 'cannot-judge', source: 'engine', decision: 'ask', severity: 'medium', state: 'match', why },
    ],
    unattended,
  };
  return { verdict, marks: { after: [], counted: [] }, isLate: false };
}

function placeInSession(call: ToolCall, clock: Clock): CallPlace {
  return {
    lineage: call.rootSessionId,
    key: JSON.stringify([call.turnId, call.ordinal, call.callId]),
    nowMs: clock.monotonicMs(),
  };
}

/** Says why it did not work; undefined when it did. */
async function recordDecision(
  decision: PolicyRecord,
  { record }: PolicyEngineOptions,
): Promise<string | undefined> {
  try {
    await record?.(decision);
    return undefined;
  } catch (error) {
    return `a decision of the policy was not recorded: ${messageOf(error)}`;
  }
}
