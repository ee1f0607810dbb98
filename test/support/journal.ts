import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type ReceivedRequest, textOf } from './fake-openai.ts';
import type { Scene } from './scene.ts';

/** A row of the journal, as far as tests look at it. */
export interface JournalRow {
  readonly id: number;
  readonly tool_name: string;
  readonly status: string;
  readonly effect: string;
  readonly args_json: string;
  readonly session_id: string;
  readonly report_count: number;
  readonly probe_json: string | null;
  readonly result_digest: string | null;
}

export function journalPath({ home }: Pick<Scene, 'home'>): string {
  return join(home, 'plugin-data/agent-ledger/ledger.db');
}

/** All rows, in their order; none where there is no journal. */
export function journalRows(scene: Pick<Scene, 'home'>): readonly JournalRow[] {
  const path = journalPath(scene);
  if (!existsSync(path)) return [];
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return database.prepare('SELECT * FROM ledger ORDER BY id').all() as unknown as readonly JournalRow[];
  } finally {
    database.close();
  }
}

/** What the probe of a row said, as `[verdict, evidence]`. */
export function verdictOf({ probe_json: json }: JournalRow): readonly [string, string] {
  const { verdict, evidence } = JSON.parse(json ?? '{}') as {
    readonly verdict: string;
    readonly evidence: string;
  };
  return [verdict, evidence];
}

/** The reports of lost calls that a request holds, wherever they stand. */
export function reportsIn({ messages }: ReceivedRequest): readonly string[] {
  const text = messages.map(textOf).join('\n');
  return [...text.matchAll(/<herma-journal>([\s\S]*?)<\/herma-journal>/g)].map(([, report = '']) => report);
}

/** Writes a plugin of one module into the home; it is enabled in `config.yaml`, beside `more`. */
export function enablePlugin(
  { home }: Pick<Scene, 'home'>,
  { name, module, config = {} }: { readonly name: string; readonly module: string; readonly config?: object },
  more: object = {},
): void {
  const folder = join(home, 'plugins', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'plugin.yaml'), `name: ${name}\nversion: 1.0.0\n`);
  writeFileSync(join(folder, 'index.mjs'), module);
  writeFileSync(
    join(home, 'config.yaml'),
    JSON.stringify({ ...more, plugins: { enabled: [name], config: { [name]: config } } }),
  );
}

/** No plugin is enabled any more. */
export function disablePlugins({ home }: Pick<Scene, 'home'>, more: object = {}): void {
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(more));
}

/** When the program is to end by SIGKILL, beside a call of a tool that makes something named `made`. */
export interface Death {
  readonly tool: 'write_file' | 'terminal' | 'delegate_task';
  readonly at: 'before the effect' | 'before it is settled' | 'after it was settled';
}

/** A plugin that ends its program by SIGKILL. */
export const KILLER = `
import child from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import sqlite from 'node:sqlite';
import { inspect } from 'node:util';

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

/** Dies where one of the arguments names what is to be made. */
function dieBefore(object, name, made) {
  const real = object[name];
  object[name] = function (...args) {
    return inspect(args).includes(made) ? die() : Reflect.apply(real, this, args);
  };
  syncBuiltinESMExports();
}

export function register(ctx) {
  const { tool, at } = ctx.config;
  const dieAfter = ({ toolName }) => { if (toolName === tool) die(); };
  if (at === 'before it is settled') ctx.registerHook('post_tool_call', dieAfter);
  else if (at === 'after it was settled') ctx.registerHook('transform_tool_result', dieAfter);
  else if (tool === 'delegate_task') dieBefore(sqlite.StatementSync.prototype, 'run', "'subagent'");
  else if (tool === 'write_file') dieBefore(fs.promises, 'rename', 'made');
  else dieBefore(child, 'spawn', 'made');
}
`;
