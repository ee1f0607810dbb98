import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EventPayload } from '../../../kernel/events/index.ts';
import { createRedactor } from '../../../kernel/redact/index.ts';
import type { ToolCall } from '../../../kernel/tool-call/index.ts';
import { FakeClock } from '../../../platform/clock/index.ts';
import type { OutboundHookConfig } from '../../../platform/config/index.ts';
import { freezeVariables } from '../../../platform/environment/index.ts';
import { CallbackRegistry } from '../callback-registry.ts';
import { OutboundHooks, type OutboundPorts } from './outbound-hooks.ts';

const SECRET = 'sk-proj-Zq8Lw3Vn5Xc7Bm1Kd9Rt2Yh4Jp6Gs0Fa';
const { signal } = new AbortController();

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a receiver does with a request; a number is the status of its answer. */
type Behaviour = (response: ServerResponse, index: number) => number | undefined;

class Receiver {
  readonly received: Received[] = [];
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async count(count: number): Promise<void> {
    await vi.waitFor(() => expect(this.received).toHaveLength(count), { timeout: 20_000, interval: 5 });
  }

  get bodies(): readonly Record<string, unknown>[] {
    return this.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }
}

async function port(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function receiver(behave: Behaviour = () => 200): Promise<Receiver> {
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const index = it.received.length;
      it.received.push({
        path: request.url,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      });
      const status = behave(response, index);
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const it = new Receiver(`http://127.0.0.1:${String(await port(server))}/hooks/secret-path?token=hunter2`);
  return it;
}

function target(url: string, more: Partial<OutboundHookConfig> = {}): OutboundHookConfig {
  return { url, events: ['post_tool_call'], name: 'ci', timeoutMs: 10_000, raw: false, ...more };
}

interface Rig {
  readonly hooks: OutboundHooks;
  readonly registry: CallbackRegistry;
  readonly clock: FakeClock;
  /** What registering said. */
  readonly said: readonly string[];
  readonly warnings: string[];
  readonly notes: string[];
  readonly end: (changes?: Partial<EventPayload<'post_tool_call'>>) => Promise<readonly string[]>;
}

async function rig(targets: readonly OutboundHookConfig[], more: Partial<OutboundPorts> = {}): Promise<Rig> {
  const clock = new FakeClock(Date.UTC(2030, 0, 2, 3, 4, 5, 678));
  const registry = new CallbackRegistry(clock);
  const warnings: string[] = [];
  const notes: string[] = [];
  let ids = 0;
  const hooks = new OutboundHooks({
    clock,
    environment: freezeVariables([['HOOK_KEY', 'key-of-the-environment']]),
    redactor: createRedactor(),
    newId: () => `id-${String((ids += 1))}`,
    cwdOf: (sessionId) => `/projects/of-${sessionId}`,
    warn: (line) => warnings.push(line),
    note: (line) => notes.push(line),
    ...more,
  });
  const said = await hooks.register(registry, targets);
  const end: Rig['end'] = async (changes) =>
    registry.observe('post_tool_call', { ...ended, ...changes }, signal);
  return { hooks, registry, clock, said, warnings, notes, end };
}

const ended: EventPayload<'post_tool_call'> = {
  toolName: 'terminal',
  args: { command: `curl -H "Authorization: Bearer ${SECRET}" x` },
  sessionId: 's1',
  turnId: 't1',
  toolCallId: 'c1',
  result: `OPENAI_API_KEY=${SECRET}`,
  durationMs: 1,
  status: 'ok',
};

describe('what a target is sent', () => {
  it('is the document of a shell hook with id and time, signed over exactly its bytes, with the event in the headers', async () => {
    const to = await receiver();
    const { end, hooks, warnings } = await rig([
      target(to.url, { secretEnv: 'HOOK_KEY', secret: 'not this' }),
    ]);
    await end({ args: { text: 'Grüße' } });
    await hooks.close();
    const [{ headers, body } = expect.unreachable('nothing came'), ...rest] = to.received;
    expect(rest).toEqual([]);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Hermes-Agent-Outbound-Webhook',
      'x-hermes-event': 'post_tool_call',
      'x-hermes-delivery': 'id-1',
      'x-hermes-signature-256': `sha256=${createHmac('sha256', 'key-of-the-environment').update(body, 'utf8').digest('hex')}`,
    });
    expect(JSON.parse(body)).toMatchObject({
      hook_event_name: 'post_tool_call',
      tool_name: 'terminal',
      tool_input: { text: 'Grüße' },
      session_id: 's1',
      cwd: '/projects/of-s1',
      profile: 'default',
      extra: { turn_id: 't1', status: 'ok', duration_ms: 1 },
      delivery_id: 'id-1',
      timestamp: '2030-01-02T03:04:05Z',
    });
    expect(warnings).toEqual([]);
  });

  it('has no secrets in it, unless it is to be raw', async () => {
    const [clean, raw] = [await receiver(), await receiver()];
    const { end, hooks } = await rig([target(clean.url), target(raw.url, { raw: true })]);
    await end();
    await hooks.close();
    expect(clean.received[0]?.body).toContain('[redacted ');
    expect(clean.received[0]?.body).not.toContain(SECRET);
    expect(raw.bodies[0]).toMatchObject({ tool_input: ended.args, extra: { result: ended.result } });
  });

  it('is the event as it was, whatever becomes of its fields later', async () => {
    const to = await receiver();
    const { end, hooks } = await rig([target(to.url)]);
    const args = { list: ['before'] };
    const told = end({ args });
    args.list[0] = 'after';
    await told;
    await hooks.close();
    expect(to.bodies[0]?.['tool_input']).toEqual({ list: ['before'] });
  });

  it('carries no signature where no key was configured', async () => {
    const to = await receiver();
    const { end, hooks, said } = await rig([target(to.url)]);
    await end();
    await hooks.close();
    expect(to.received[0]?.headers).not.toHaveProperty('x-hermes-signature-256');
    expect(said).toEqual([]);
  });

  it('depends on its matcher where the event is about a tool, and on nothing where it is not', async () => {
    const to = await receiver();
    const { end, hooks, registry } = await rig([
      target(to.url, { matcher: 'write_.*', events: ['post_tool_call', 'on_session_start'] }),
    ]);
    await end();
    await end({ toolName: 'write_file' });
    await end({ toolName: 'may_write_file' });
    await registry.observe('on_session_start', { sessionId: 's1', model: 'm', platform: 'cli' }, signal);
    await hooks.close();
    expect(to.bodies.map((body) => [body['hook_event_name'], body['tool_name']])).toEqual([
      ['post_tool_call', 'write_file'],
      ['on_session_start', null],
    ]);
  });

  it('takes an invalid matcher as the name of a tool, and says that it is invalid', async () => {
    const to = await receiver();
    const { end, hooks, said } = await rig([target(to.url, { matcher: 'odd(' })]);
    expect(said).toEqual([expect.stringContaining('"odd("')]);
    await end();
    await end({ toolName: 'odd(' });
    await hooks.close();
    expect(to.bodies.map((body) => body['tool_name'])).toEqual(['odd(']);
  });

  it('is sent once where two entries say the same', async () => {
    const to = await receiver();
    const { end, hooks, said } = await rig([target(to.url), target(to.url, { name: 'again' })]);
    expect(said).toEqual([expect.stringContaining('again')]);
    await end();
    await hooks.close();
    expect(to.received).toHaveLength(1);
  });

  it('is an event of the gate too, which it neither stops nor sees twice', async () => {
    const to = await receiver();
    const { registry } = await rig([target(to.url, { events: ['pre_tool_call'] })]);
    expect(registry.guards()).toMatchObject([{ name: 'ci', onFailure: 'ignore', recheck: false }]);
    const call: ToolCall = {
      callId: 'c',
      sessionId: 's',
      rootSessionId: 's',
      turnId: 't',
      ordinal: 1,
      tool: 'terminal',
      args: {},
      effect: 'execute',
      paths: [],
      fingerprint: 'f',
      cwd: '/p',
      origin: { kind: 'herma', surface: 'cli' },
    };
    const answers = await Promise.all(
      registry.guards().map(async (guard) => guard.consult(call, { recheck: false, signal })),
    );
    expect(answers).toEqual([expect.not.objectContaining({ type: 'block' })]);
    await to.count(1);
  });
});

describe('a target whose key is missing', () => {
  it.each([
    [{ secretEnv: 'NOT_SET' }, 'NOT_SET'],
    [{ secretEnv: 'NOT_SET', secret: 'inline' }, 'NOT_SET'],
    [{ secret: '' }, 'secret is empty'],
  ])('is off and told nothing, which is said: %j', async (keys, named) => {
    const to = await receiver();
    const { end, hooks, said, registry } = await rig([target(to.url, keys)]);
    expect(said).toEqual([expect.stringMatching(new RegExp(`^outbound webhook ci is off: .*${named}`))]);
    expect(registry.has('post_tool_call')).toBe(false);
    await end();
    await hooks.close();
    expect(to.received).toEqual([]);
  });
});

describe('a delivery that does not work', () => {
  it('is sent once more after a second when the server fails, under the same id and with the same bytes', async () => {
    const to = await receiver((_, index) => (index === 0 ? 503 : 204));
    const { end, clock, hooks, warnings } = await rig([target(to.url, { secret: 'k' })]);
    await end();
    await to.count(1);
    await clock.whenPending(1);
    await clock.advance(999);
    expect(to.received).toHaveLength(1);
    await clock.advance(1);
    await to.count(2);
    await hooks.close();
    const [first, second] = to.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['x-hermes-delivery']).toBe('id-1');
    expect(second?.headers['x-hermes-signature-256']).toBe(first?.headers['x-hermes-signature-256']);
    expect(warnings).toEqual([]);
  });

  it('is given up after the second attempt; the first such failure is shown, later ones are logged', async () => {
    const to = await receiver(() => 500);
    const { end, clock, warnings, notes } = await rig([target(to.url)]);
    for (const round of [1, 2, 3]) {
      await end();
      await to.count(2 * round - 1);
      await clock.whenPending(1);
      await clock.advance(1000);
      await vi.waitFor(() => expect(warnings.length + notes.length).toBe(round));
    }
    expect(to.received).toHaveLength(6);
    expect(warnings).toEqual([expect.stringMatching(/webhook ci .*status 500 \(2 attempts\)/)]);
    expect(notes).toHaveLength(2);
  });

  it.each([400, 404, 410, 429])('is not sent again after the status %i', async (status) => {
    const to = await receiver(() => status);
    const { end, hooks, warnings } = await rig([target(to.url)]);
    await end();
    await hooks.close();
    expect(to.received).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining(`status ${String(status)}`)]);
  });

  it.each([301, 302, 303, 307, 308])('does not follow the redirect %i, and says so', async (status) => {
    const elsewhere = await receiver();
    const to = await receiver((response) => {
      response.writeHead(status, { location: elsewhere.url }).end();
      return undefined;
    });
    const { end, hooks, warnings } = await rig([target(to.url)]);
    await end();
    await hooks.close();
    expect([to.received.length, elsewhere.received.length]).toEqual([1, 0]);
    expect(warnings).toEqual([expect.stringMatching(/redirect, which is never followed/)]);
  });

  it('is sent once more when there was no answer in time', async () => {
    const to = await receiver((_, index) => (index === 0 ? undefined : 200));
    const { end, clock, hooks, warnings } = await rig([target(to.url, { timeoutMs: 3000 })]);
    await end();
    await to.count(1);
    await clock.advance(3000);
    await clock.whenPending(1);
    await clock.advance(1000);
    await to.count(2);
    await hooks.close();
    expect(warnings).toEqual([]);
  });

  it('is tried twice where nothing listens, and names the target and the reason but no path, query or password', async () => {
    const server = createTcpServer();
    const closed = await port(server);
    server.close();
    await once(server, 'close');
    const url = `http://user:hunter3@127.0.0.1:${String(closed)}/hooks/secret-path?token=hunter2`;
    const { name: _, ...nameless } = target(url);
    const { end, clock, warnings } = await rig([nameless]);
    await end();
    await clock.whenPending(1);
    await vi.waitFor(async () => {
      await clock.advance(1000);
      expect(warnings).toHaveLength(1);
    });
    expect(warnings[0]).toMatch(/^outbound webhook http:\/\/127\.0\.0\.1:\d+ .*ECONNREFUSED.*\(2 attempts\)/);
    expect(warnings.join('\n')).not.toMatch(/secret-path|hunter/);
  });

  it('is not made to a host that leads to a metadata address, nor tried again', async () => {
    let asked = 0;
    const { end, hooks, warnings } = await rig([target('http://hooks.localhost:1/x')], {
      resolve: async () => {
        asked += 1;
        return Promise.resolve([{ address: '169.254.169.254', family: 4 }]);
      },
    });
    await end();
    await hooks.close();
    expect(asked).toBe(1);
    expect(warnings).toEqual([expect.stringContaining('hooks.localhost leads to 169.254.169.254')]);
  });

  it('does not fail the event when it cannot even be written down', async () => {
    const to = await receiver();
    const broken = { ...createRedactor(), value: () => expect.fail('cannot be redacted') };
    const { end, hooks, warnings } = await rig([target(to.url)], { redactor: broken });
    expect(await end()).toEqual([]);
    await hooks.close();
    expect(warnings).toEqual([expect.stringContaining('cannot be redacted')]);
    expect(to.received).toEqual([]);
  });
});

describe('a target that is slow', () => {
  it('is told one event at a time, in order, and delays neither the event nor another target', async () => {
    const held: ServerResponse[] = [];
    const slow = await receiver((response) => {
      held.push(response);
      return undefined;
    });
    const quick = await receiver();
    const { end, hooks } = await rig([
      target(slow.url, { name: 'slow' }),
      target(quick.url, { name: 'quick' }),
    ]);
    for (const toolName of ['a', 'b', 'c']) expect(await end({ toolName })).toEqual([]);
    await quick.count(3);
    await slow.count(1);
    for (const count of [1, 2, 3]) {
      await slow.count(count);
      expect(held).toHaveLength(count);
      held.at(-1)?.end();
    }
    await hooks.close();
    expect(slow.bodies.map((body) => body['tool_name'])).toEqual(['a', 'b', 'c']);
  });

  it('has 256 events waiting at most; what is new is dropped, said once, and counted at the end', async () => {
    let release: (() => void) | undefined;
    const to = await receiver((response, index) => {
      if (index > 0) return 200;
      release = () => response.end();
      return undefined;
    });
    const { end, hooks, warnings } = await rig([target(to.url)]);
    await end({ toolName: 'first' });
    await to.count(1);
    for (let index = 0; index < 259; index += 1) await end({ toolName: `n${String(index)}` });
    expect(warnings).toEqual(['outbound webhook ci: 256 events wait for it, new ones are dropped']);
    release?.();
    await to.count(257);
    await hooks.close();
    expect(to.bodies.at(-1)?.['tool_name']).toBe('n255');
    expect(warnings.slice(1)).toEqual(['outbound webhook ci lost events: 3 dropped because too many waited']);
  });
});

describe('closing', () => {
  it('waits for what is still to be sent', async () => {
    const to = await receiver();
    const { end, hooks, warnings, clock } = await rig([target(to.url)]);
    for (let index = 0; index < 20; index += 1) await end();
    await hooks.close();
    expect([to.received.length, warnings, clock.pending]).toEqual([20, [], 0]);
  });

  it('gives up after 5 s and says how many events were not sent', async () => {
    const to = await receiver(() => undefined);
    const { end, hooks, warnings, clock } = await rig([target(to.url, { timeoutMs: 60_000 })]);
    for (let index = 0; index < 3; index += 1) await end();
    await to.count(1);
    const closed = hooks.close();
    await clock.advance(5000);
    await closed;
    await hooks.close();
    expect(warnings).toEqual(['outbound webhook ci lost events: 3 not sent within 5 s']);
    expect([to.received.length, clock.pending]).toEqual([1, 0]);
  });

  it('makes a second attempt that falls due in time', async () => {
    const to = await receiver(() => 500);
    const { end, hooks, warnings, clock } = await rig([target(to.url)]);
    await end();
    await to.count(1);
    await clock.whenPending(1);
    const closed = hooks.close();
    await clock.advance(1000);
    await to.count(2);
    await closed;
    expect(warnings).toEqual([expect.stringContaining('(2 attempts)')]);
  });

  it('gives up a second attempt that falls due later', async () => {
    const to = await receiver(() => undefined);
    const { end, hooks, warnings, clock } = await rig([target(to.url, { timeoutMs: 4500 })]);
    await end();
    await to.count(1);
    const closed = hooks.close();
    await clock.advance(4500);
    await vi.waitFor(() => expect(clock.pending).toBe(2));
    await clock.advance(500);
    await closed;
    expect(warnings).toEqual(['outbound webhook ci lost events: 1 not sent within 5 s']);
    expect(to.received).toHaveLength(1);
  });

  it('takes the targets away: later events are told to nobody', async () => {
    const to = await receiver();
    const { end, hooks, registry } = await rig([target(to.url)]);
    await hooks.close();
    expect(registry.has('post_tool_call')).toBe(false);
    await end();
    expect(to.received).toEqual([]);
  });
});

describe('targets', () => {
  it('listen to the events they name and to no other', async () => {
    const to = await receiver();
    const { registry } = await rig([target(to.url, { events: ['subagent_stop'] })]);
    expect([registry.has('subagent_stop'), registry.has('post_tool_call')]).toEqual([true, false]);
  });
});
