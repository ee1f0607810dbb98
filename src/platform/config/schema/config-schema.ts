import { z } from 'zod';
import type { Config } from '../config.ts';
import { hooksAutoAcceptSchema, hooksConsentSchema, hooksSchema } from './hooks-schema.ts';
import { ledgerSchema } from './ledger-schema.ts';
import { mcpServersSchema } from './mcp-servers-schema.ts';
import { modelSchema } from './model-schema.ts';
import { pluginsSchema } from './plugins-schema.ts';
import {
  agentSchema,
  approvalsSchema,
  checkpointsSchema,
  compressionSchema,
  delegationSchema,
  loggingSchema,
  policySchema,
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
    hooks: hooksSchema.prefault({}),
    hooks_auto_accept: hooksAutoAcceptSchema
      .default(false)
      .describe('Whether hook scripts that are new are approved without a question.'),
    hooks_consent: hooksConsentSchema
      .default('content')
      .describe('What an approval of a hook is bound to: the content of its script, or its path alone.'),
    ledger: ledgerSchema.prefault({}),
    plugins: pluginsSchema.prefault({}),
    policy: policySchema.prefault({}),
    terminal: terminalSchema.prefault({}),
    tools: toolsSchema.prefault({}),
    logging: loggingSchema.prefault({}),
    mcp_servers: mcpServersSchema.prefault({}),
  })
  .transform(
    ({
      model,
      mcp_servers,
      hooks,
      hooks_auto_accept: autoAccept,
      hooks_consent: consent,
      ...sections
    }): Config => ({
      ...(model === undefined ? {} : { model }),
      ...sections,
      hooks: { ...hooks, autoAccept, consent },
      mcpServers: mcp_servers,
    }),
  );
