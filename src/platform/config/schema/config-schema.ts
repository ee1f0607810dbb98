import { z } from 'zod';
import type { Config } from '../config.ts';
import { mcpServersSchema } from './mcp-servers-schema.ts';
import { modelSchema } from './model-schema.ts';
import {
  agentSchema,
  approvalsSchema,
  checkpointsSchema,
  compressionSchema,
  delegationSchema,
  loggingSchema,
  terminalSchema,
  toolsSchema,
} from './section-schemas.ts';

/** What `config.yaml` may hold. A new section is a line here and in {@link Config}. */
export const configSchema = z
  .strictObject({
    model: modelSchema.optional(),
    agent: agentSchema.prefault({}),
    approvals: approvalsSchema.prefault({}),
    checkpoints: checkpointsSchema.prefault({}),
    compression: compressionSchema.prefault({}),
    delegation: delegationSchema.prefault({}),
    terminal: terminalSchema.prefault({}),
    tools: toolsSchema.prefault({}),
    logging: loggingSchema.prefault({}),
    mcp_servers: mcpServersSchema.prefault({}),
  })
  .transform(
    ({ model, mcp_servers, ...sections }): Config => ({
      ...(model === undefined ? {} : { model }),
      ...sections,
      mcpServers: mcp_servers,
    }),
  );
