#!/usr/bin/env node
// pre_tool_call, matcher write_file|patch, fail_closed: exit code 2 blocks what holds a secret, as in Claude Code.
import { readFileSync } from 'node:fs';

const SECRETS = {
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  'an AWS access key': /\bAKIA[0-9A-Z]{16}\b/,
  'a GitHub token': /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
};

const { tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
const text = Object.values(input ?? {}).join('\n');
const found = Object.keys(SECRETS).find((name) => SECRETS[name].test(text));
if (found !== undefined) {
  process.stderr.write(`The text holds ${found}; read it from the environment instead.\n`);
  process.exitCode = 2;
}
