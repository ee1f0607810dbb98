#!/usr/bin/env node
// pre_tool_call, matcher terminal: npm installs without running the scripts of packages. Rewrites the arguments.
import { readFileSync } from 'node:fs';

const { tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
const given = input?.command ?? '';
const command = given.replace(/\bnpm (ci|install|i)\b(?! --ignore-scripts)/g, 'npm $1 --ignore-scripts');
// Only what is named here changes; the other arguments stay.
process.stdout.write(JSON.stringify(command === given ? {} : { action: 'modify', args: { command } }));
