export { type HookScript, writeHookScript } from './hook-script.ts';
export { callReply, type ScriptedReply, writeModelScript } from './model-script.ts';
export { createTemporaryHome, type TemporaryHome } from './temporary-home.ts';
