import { z } from 'zod';
import { EFFECTS } from '../../../kernel/tool-call/index.ts';
import type { McpServerConfig } from '../config.ts';
import { anyText, fromMs, httpUrl, seconds, text, toMs, variableName } from './fields.ts';

const DEFAULT_TIMEOUT_MS = 120_000;

/** Becomes a part of tool names: `mcp__<server>__<tool>`. */
const serverName = z
  .string()
  .regex(/^(?!.*__)[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/)
  .meta({ expected: 'at most 32 letters, digits, - and single _' });

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)
  .meta({ expected: 'the name of an HTTP header' });
const headerValue = z
  .string()
  .regex(/^[^\0\r\n]*$/)
  .meta({ expected: 'text on one line' });

const server = z
  .strictObject({
    command: text('the program to start').optional().describe('Program to start (or give url).'),
    args: z.array(anyText()).optional().describe('Arguments of the program.'),
    env: z.record(variableName(), anyText()).optional().describe('Added to the environment of the program.'),
    cwd: text('a folder').optional().describe('Folder the program starts in.'),
    url: httpUrl().optional().describe('Address of a server that is running (or give command).'),
    headers: z.record(headerName, headerValue).optional().describe('Sent with each request.'),
    enabled: z.boolean().default(true).describe('Whether the server is used.'),
    timeout: seconds().default(fromMs(DEFAULT_TIMEOUT_MS)).describe('Seconds one request may take.'),
    effects: z
      .record(text(), z.enum(EFFECTS))
      .optional()
      .describe('What its tools may do: name of a tool, or *, to none, write, execute or external.'),
  })
  .transform((value, context): McpServerConfig => {
    const settings = {
      enabled: value.enabled,
      timeoutMs: toMs(value.timeout),
      effects: toMap(value.effects),
    };
    const complain = (message: string): never => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (value.command !== undefined && value.url !== undefined) {
      return complain('has both command and url: a program to start needs command, a running server url');
    }
    if (value.command !== undefined) {
      if (value.headers !== undefined) return complain('has headers, which belong to url, not to command');
      return {
        transport: 'stdio',
        ...settings,
        command: value.command,
        args: value.args ?? [],
        env: toMap(value.env),
        ...(value.cwd === undefined ? {} : { cwd: value.cwd }),
      };
    }
    if (value.url === undefined)
      return complain('lacks command (a program to start) or url (a running server)');
    const misplaced = (['args', 'env', 'cwd'] as const).find((key) => value[key] !== undefined);
    if (misplaced !== undefined) return complain(`has ${misplaced}, which belongs to command, not to url`);
    return { transport: 'http', ...settings, url: value.url, headers: toMap(value.headers) };
  });

/** `mcp_servers:`, by name. */
export const mcpServersSchema = z
  .record(serverName, server)
  .transform(toMap)
  .describe('MCP servers, by name.');

function toMap<Value>(record: Readonly<Record<string, Value>> | undefined): ReadonlyMap<string, Value> {
  return new Map(Object.entries(record ?? {}));
}
