export { computePosture, type PostureOptions } from './compute-posture.ts';
export { AGENTIC_RISKS, type AgenticRisk } from './model/agentic-risks.ts';
export type { PostureFinding, PostureRate, PostureReport, PostureTrend } from './model/posture-report.ts';
export type { PostureRow } from './model/posture-row.ts';
export { SEVERITIES, type Severity } from './model/severity.ts';
export { type PostureJournal, readPostureJournal } from './read-posture-journal.ts';
export type { PosturePlace } from './reading/read-call.ts';
