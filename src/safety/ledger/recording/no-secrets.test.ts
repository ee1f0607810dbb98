import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { valueOrThrow } from '../../../kernel/errors/index.ts';
import { recordDecision } from '../care/decisions.ts';
import { callOf, DEAD, LedgerRig, OK } from '../fixtures/ledger-rig.ts';
import type { Intent } from './intent.ts';

let rig: LedgerRig;
let made = 0;

beforeEach(() => {
  rig = new LedgerRig();
  made = 0;
});

afterEach(() => {
  rig.ledger.close();
});

/** Another secret each time, of a shape that is known. */
function secret(): string {
  made += 1;
  return `ghp_CANARY${String(made).padStart(30, '0')}`;
}

/** An intent with a secret in every text that comes from outside. */
function leaky(more: Partial<Intent> = {}): Intent {
  const call = callOf({
    tool: `mcp__x__${secret()}`,
    callId: `call-${secret()}`,
    sessionId: `s-${secret()}`,
    rootSessionId: `r-${secret()}`,
    parentSessionId: `p-${secret()}`,
    turnId: `t-${secret()}`,
    cwd: `/p/${secret()}`,
    args: { command: `curl -H 'Authorization: Bearer ${secret()}'`, [secret()]: 'a name' },
    origin: { kind: 'foreign', agent: `agent-${secret()}` },
  });
  return {
    call,
    owner: DEAD,
    isOwn: false,
    graceMs: 1000,
    verdicts: [{ by: `hook ${secret()}`, verdict: `allow because ${secret()}` }],
    policy: { rule: `rule-${secret()}`, mode: 'enforce' },
    foreseen: {
      files: [{ path: `/p/${secret()}/file` }, { path: '/p/plain' }],
      repositories: [{ path: `/r/${secret()}`, head: '', act: 'branch', branch: secret() }],
      exitFile: '/run/1.rc',
    },
    ...more,
  };
}

function leaks(): readonly string[] {
  const folder = dirname(rig.path);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name);
    if (!statSync(path).isFile()) return [];
    const found = readFileSync(path, 'latin1').match(/.{0,30}CANARY\d+/g) ?? [];
    return found.map((text) => `${name}: ${text}`);
  });
}

it('nothing of a secret is in the journal, its log or its spool, wherever in a call it stood', async () => {
  const intent = leaky();
  const id = valueOrThrow(await rig.ledger.issue(intent));
  const error = { ...OK, status: 'error' as const, errorType: secret(), result: `failed: ${secret()}` };
  valueOrThrow(await rig.ledger.settle(id, error));
  valueOrThrow(await rig.ledger.refuse(leaky(), { by: `policy:${secret()}`, message: `no: ${secret()}` }));
  const open = valueOrThrow(await rig.ledger.issue(leaky()));
  valueOrThrow(await rig.ledger.withdraw(open, { by: secret(), message: secret() }));
  const decision = { mode: 'enforce', raw: 'deny', effective: 'deny', rule: 'r', subject: 'x' };
  valueOrThrow(
    await recordDecision(rig.ledger, { call: leaky().call, ...decision }, '2030-01-01T00:00:00.000Z'),
  );
  expect(leaks()).toEqual([]);
  const last = valueOrThrow(await rig.ledger.issue(leaky()));
  const other = new DatabaseSync(rig.path);
  other.exec('BEGIN IMMEDIATE');
  expect(valueOrThrow(await rig.ledger.settle(last, error))).toMatchObject({ type: 'spooled' });
  valueOrThrow(await rig.ledger.refuse(leaky(), { by: secret(), message: secret() }));
  expect(readdirSync(join(dirname(rig.path), 'spool'))).toHaveLength(2);
  expect(leaks()).toEqual([]);
  other.exec('ROLLBACK');
  other.close();
  expect(await rig.status(last)).toMatch(/^ERROR:_redacted/);
  expect(leaks()).toEqual([]);
  expect(made).toBeGreaterThan(50);
});

it('a call whose names hold secrets is still found by them, and its model is told of it', async () => {
  const intent = leaky();
  const id = valueOrThrow(await rig.ledger.issue(intent));
  const { call } = intent;
  expect(
    valueOrThrow(
      await rig.ledger.find({ rootSessionId: call.rootSessionId, tool: call.tool, callId: call.callId }),
    ),
  ).toEqual({ id });
  expect(valueOrThrow(await rig.ledger.unknownRepeats(call))).toBe(1);
  expect((await rig.watch().briefing(call.rootSessionId)).text).toContain(`call #${String(id)} `);
  expect(valueOrThrow(await rig.ledger.settle(id, OK, call))).toMatchObject({ type: 'settled' });
});

it('of paths with secrets nothing is foreseen: another path would be looked at in their place', async () => {
  const id = valueOrThrow(await rig.ledger.issue(leaky()));
  expect((await rig.row(id)).foreseen).toEqual({ files: [], exitFile: '/run/1.rc' });
  const plain = valueOrThrow(await rig.ledger.issue(leaky({ foreseen: { files: [{ path: '/p/plain' }] } })));
  expect((await rig.row(plain)).foreseen).toEqual({ files: [{ path: '/p/plain' }] });
});
