export type { Callback, CallbackOptions } from './callback.ts';
export { CallbackRegistry, callFields, type Transformed } from './callback-registry.ts';
