export type { Callback, CallbackOptions } from './callback.ts';
export { CallbackRegistry, callFields, type LazyPayload, type Transformed } from './callback-registry.ts';
export {
  AllowlistFile,
  type Approval,
  type ConsentCheck,
  type ConsentLine,
  type ConsentPrompt,
  type ConsentQuestion,
  type ConsentSubject,
  consentStatus,
  describeConsent,
  type ExaminedCommand,
  examineCommand,
  type FirstUse,
  type FirstUseHatches,
  HookConsent,
  type HookConsentOptions,
  refusalForModel,
  relativeScript,
} from './consent/index.ts';
export { OutboundHooks, outboundLabel, signingKey } from './outbound/index.ts';
export { commandWords } from './shell/command-words.ts';
export { consultShellHook, type HookRun } from './shell/consult-shell-hook.ts';
export { type HookDocument, hookDocument, hookPayload } from './shell/hook-payload.ts';
export { compileMatcher, type ToolMatcher } from './shell/matcher/compile-matcher.ts';
export type { HookAnswer } from './shell/read-answer.ts';
export { registerShellHooks } from './shell/register-shell-hooks.ts';
export { failsClosed, type ShellHook } from './shell/shell-hook.ts';
export type { HookInvocation, HookPermission, ShellHookPorts } from './shell/shell-hook-ports.ts';
