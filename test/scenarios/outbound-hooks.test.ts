import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Scene } from '../support/scene.ts';

const KEY = 'the-key-that-signs-9f2c71';
const TOKEN = 'ghp_Zq8Lw3Vn5Xc7Bm1Kd9Rt2Yh4Jp6Gs0FaQw1E';

interface Delivery {
  readonly event: string;
  readonly id: string;
  readonly signature: string;
  readonly body: string;
  readonly document: {
    readonly hook_event_name: string;
    readonly tool_name: string | null;
    readonly tool_input: { readonly command?: string } | null;
    readonly cwd: string;
    readonly delivery_id: string;
    readonly timestamp: string;
  };
}

/** A receiver of webhooks on loopback. */
class Receiver implements AsyncDisposable {
  readonly received: Delivery[] = [];
  readonly #server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      const body = Buffer.concat(chunks).toString('utf8');
      const header = (name: string): string => String(request.headers[name]);
      this.received.push({
        event: header('x-hermes-event'),
        id: header('x-hermes-delivery'),
        signature: header('x-hermes-signature-256'),
        body,
        document: JSON.parse(body) as Delivery['document'],
      });
      response.writeHead(this.status).end();
    });
  });
  status = 200;

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}/in/secret-path`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function configuration(url: string, more: object = {}): string {
  const target = {
    url,
    name: 'ci',
    events: ['on_session_start', 'pre_tool_call', 'post_tool_call', 'on_session_end'],
    secret_env: 'CI_HOOK_KEY',
    ...more,
  };
  return JSON.stringify({ hooks: { outbound: [target] } });
}

/** The warnings that `herma call` prints with its answer. */
function warningsIn(stdout: string): readonly string[] {
  return (JSON.parse(stdout) as { warnings: string[] }).warnings;
}

describe.concurrent('an outbound webhook', () => {
  it('is told of a session to its last event: signed, redacted, in order, each with an id of its own', async () => {
    await using receiver = new Receiver();
    const command = `echo ${TOKEN} ${KEY}; echo key=$CI_HOOK_KEY.`;
    await using scene = await Scene.create({
      config: configuration(await receiver.start()),
      replies: [{ calls: [{ id: 'c1', name: 'terminal', args: { command } }] }, { text: 'Done.' }],
    });
    const ran = await scene.ask('go', ['--yolo'], { env: { CI_HOOK_KEY: KEY } });
    expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(ran.stderr).not.toContain('webhook');

    expect(receiver.received.map(({ event }) => event)).toEqual([
      'on_session_start',
      'pre_tool_call',
      'post_tool_call',
      'on_session_end',
    ]);
    for (const { event, id, signature, body, document } of receiver.received) {
      expect(signature).toBe(`sha256=${createHmac('sha256', KEY).update(body, 'utf8').digest('hex')}`);
      expect(document).toMatchObject({ hook_event_name: event, delivery_id: id, cwd: scene.project });
      expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(Math.abs(Date.parse(document.timestamp) - Date.now())).toBeLessThan(300_000);
      expect(body).not.toContain(TOKEN);
      expect(body).not.toContain(KEY);
    }
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(4);
    expect(receiver.received[2]?.document.tool_input?.command).toMatch(
      /^echo \[redacted .*\] \[redacted .*\]; echo key=/,
    );
    expect(receiver.received[2]?.body).toContain('key=.');
  });

  it('that does not work changes nothing about a call but a line, which keeps the address to itself', async () => {
    await using receiver = new Receiver();
    receiver.status = 404;
    await using scene = await Scene.create({ config: configuration(await receiver.start()) });
    const stdin = JSON.stringify({ tool: 'terminal', args: { command: 'touch made' } });
    const { code, stdout } = await scene.run(['call'], { stdin, env: { CI_HOOK_KEY: KEY } });
    expect([code, scene.read('made')]).toEqual([0, '']);
    const [warning, ...others] = warningsIn(stdout);
    expect(warning).toMatch(/^outbound webhook ci was not told of an event: it answered with the status 404/);
    expect(others).toEqual([]);
    expect(stdout).not.toContain('secret-path');
    const log = readFileSync(join(scene.home, 'logs', 'herma.log'), 'utf8');
    expect(log.match(/webhook ci was not told of an event/g)).toHaveLength(2);
    expect(log).not.toContain('secret-path');
    expect(receiver.received.map(({ event }) => event)).toEqual(['pre_tool_call', 'post_tool_call']);
  });

  it.each([
    [{}, 'outbound webhook ci is off: CI_HOOK_KEY is not set'],
    [{ CI_HOOK_KEY: KEY, HERMES_SAFE_MODE: '1' }, 'outbound webhooks are off: HERMES_SAFE_MODE is set'],
  ])('is told nothing without its key and in safe mode, and the call runs: %j', async (env, said) => {
    await using receiver = new Receiver();
    await using scene = await Scene.create({ config: configuration(await receiver.start()) });
    const stdin = JSON.stringify({ tool: 'terminal', args: { command: 'touch made' } });
    const { code, stdout } = await scene.run(['call'], { stdin, env });
    expect([code, scene.read('made')]).toEqual([0, '']);
    expect(warningsIn(stdout)).toEqual([said]);
    expect(receiver.received).toEqual([]);
  });
});
