import { type Environment, freezeVariables } from './read-environment.ts';

/**
 * The variables in which the providers of models, and the program itself, look for credentials. A program that Herma
 * starts (a command, a hook script, an MCP server) does not see them unless it is told to.
 */
export const credentialNames: ReadonlySet<string> = new Set([
  'AI_GATEWAY_API_KEY',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'AWS_BEARER_TOKEN_BEDROCK',
  'AZURE_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'CEREBRAS_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'COHERE_API_KEY',
  'CO_API_KEY',
  'DASHSCOPE_API_KEY',
  'DEEPINFRA_API_KEY',
  'DEEPSEEK_API_KEY',
  'FIREWORKS_API_KEY',
  'GEMINI_API_KEY',
  'GLM_API_KEY',
  'GOOGLE_API_KEY',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GROQ_API_KEY',
  'HERMA_DATABASE_URL',
  'HF_TOKEN',
  'HUGGINGFACE_API_KEY',
  'HUGGING_FACE_HUB_TOKEN',
  'KIMI_API_KEY',
  'MINIMAX_API_KEY',
  'MISTRAL_API_KEY',
  'MOONSHOT_API_KEY',
  'NOUS_API_KEY',
  'NVIDIA_API_KEY',
  'OLLAMA_API_KEY',
  'OPENAI_ADMIN_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'PERPLEXITY_API_KEY',
  'REPLICATE_API_TOKEN',
  'TOGETHER_API_KEY',
  'VOYAGE_API_KEY',
  'XAI_API_KEY',
  'ZAI_API_KEY',
  'Z_AI_API_KEY',
]);

/**
 * `environment` without {@link credentialNames} and without `extraNames` (such as the one of `model.api_key_env`), but with
 * `allowedNames`, which win over both. Names are compared exactly; a credential under a name that nobody listed stays.
 */
export function credentialFreeEnvironment(
  environment: Environment,
  extraNames: Iterable<string> = [],
  allowedNames: Iterable<string> = [],
): Environment {
  const extra = new Set(extraNames);
  const allowed = new Set(allowedNames);
  const isKept = (name: string): boolean =>
    allowed.has(name) || !(credentialNames.has(name) || extra.has(name));
  return freezeVariables(Object.entries(environment).filter(([name]) => isKept(name)));
}
