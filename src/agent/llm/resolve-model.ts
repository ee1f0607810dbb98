import { fail, type Result, succeed } from '../../kernel/errors/index.ts';
import type { Clock } from '../../platform/clock/index.ts';
import type { Fetch } from '../../platform/http/index.ts';
import type { ChatModel } from './chat-model.ts';
import { type EndpointErrorCode, findEndpoint } from './endpoint.ts';
import { readScript } from './model-script.ts';
import { type ModelSpec, type ReadSpec, readSpec, type SpecErrorCode } from './model-spec.ts';
import { ScriptedModel } from './scripted-model.ts';
import { SdkModel } from './sdk-model.ts';

/** What models are made with; nothing is taken from the process. */
export interface ModelDependencies {
  readonly environment: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** The text of a script; a relative path is the caller's to resolve. */
  readonly readScript: (path: string) => Promise<Result<string>>;
  readonly clock: Clock;
}

export type ResolveErrorCode = SpecErrorCode | EndpointErrorCode | 'bad_script';

/**
 * The model that a specification names. No request is made: what can be known before one (provider, address, key,
 * script) is settled here, and fails here.
 */
export async function resolveModel(
  spec: ModelSpec,
  dependencies: ModelDependencies,
): Promise<Result<ChatModel, ResolveErrorCode>> {
  const read = readSpec(spec);
  if (!read.ok) return read;
  const { provider } = read.value;
  if (provider === 'scripted') return resolveScripted(read.value, dependencies);
  const endpoint = findEndpoint({ ...read.value, provider }, dependencies.environment);
  if (!endpoint.ok) return endpoint;
  const { fetch, clock } = dependencies;
  return succeed(new SdkModel({ spec: read.value, endpoint: endpoint.value, fetch, clock }));
}

/** The model of `scripted:FILE` or `scripted:FILE#N`. */
export async function resolveScripted(
  { label, model, context_window }: ReadSpec,
  dependencies: Pick<ModelDependencies, 'readScript' | 'clock'>,
): Promise<Result<ScriptedModel, 'bad_script'>> {
  const [, path = model, start = '0'] = /^(.+)#(\d+)$/s.exec(model) ?? [];
  const text = await dependencies.readScript(path);
  if (!text.ok) return fail('bad_script', text.message, text.remedy);
  const script = readScript(text.value, path);
  if (!script.ok) return script;
  return ScriptedModel.create({
    script: script.value,
    label,
    clock: dependencies.clock,
    startAt: Number(start),
    contextWindow: context_window,
  });
}
