import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { describeHttpError, postOnce } from '../../../platform/http/index.ts';
import type { VerbContext } from '../verb.ts';

/** The only variables of the environment that a report is sent with. */
const TELEGRAM_VARIABLES = {
  token: 'POSTURE_TELEGRAM_BOT_TOKEN',
  chat: 'POSTURE_TELEGRAM_CHAT_ID',
  base: 'POSTURE_TELEGRAM_API_BASE',
} as const;

/** Where a report goes. The path of both may be a secret: it is never shown. */
export type ReportTarget =
  | { readonly kind: 'telegram'; readonly url: string; readonly chat: string }
  | { readonly kind: 'webhook'; readonly url: string };

type Sending = Pick<VerbContext, 'clock' | 'signal'>;

const DEFAULT_BASE = 'https://api.telegram.org';
const TOKEN = /^[\w-]+:[\w-]+$/;
const TIMEOUT_MS = 30_000;

/** The webhook that is given, else the chat that the environment names. Fails, without a secret in the message, when that is no target. */
export function reportTarget(
  webhook: string | undefined,
  environment: VerbContext['environment'],
): Result<ReportTarget> {
  if (webhook !== undefined) {
    if (httpUrl(webhook) === undefined)
      return fail('usage', '--webhook is no address of http or https', 'write it like https://host/path');
    return succeed({ kind: 'webhook', url: webhook });
  }
  const { token: tokenName, chat: chatName, base: baseName } = TELEGRAM_VARIABLES;
  const token = environment[tokenName]?.trim() ?? '';
  const chat = environment[chatName]?.trim() ?? '';
  const missing = [...(token === '' ? [tokenName] : []), ...(chat === '' ? [chatName] : [])];
  if (missing.length > 0)
    return fail('no_target', `${missing.join(' and ')} not set`, 'set both, or give --webhook URL');
  if (!TOKEN.test(token))
    return fail('bad_token', `${tokenName} is not the token of a bot`, 'copy it from @BotFather');
  const base = environment[baseName]?.trim() ?? '';
  const root = httpUrl(base === '' ? DEFAULT_BASE : base);
  if (root === undefined) return fail('bad_base', `${baseName} is no address of http or https`, 'unset it');
  const path = `${root.pathname.replace(/\/+$/, '')}/bot${token}/sendMessage`;
  return succeed({ kind: 'telegram', url: `${root.origin}${path}`, chat });
}

/** Sends a message to a chat of Telegram, as plain text. */
export async function sendToTelegram(
  { url, chat }: Extract<ReportTarget, { readonly kind: 'telegram' }>,
  text: string,
  sending: Sending,
): Promise<Result<undefined>> {
  const status = await post(url, { chat_id: chat, text, disable_web_page_preview: true }, sending);
  if (!status.ok) return status;
  if (status.value === 200) return succeed(undefined);
  return fail('refused', `Telegram answered with status ${String(status.value)}`, remedyFor(status.value));
}

/** Sends a document to a webhook; every status from 200 to 299 is taken as received. */
export async function sendToWebhook(
  url: string,
  document: unknown,
  sending: Sending,
): Promise<Result<undefined>> {
  const status = await post(url, document, sending);
  if (!status.ok) return status;
  if (status.value >= 200 && status.value < 300) return succeed(undefined);
  const what = status.value < 400 ? 'a redirect, which is not followed' : 'a refusal';
  return fail(
    'refused',
    `the webhook at ${new URL(url).origin} answered with status ${String(status.value)}, ${what}`,
    'check its address',
  );
}

async function post(url: string, document: unknown, { clock, signal }: Sending): Promise<Result<number>> {
  const body = new TextEncoder().encode(JSON.stringify(document));
  const headers = { 'content-type': 'application/json' };
  try {
    return succeed(await postOnce({ url, headers, body }, { clock, timeoutMs: TIMEOUT_MS, signal }));
  } catch (error) {
    const { code, message } = describeHttpError(error, new URL(url).origin);
    return fail(code, message, 'nothing was sent; run it again when the address can be reached');
  }
}

function remedyFor(status: number): string {
  switch (status) {
    case 401:
    case 404:
      return `${TELEGRAM_VARIABLES.token} is not accepted: copy it again from @BotFather`;
    case 400:
    case 403:
      return `check ${TELEGRAM_VARIABLES.chat}, and that the bot may write to that chat`;
    case 429:
      return 'too many messages: try again later';
    default:
      return 'try again later';
  }
}

function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}
