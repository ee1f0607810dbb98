import { z } from 'zod';
import { suggest } from '../../../kernel/errors/index.ts';
import { EVENT_NAMES, type EventName, isEventName } from '../../../kernel/events/index.ts';
import type { HooksConfig, OutboundHookConfig, ShellHookConfig } from '../config.ts';
import { httpUrl, text, toMs, variableName } from './fields.ts';
import { IDLE_EVENTS } from './idle-events.ts';

const DEFAULT_TIMEOUT_S = 60;
const MAX_TIMEOUT_S = 300;
const MAX_OUTBOUND_TIMEOUT_S = 60;
const DEFAULT_OUTBOUND_TIMEOUT_S = 10;
/** Keys of Hermes Agent beside the events. */
const OUTBOUND = 'outbound';
const RESERVED = 'output_spill';

/** One entry: a script for an event, or, below `outbound`, an address. */
const entry = z.strictObject({
  command: text('a command line').optional(),
  matcher: z.string().optional(),
  timeout: z.number().optional(),
  fail_closed: z.boolean().optional(),
  failClosed: z.boolean().optional(),
  env: z.array(variableName()).optional(),
  recheck: z.boolean().optional(),
  name: text().optional(),
  url: httpUrl().optional(),
  events: z.array(text('the name of an event')).optional(),
  secret_env: variableName().optional(),
  secret: text().optional(),
  raw: z.boolean().optional(),
});

type Entry = z.output<typeof entry>;

/** `hooks:`. */
export const hooksSchema = z
  .record(text('the name of an event'), z.union([z.array(entry), z.null()]))
  .transform((value, context): Pick<HooksConfig, 'shell' | 'outbound'> => {
    const shell: ShellHookConfig[] = [];
    const outbound: OutboundHookConfig[] = [];
    const complain = (path: readonly (string | number)[], message: string): void => {
      context.addIssue({ code: 'custom', path: [...path], message });
    };
    for (const [name, entries] of Object.entries(value)) {
      if (name === RESERVED || IDLE_EVENTS.has(name)) continue;
      if (name !== OUTBOUND && !isEventName(name)) {
        complain([name], unknownEvent(name));
        continue;
      }
      for (const [index, each] of (entries ?? []).entries()) {
        const problem = isEventName(name) ? shellProblem(each) : outboundProblem(each);
        if (problem !== undefined) complain([name, index], problem);
        else if (isEventName(name)) shell.push(toShellHook(name, each));
        else outbound.push(toOutboundHook(each));
      }
    }
    return { shell, outbound };
  })
  .describe('Scripts by event, and addresses that are told of events (outbound).');

function unknownEvent(name: string): string {
  const near = suggest(name, [...EVENT_NAMES, OUTBOUND]);
  const remedy = near === undefined ? `the events are: ${EVENT_NAMES.join(', ')}` : `did you mean ${near}?`;
  return `is an unknown event; ${remedy}`;
}

const OF_SHELL = ['command', 'fail_closed', 'failClosed', 'env', 'recheck'] as const;
const OF_OUTBOUND = ['url', 'events', 'secret_env', 'secret', 'raw', 'name'] as const;

function shellProblem(given: Entry): string | undefined {
  if (given.command === undefined || given.command.trim() === '') return 'lacks command: the script to run';
  const stray = OF_OUTBOUND.find((key) => given[key] !== undefined);
  return stray === undefined ? undefined : `has ${stray}, which belongs to entries of hooks.outbound`;
}

function outboundProblem(given: Entry): string | undefined {
  if (given.url === undefined) return 'lacks url: the address to tell';
  const stray = OF_SHELL.find((key) => given[key] !== undefined);
  if (stray !== undefined) return `has ${stray}, which belongs to entries of an event`;
  const events = given.events ?? [];
  if (events.length === 0) return 'lacks events: a list of what to tell of';
  const unknown = events.find((event) => !isEventName(event) && !IDLE_EVENTS.has(event));
  return unknown === undefined
    ? undefined
    : `names ${JSON.stringify(unknown)}, which ${unknownEvent(unknown)}`;
}

function toShellHook(event: EventName, given: Entry): ShellHookConfig {
  const { command = '', matcher = '', env = [], recheck } = given;
  const seconds = given.timeout ?? DEFAULT_TIMEOUT_S;
  return {
    event,
    command: command.trim(),
    ...(matcher.trim() === '' ? {} : { matcher: matcher.trim() }),
    timeoutMs: toMs(seconds < 1 ? DEFAULT_TIMEOUT_S : Math.min(seconds, MAX_TIMEOUT_S)),
    failClosed: given.fail_closed ?? given.failClosed ?? false,
    env,
    ...(recheck === undefined ? {} : { recheck }),
  };
}

function toOutboundHook(given: Entry): OutboundHookConfig {
  const { url = '', events = [], name, matcher = '', secret_env: secretEnv, secret } = given;
  const seconds = given.timeout ?? DEFAULT_OUTBOUND_TIMEOUT_S;
  return {
    url,
    events: events.filter(isEventName),
    ...(name === undefined ? {} : { name }),
    ...(matcher.trim() === '' ? {} : { matcher: matcher.trim() }),
    ...(secretEnv === undefined ? {} : { secretEnv }),
    ...(secret === undefined ? {} : { secret }),
    timeoutMs: toMs(Math.min(Math.max(seconds, 1), MAX_OUTBOUND_TIMEOUT_S)),
    raw: given.raw ?? false,
  };
}

/** What counts as yes in a string, as in Hermes Agent; the number 1 does not. */
const YES: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);

export const hooksAutoAcceptSchema = z
  .union([z.boolean(), z.string()])
  .transform((value) => (typeof value === 'string' ? YES.has(value.trim().toLowerCase()) : value));

export const hooksConsentSchema = z.enum(['content', 'path']);
