#!/usr/bin/env node
// post_tool_call: one line of JSON per call, blocked ones too, in audit.jsonl of the home. No contents.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { tool_name, session_id, cwd, extra } = JSON.parse(readFileSync(0, 'utf8'));
const { status, duration_ms, tool_call_id } = extra;
const line = { at: new Date().toISOString(), session_id, tool_call_id, tool_name, cwd, status, duration_ms };
appendFileSync(join(process.env.HERMA_HOME, 'audit.jsonl'), `${JSON.stringify(line)}\n`, { mode: 0o600 });
