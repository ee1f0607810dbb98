import { flagOption, integerOption, listOption, textOption } from '../inputs.ts';
import type { PostureRequest } from '../posture/measure-posture.ts';
import { runDaily } from '../posture/run-daily.ts';
import { runPosture } from '../posture/run-posture.ts';
import type { Verb, VerbContext } from '../verb.ts';

const DAILY_WINDOW = '24h';

const database = textOption('--db <file>', 'another journal than that of this home', { completion: 'files' });
const since = textOption('--since <when>', 'only calls since: 24h, 7d, 2026-03-16; with the trend');
const unattended = listOption(
  '--unattended <session>',
  'a session nobody was there for, by its id; `all` for every one',
);
const markdown = flagOption('--markdown', 'print Markdown');
const failUnder = integerOption('--fail-under <n>', 'exit code 1 when the score is below', {
  min: 0,
  max: 100,
});
const webhook = textOption('--webhook <url>', 'send it there as JSON, instead of to Telegram');

const dailyVerb: Verb = {
  name: 'daily',
  summary: 'send the report of the last day to Telegram or to a webhook',
  details:
    'For a scheduler. Telegram needs POSTURE_TELEGRAM_BOT_TOKEN and POSTURE_TELEGRAM_CHAT_ID; no other credential is read.',
  example: 'herma posture daily --webhook https://example.org/posture',
  options: [database, since, unattended, webhook],
  run: async (context) => {
    const request = requestOf(context);
    return runDaily(context, {
      ...request,
      since: request.since ?? DAILY_WINDOW,
      webhook: context.get(webhook),
    });
  },
};

export const verb: Verb = {
  name: 'posture',
  summary: 'score how the agent has behaved, from its journal',
  details: 'Exit code 1 below --fail-under, 2 when the journal cannot be read, 4 when there is none.',
  example: 'herma posture --since 7d --fail-under 80',
  options: [database, since, unattended, markdown, failUnder],
  subcommands: [dailyVerb],
  run: async (context) =>
    runPosture(context, {
      ...requestOf(context),
      markdown: context.get(markdown),
      failUnder: context.get(failUnder),
    }),
};

function requestOf(context: VerbContext): PostureRequest {
  return {
    database: context.get(database),
    since: context.get(since),
    unattended: context.get(unattended),
  };
}
