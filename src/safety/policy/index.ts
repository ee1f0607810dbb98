export type { RuleSource } from './conditions/compile-rule.ts';
export { loadPolicy, type PolicyLoad, type RuleTestResult } from './conditions/load-policy.ts';
export {
  type CheckOptions,
  createPolicyEngine,
  type ListedRule,
  type PolicyEngine,
  type PolicyEngineOptions,
  type PolicyEvaluation,
  type PolicyRecord,
  type PolicySituation,
} from './engine/policy-engine.ts';
export { type PolicyGuardOptions, policyGuard } from './engine/policy-guard.ts';
export {
  POLICY_MODES,
  type PolicyCandidate,
  type PolicyMode,
  type PolicyVerdict,
} from './evaluation/policy-verdict.ts';
export { COMMAND_TOOLS, type CommandTool } from './facts/command-of-call.ts';
export type { CommandAnalyser, PolicyCall } from './facts/policy-call.ts';
export { type SessionMemory, sessionFiles } from './memory/session-files.ts';
export {
  type PolicyReport,
  policyReport,
  type RecordedDecision,
  type ReportedRule,
  type ReportedText,
} from './report/policy-report.ts';
export type { PolicyProblem } from './rules/fields.ts';
export type { PolicyDecision, PolicyRule, PolicySeverity } from './rules/policy-rule.ts';
export { describeProblems } from './rules/read-policy.ts';
export { type PolicyInit, type PolicyState, PolicyStore } from './store/policy-store.ts';
