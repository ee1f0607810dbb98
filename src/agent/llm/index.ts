export type {
  ChatModel,
  ModelErrorCode,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  TokenUsage,
} from './chat-model.ts';
export { estimateTokens } from './estimate-tokens.ts';
export { type ModelScript, readScript } from './model-script.ts';
export { type ModelSettings, type ModelSpec, PROVIDER_NAMES, type ProviderName } from './model-spec.ts';
export { type ModelProbe, probeModel } from './probe-model.ts';
export { type ModelDependencies, type ResolveErrorCode, resolveModel } from './resolve-model.ts';
export { ScriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
export {
  type AttemptInfo,
  type AttemptObserver,
  type RetriedModelEvent,
  type Retry,
  type RetryOptions,
  streamWithRetry,
} from './stream-with-retry.ts';
