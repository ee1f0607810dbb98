export { type PromptFacts, systemPrompt } from './system-prompt.ts';
