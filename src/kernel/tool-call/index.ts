export { describeCall, printable } from './describe-call.ts';
export { EFFECTS, type Effect, isEffect } from './effect.ts';
export { isRecorded } from './is-recorded.ts';
export { type CallIds, type CallOrigin, fingerprintOfCall, type ToolCall } from './tool-call.ts';
export { effectOfCall, type ForeseenChange, pathsOfCall, type ToolDeclaration } from './tool-declaration.ts';
