import type { ChatModel } from '../agent/llm/index.ts';
import type { AgentParts, Conversation } from '../agent/loop/index.ts';
import { systemPrompt } from '../agent/prompt/index.ts';
import type { SessionStore } from '../agent/sessions/index.ts';
import { createToolBox, type ToolBox } from '../agent/tools/index.ts';
import {
  type Approver,
  askGuard,
  type CallAudience,
  type CheckpointStep,
  Gate,
  type JournalStep,
  protectedPaths,
  protectedTargetGuard,
  type SelfProtection,
  type Tool,
} from '../gate/index.ts';
import { valueOrThrow } from '../kernel/errors/index.ts';
import type { Redactor } from '../kernel/redact/index.ts';
import type { ToolDeclaration } from '../kernel/tool-call/index.ts';
import type { CallGuard } from '../kernel/verdict/index.ts';
import { platformName } from '../platform/environment/index.ts';
import { isInProject, userHome } from '../platform/paths/index.ts';
import { randomId } from '../platform/random/index.ts';
import type { CallbackRegistry } from '../safety/hooks/index.ts';
import { BuiltInTools } from './built-in-tools.ts';
import type { LedgerKeeper } from './ledger-keeper.ts';
import { McpServers, type NeededServers } from './mcp-servers.ts';
import type { Plugins } from './plugins.ts';
import type { PolicyKeeper } from './policy-keeper.ts';
import { readProjectInstructions } from './project-instructions.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export interface WorkshopParts {
  readonly options: RuntimeOptions;
  readonly callbacks: CallbackRegistry;
  readonly audience: CallAudience;
  readonly redactor: Redactor;
  readonly approver: Approver;
  readonly plugins: Plugins;
  readonly protection: SelfProtection;
  /** Everything that guards is registered when it has resolved. */
  readonly ready: () => Promise<void>;
  /** Absent when checkpoints are off. */
  readonly checkpoints: CheckpointStep | undefined;
  /** Absent when the journal is off. */
  readonly journal: JournalStep | undefined;
  readonly ledger: LedgerKeeper;
  readonly policy: PolicyKeeper;
}

/** A gate and the tools behind it. */
export interface GatedTools {
  readonly gate: Gate;
  readonly toolBox: ToolBox;
}

/** Builds gates, tools and agents, and ends what the tools have started. */
export class AgentWorkshop {
  readonly #parts: WorkshopParts;
  readonly #builtIn: BuiltInTools;
  readonly #mcp: McpServers;
  readonly #systems = new Map<string, string>();
  readonly #configured: readonly CallGuard[];
  readonly #own: readonly CallGuard[];
  readonly #policy: CallGuard;
  #ready: Promise<void> | undefined;

  constructor(parts: WorkshopParts) {
    this.#parts = parts;
    const { ask } = parts.options.config.approvals;
    this.#configured = ask.length === 0 ? [] : [askGuard(ask)];
    const { paths, environment } = parts.options;
    this.#own = [
      parts.protection.guard(),
      protectedTargetGuard({ paths: protectedPaths(paths), userHome: userHome(environment) }),
    ];
    this.#policy = parts.policy.guard();
    this.#builtIn = new BuiltInTools(parts);
    this.#mcp = new McpServers(parts.options);
  }

  /** Resolves when all hooks are registered. No call is made before. */
  async whenReady(): Promise<void> {
    this.#ready ??= this.#parts.ready();
    return this.#ready;
  }

  /** The tools that need no server. */
  builtIn(): ToolBox {
    return this.#builtIn.toolBox();
  }

  /** What is known of a tool without starting a server; undefined of one that is neither built in nor a plugin's. */
  declarationOf(name: string): ToolDeclaration | undefined {
    return this.builtIn().lookup(name) ?? this.#parts.plugins.tools.find((tool) => tool.name === name);
  }

  /** The built-in tools and those of the servers that are needed, without those that are disabled, behind their gate. */
  async tools(needed: NeededServers, signal: AbortSignal): Promise<GatedTools> {
    await this.whenReady();
    const { disabled } = this.#parts.options.config.tools;
    const more = [...this.#parts.plugins.tools, ...(await this.#mcp.tools(needed, signal))];
    const toolBox = withTools(this.builtIn(), more).without(disabled);
    return { toolBox, gate: this.gate(toolBox) };
  }

  /** Who is asked before every call: those that guard the guards, the hooks, the policy, then what the configuration says. */
  readonly guards = (): readonly CallGuard[] => [
    ...this.#own,
    ...this.#parts.callbacks.guards(),
    this.#policy,
    ...this.#configured,
  ];

  gate(toolBox: ToolBox): Gate {
    const { options, audience, redactor, approver, checkpoints, journal } = this.#parts;
    return new Gate({
      ...(checkpoints === undefined ? {} : { checkpoints }),
      ...(journal === undefined ? {} : { journal }),
      catalog: toolBox,
      unknownTools: 'refuse',
      guards: this.guards,
      protection: this.#parts.protection,
      approver,
      audience,
      redact: (text) => redactor.text(text),
      clock: options.clock,
      newTicketId: () => randomId('tkt'),
    });
  }

  /** The person's agent, which may delegate as far as the configuration lets it. */
  async agent({ model, store, conversation, signal }: AgentRequest): Promise<AgentParts> {
    const { options, callbacks } = this.#parts;
    const { delegation, tools } = options.config;
    const agent = await this.#agentAlone(model, {
      system: await this.#systemOf(conversation.rootSessionId),
      signal,
    });
    const { createDelegation } = await import('../agent/delegation/index.ts');
    const { acquireSession } = await import('../agent/sessions/index.ts');
    const delegate = createDelegation({
      ...delegation,
      store,
      callbacks,
      clock: options.clock,
      model: model.label,
      hold: async (sessionId) => acquireSession(sessionId, { locks: options.paths.locks }),
      agentFor: async () => ({ ...agent, system: await this.#writeSystem({ isDelegated: true }) }),
    });
    if (delegate === undefined || tools.disabled.includes(delegate.name)) return agent;
    const toolBox = withTools(agent.toolBox, [delegate]);
    return { ...agent, toolBox, gate: this.gate(toolBox) };
  }

  async #agentAlone(
    model: ChatModel,
    { system, signal }: { readonly system: string; readonly signal: AbortSignal },
  ): Promise<AgentParts> {
    const { options, callbacks } = this.#parts;
    const { agent, compression } = options.config;
    return {
      ...(await this.tools('all', signal)),
      model,
      callbacks,
      clock: options.clock,
      newId: randomId,
      system,
      cwd: options.cwd,
      surface: options.surface,
      maxIterations: agent.maxIterations,
      verify: agent.verify,
      maxVerifyNudges: agent.maxVerifyNudges,
      isCodeProject: isInProject(options.cwd),
      briefing: async (lineage, isStillTold) => this.#parts.ledger.briefing(lineage, isStillTold),
      compression,
    };
  }

  /** Ends what the tools have started. Both steps run to their end; then the first failure is thrown. */
  async close(): Promise<void> {
    const steps = await Promise.allSettled([this.#builtIn.close(), this.#mcp.close()]);
    for (const step of steps) if (step.status === 'rejected') throw step.reason;
  }

  /** The same text for all turns of a lineage, so that providers can cache it. */
  async #systemOf(rootSessionId: string): Promise<string> {
    const system = this.#systems.get(rootSessionId) ?? (await this.#writeSystem({ isDelegated: false }));
    this.#systems.set(rootSessionId, system);
    return system;
  }

  async #writeSystem({ isDelegated }: { readonly isDelegated: boolean }): Promise<string> {
    const { options } = this.#parts;
    const projectInstructions = await readProjectInstructions(options);
    const { systemPrompt: personInstructions } = options.config.agent;
    const pluginSections = await this.#parts.plugins.promptSections();
    return systemPrompt({
      cwd: options.cwd,
      platform: platformName(),
      day: new Date(options.clock.now()).toISOString().slice(0, 10),
      isDelegated,
      ...(projectInstructions === undefined ? {} : { projectInstructions }),
      ...(pluginSections === '' ? {} : { pluginSections }),
      ...(personInstructions === undefined ? {} : { personInstructions }),
    });
  }
}

export interface AgentRequest {
  readonly model: ChatModel;
  readonly store: SessionStore;
  readonly conversation: Conversation;
  readonly signal: AbortSignal;
}

function withTools(box: ToolBox, tools: readonly Tool[]): ToolBox {
  if (tools.length === 0) return box;
  const own = box.names().flatMap((name) => box.lookup(name) ?? []);
  return valueOrThrow(createToolBox([...own, ...tools]));
}
