import { getOwn, isJsonObject, type JsonValue, parseJson } from '../../kernel/json/index.ts';
import { describeHttpError, displayUrl } from '../../platform/http/index.ts';
import { type Endpoint, findEndpoint } from './endpoint.ts';
import { listIn } from './json-list.ts';
import { failureOfProviderError } from './model-failure.ts';
import { type ModelSpec, type ReadSpec, readSpec } from './model-spec.ts';
import { findProviderError } from './provider-error.ts';
import { createOrigin, type RequestOrigin } from './request-origin.ts';
import { type ModelDependencies, resolveScripted } from './resolve-model.ts';

/** Whether a model can be asked, as far as that is known without asking it. */
export interface ModelProbe {
  /** `misconfigured`: no request could be made. */
  readonly status: 'reachable' | 'unauthorized' | 'unreachable' | 'misconfigured';
  /** One line. */
  readonly message: string;
  readonly remedy?: string;
}

/** How long a server may take to list its models, in milliseconds. */
const TIME_LIMIT_MS = 3_000;

/**
 * Asks the server of a model for its list of models. A server that has no such list (404, 405) is reachable; one that
 * answers with a web page is not what the address promises. For a script: whether it can be read.
 */
export async function probeModel(
  spec: ModelSpec,
  dependencies: ModelDependencies,
  signal?: AbortSignal,
): Promise<ModelProbe> {
  const read = readSpec(spec);
  if (!read.ok) return misconfigured(read);
  const { provider } = read.value;
  if (provider === 'scripted') return probeScript(read.value, dependencies);
  const endpoint = findEndpoint({ ...read.value, provider }, dependencies.environment);
  if (!endpoint.ok) return misconfigured(endpoint);
  return probeEndpoint(read.value, endpoint.value, dependencies, signal);
}

async function probeScript(spec: ReadSpec, dependencies: ModelDependencies): Promise<ModelProbe> {
  const scripted = await resolveScripted(spec, dependencies);
  if (!scripted.ok) return misconfigured(scripted);
  const count = scripted.value.remaining().length;
  return { status: 'reachable', message: `${spec.label} has ${count} steps to play.` };
}

async function probeEndpoint(
  spec: ReadSpec,
  endpoint: Endpoint,
  { fetch, clock }: ModelDependencies,
  signal: AbortSignal | undefined,
): Promise<ModelProbe> {
  const origin = createOrigin(spec, endpoint);
  const { provider, baseUrl, apiKey } = endpoint;
  const limit = new AbortController();
  const cancelTimer = clock.startTimer(TIME_LIMIT_MS, () =>
    limit.abort(new DOMException('too slow', 'TimeoutError')),
  );
  const url = `${baseUrl}/models`;
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...(apiKey === undefined ? {} : provider.keyHeaders(apiKey)) },
      signal: signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]),
    });
    return readAnswer(response, await response.text(), origin);
  } catch (error) {
    const { code, message } = describeHttpError(error, url);
    const sentence =
      code === 'timeout' ? `${displayUrl(url)} did not answer within ${TIME_LIMIT_MS / 1000} s` : message;
    return { status: 'unreachable', message: `${origin.excerpt(sentence)}.`, remedy: origin.startHint };
  } finally {
    cancelTimer();
  }
}

function readAnswer(response: Response, text: string, origin: RequestOrigin): ModelProbe {
  const { status, headers } = response;
  const contentType = headers.get('content-type')?.split(';', 1)[0] ?? 'nothing';
  const parsed = parseJson(text);
  const answer = parsed.ok ? parsed.value : null;
  if (status !== 404 && status !== 405 && !response.ok) {
    const error = findProviderError(answer) ?? {
      message: contentType.includes('html') ? '' : text,
      kind: '',
    };
    const { code, message, remedy } = failureOfProviderError(error, origin, { status });
    const verdict = code === 'unauthorized' ? 'unauthorized' : 'unreachable';
    return { status: verdict, message, ...(remedy === undefined ? {} : { remedy }) };
  }
  if (contentType.includes('html'))
    return {
      status: 'unreachable',
      message: `${displayUrl(response.url)} answered with ${contentType} (${status}).`,
      remedy: `Is the base URL ${origin.baseUrl} right? It should end in ${origin.pathSuffix}.`,
    };
  const known = modelsIn(answer);
  if (known.length === 0 || known.includes(origin.model))
    return { status: 'reachable', message: `${origin.baseUrl} answers (${status}).` };
  return {
    status: 'reachable',
    message: `${origin.baseUrl} answers, and does not list the model "${origin.model}".`,
    remedy: `It lists ${known.slice(0, 5).join(', ')}${known.length > 5 ? ` and ${known.length - 5} more` : ''}.`,
  };
}

/** Names in `{data: [{id}]}` (OpenAI, Anthropic) or `{models: [{name: "models/…"}]}` (Google). */
function modelsIn(answer: JsonValue): readonly string[] {
  if (!isJsonObject(answer)) return [];
  const list = listIn(getOwn(answer, 'data') ?? getOwn(answer, 'models')) ?? [];
  return list.flatMap((item) => {
    const name = isJsonObject(item) ? (getOwn(item, 'id') ?? getOwn(item, 'name')) : undefined;
    return typeof name === 'string' ? [name.replace(/^models\//, '')] : [];
  });
}

function misconfigured({
  message,
  remedy,
}: {
  readonly message: string;
  readonly remedy?: string;
}): ModelProbe {
  return { status: 'misconfigured', message, ...(remedy === undefined ? {} : { remedy }) };
}
