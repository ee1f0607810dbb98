import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../../kernel/json/index.ts';

/** What one JSON object says about a call. Everything that speaks is kept; the strictest wins later. */
export interface ObjectReading {
  /** It blocks; the message is undefined where the default applies. */
  readonly block?: { readonly message: string | undefined };
  readonly ask?: { readonly message: string | undefined; readonly ruleKey: string | undefined };
  /** Changes to the arguments; never empty. */
  readonly args?: JsonObject;
  readonly context?: string;
  /** What it says that is not understood, in words. */
  readonly problem?: {
    readonly text: string;
    /** It looks like a refusal, or like another verdict: worth a warning whatever the mode. */
    readonly isVerdictLike: boolean;
  };
}

type Verb = 'block' | 'ask' | 'modify' | 'allow' | 'unknown';

/** Keys under which a verdict stands, with the keys of its message: the first that holds something is taken. */
const VERB_KEYS: readonly { readonly key: string; readonly messages: readonly string[] }[] = [
  { key: 'action', messages: ['message', 'reason'] },
  { key: 'decision', messages: ['reason', 'message'] },
  { key: 'permissionDecision', messages: ['permissionDecisionReason', 'reason', 'message'] },
];

/** Keys that say nothing about the call. */
const SILENT_KEYS: ReadonlySet<string> = new Set([
  'additionalContext',
  'context',
  'continue',
  'hookEventName',
  'hookSpecificOutput',
  'suppressOutput',
  'systemMessage',
]);

/** An answer of Claude's dialect is nested one level. */
function layersOf(object: JsonObject): readonly JsonObject[] {
  const nested = getOwn(object, 'hookSpecificOutput');
  return nested !== undefined && isJsonObject(nested) ? [object, nested] : [object];
}

/** Reads an object in all dialects at once: `action`, `decision`, and Claude's `hookSpecificOutput`. */
export function readObject(object: JsonObject): ObjectReading {
  const layers = layersOf(object);
  const spoken = layers.flatMap((layer) => verbsOf(layer));
  const block = spoken.find(({ verb }) => verb === 'block') ?? stopOf(object);
  const ask = spoken.find(({ verb }) => verb === 'ask');
  const changes = argsOf(layers, spoken);
  const context = contextOf(layers);
  const problem = problemOf(layers, spoken, changes);
  return {
    ...(block === undefined ? {} : { block: { message: block.message } }),
    ...(ask === undefined ? {} : { ask: { message: ask.message, ruleKey: ruleKeyOf(layers) } }),
    ...(changes === undefined || changes === 'unusable' ? {} : { args: changes }),
    ...(context === undefined ? {} : { context }),
    ...(problem === undefined || block !== undefined ? {} : { problem }),
  };
}

interface SpokenVerb {
  readonly verb: Verb;
  /** As it was written. */
  readonly given: JsonValue;
  readonly message: string | undefined;
}

function verbsOf(layer: JsonObject): readonly SpokenVerb[] {
  return VERB_KEYS.flatMap(({ key, messages }) => {
    const given = getOwn(layer, key);
    if (isFalsy(given)) return [];
    return [{ verb: verbOf(key, given), given, message: messageOf(layer, messages) }];
  });
}

function verbOf(key: string, given: JsonValue): Verb {
  switch (typeof given === 'string' ? given.trim().toLowerCase() : '') {
    case 'block':
    case 'deny':
      return 'block';
    case 'ask':
      return 'ask';
    case 'modify':
      return 'modify';
    case 'allow':
      return 'allow';
    case 'approve':
      // Asks a person in one dialect; in the other it is a yes, which no guard can give.
      return key === 'action' ? 'ask' : 'allow';
    default:
      return 'unknown';
  }
}

/** `{"continue": false}` stops the whole agent in Claude's dialect; here it stops the call. */
function stopOf(object: JsonObject): { readonly message: string | undefined } | undefined {
  if (getOwn(object, 'continue') !== false) return undefined;
  return { message: messageOf(object, ['stopReason', 'reason', 'message']) };
}

/** The first message that holds something; something that is no text stands for the default. */
function messageOf(layer: JsonObject, keys: readonly string[]): string | undefined {
  const given = keys.map((key) => getOwn(layer, key)).find((value) => !isFalsy(value));
  return typeof given === 'string' ? given : undefined;
}

function isFalsy(value: JsonValue | undefined): value is undefined {
  if (value === undefined || value === null || value === false || value === 0) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function ruleKeyOf(layers: readonly JsonObject[]): string | undefined {
  const keys = layers.map((layer) => getOwn(layer, 'rule_key'));
  return keys.find((key): key is string => typeof key === 'string' && key.trim() !== '')?.trim();
}

/** `unusable` where it wants to change the arguments and does not say into what. */
function argsOf(
  layers: readonly JsonObject[],
  spoken: readonly SpokenVerb[],
): JsonObject | 'unusable' | undefined {
  const isModify = spoken.some(({ verb }) => verb === 'modify');
  const keys = isModify ? ['updatedInput', 'args', 'tool_input'] : ['updatedInput'];
  const given = layers
    .flatMap((layer) => keys.map((key) => getOwn(layer, key)))
    .filter((value) => value !== undefined);
  const usable = given.find((value) => isJsonObject(value));
  if (usable !== undefined) return Object.keys(usable).length === 0 ? undefined : usable;
  return isModify || given.length > 0 ? 'unusable' : undefined;
}

function contextOf(layers: readonly JsonObject[]): string | undefined {
  const texts = layers.flatMap((layer) => [getOwn(layer, 'context'), getOwn(layer, 'additionalContext')]);
  return texts.find((text): text is string => typeof text === 'string' && text.trim() !== '');
}

function problemOf(
  layers: readonly JsonObject[],
  spoken: readonly SpokenVerb[],
  changes: JsonObject | 'unusable' | undefined,
): ObjectReading['problem'] {
  const unknown = spoken.find(({ verb }) => verb === 'unknown');
  if (unknown !== undefined) return verdictLike(`answered ${shown(unknown.given)}, which is no verdict`);
  if (changes === 'unusable') return verdictLike('wants other arguments and gives no object of them');
  const members = layers.flatMap((layer) => Object.entries(layer));
  const refusal = members.find(([key, value]) => isRefusal(key, value));
  if (refusal !== undefined)
    return verdictLike(`answered ${shown({ [refusal[0]]: refusal[1] })}, which is no verdict`);
  if (spoken.length > 0 || changes !== undefined) return undefined;
  const stranger = members.find(([key]) => !SILENT_KEYS.has(key));
  if (stranger === undefined) return undefined;
  return { text: `answered an object with "${stranger[0]}" and no verdict`, isVerdictLike: false };
}

function verdictLike(text: string): ObjectReading['problem'] {
  return { text, isVerdictLike: true };
}

const YES_KEYS = /^(?:allow(?:ed)?|approved?|permit(?:ted)?|ok|proceed|safe|success)$/;
const NO_KEYS = /^(?:block(?:ed)?|den(?:y|ied)|reject(?:ed)?|refused?|forbid(?:den)?)$/;
const WORD_KEYS =
  /^(?:action|behaviou?r|decision|outcome|permission|permissiondecision|response|result|status|verdict)$/;
const NO_WORDS = /^\W*(?:abort|block|den(?:y|ied)|disallow|forbid|halt|refus|reject|stop)/i;

/** Whether a member looks like a refusal that somebody wrote under a key, or in a spelling, of their own. */
function isRefusal(givenKey: string, value: JsonValue): boolean {
  if (VERB_KEYS.some(({ key }) => key === givenKey)) return false;
  const key = givenKey.toLowerCase().replaceAll(/[_-]/g, '');
  if (YES_KEYS.test(key)) return value === false || value === 'false' || value === 'no';
  if (NO_KEYS.test(key)) return !isFalsy(value) && value !== 'false' && value !== 'no';
  return WORD_KEYS.test(key) && typeof value === 'string' && NO_WORDS.test(value);
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
