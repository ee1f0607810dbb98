import type { ChatModel } from '../agent/llm/index.ts';
import type { AgentParts, Conversation, TurnEvent, TurnResult } from '../agent/loop/index.ts';
import type { SessionStore } from '../agent/sessions/index.ts';
import {
  type ApprovalStore,
  type CallReport,
  type CallRequest,
  type ForeignGate,
  performCall,
} from '../gate/index.ts';
import { messageOf, type Result, succeed } from '../kernel/errors/index.ts';
import type { JsonObject } from '../kernel/json/index.ts';
import type { ModelConfig } from '../platform/config/index.ts';
import type { Logger } from '../platform/logging/index.ts';
import { randomId } from '../platform/random/index.ts';
import type { CallOwner, CheckpointStore } from '../safety/checkpoints/index.ts';
import type { CallbackRegistry } from '../safety/hooks/index.ts';
import type { AgentWorkshop } from './agent-workshop.ts';
import type { CheckpointKeeper } from './checkpoint-keeper.ts';
import type { LedgerKeeper, OpenJournal } from './ledger-keeper.ts';
import { chosenModel, otherModel } from './model-choice.ts';
import type { OpenSession, SessionChoice } from './open-session.ts';
import { openStore } from './open-store.ts';
import type { OutboundWebhooks } from './outbound-hooks.ts';
import type { Plugins } from './plugins.ts';
import type { OpenPolicy, PolicyKeeper } from './policy-keeper.ts';
import type { Rewind } from './rewind.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import type { ShellHooks } from './shell-hooks.ts';

export interface TurnRequest {
  readonly conversation: Conversation;
  readonly text: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: TurnEvent) => void;
}

export interface RuntimeParts {
  readonly options: RuntimeOptions;
  readonly callbacks: CallbackRegistry;
  readonly approvals: ApprovalStore;
  readonly workshop: AgentWorkshop;
  readonly checkpoints: CheckpointKeeper;
  readonly ledger: LedgerKeeper;
  readonly policy: PolicyKeeper;
  readonly shellHooks: ShellHooks;
  readonly outbound: OutboundWebhooks;
  readonly plugins: Plugins;
  readonly foreignGate: (agent: string) => Promise<ForeignGate>;
  readonly logger: Logger;
}

/**
 * Everything of Herma in one process: the gate, the tools behind it, the model, the sessions. Made by `createRuntime`;
 * to be closed.
 *
 * What a command does not need is neither opened nor loaded: a single call touches neither the model nor the sessions.
 */
export class Runtime {
  /** Where hooks are added; one that is added guards every call from then on. */
  readonly callbacks: CallbackRegistry;
  readonly approvals: ApprovalStore;
  readonly #parts: RuntimeParts;
  #store: SessionStore | undefined;
  #model: ChatModel | undefined;
  #modelConfig: ModelConfig | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: RuntimeParts) {
    this.callbacks = parts.callbacks;
    this.approvals = parts.approvals;
    this.#parts = parts;
    this.#modelConfig = chosenModel(parts.options.config.model, parts.options.model);
  }

  /** Takes one call through the gate and runs it. */
  async call(request: Omit<CallRequest, 'origin'>, signal: AbortSignal): Promise<CallReport> {
    const { workshop, options } = this.#parts;
    const { gate, toolBox } = await workshop.tools({ forTool: request.tool }, signal);
    return performCall(
      { ...request, origin: { kind: 'herma', surface: options.surface } },
      { gate, toolOf: (name) => toolBox.lookup(name), clock: options.clock, signal },
    );
  }

  /** Registers hooks and asks about those that are new, which every call otherwise waits for. */
  async prepare(): Promise<void> {
    await this.#parts.workshop.whenReady();
  }

  /** The gate for a program of that name, which runs its tools itself. */
  async foreignGate(agent: string): Promise<ForeignGate> {
    return this.#parts.foreignGate(agent);
  }

  /** The slash commands of plugins, once {@link prepare} has resolved. */
  get pluginCommands(): Plugins['commands'] {
    return this.#parts.plugins.commands;
  }

  /** The shell hooks of the configuration. */
  get shellHooks(): ShellHooks {
    return this.#parts.shellHooks;
  }

  /** The sessions of this home. */
  sessions(): Result<SessionStore> {
    if (this.#store !== undefined) return succeed(this.#store);
    const opened = openStore(this.#parts.options);
    if (opened.ok) this.#store = opened.value;
    return opened;
  }

  /** Opens a session that this process alone writes to. */
  async openSession(choice: SessionChoice): Promise<Result<OpenSession>> {
    const store = this.sessions();
    if (!store.ok) return store;
    const { options, workshop } = this.#parts;
    this.#maintainCheckpoints();
    for (const line of await this.#parts.checkpoints.recover()) options.onWarning(line);
    for (const line of await this.#parts.ledger.recover()) options.onWarning(line);
    const { openSession } = await import('./open-session.ts');
    return openSession(store.value, choice, {
      ...options,
      source: options.surface,
      model: this.#modelConfig?.name,
      repair: { effectOf: (tool, args) => workshop.builtIn().effectOf(tool, args) },
    });
  }

  /** The model in use; fails, with what to do, when there is none. */
  async model(): Promise<Result<ChatModel>> {
    if (this.#model !== undefined) return succeed(this.#model);
    const { openModel } = await import('./open-model.ts');
    const opened = await openModel({ ...this.#parts.options, model: this.#modelConfig });
    if (opened.ok) this.#model = opened.value;
    return opened;
  }

  /** Uses another model from the next turn on. On failure the one in use stays. */
  async useModel(name: string): Promise<Result<ChatModel>> {
    const config = otherModel(this.#modelConfig, name);
    const { openModel } = await import('./open-model.ts');
    const opened = await openModel({ ...this.#parts.options, model: config });
    if (!opened.ok) return opened;
    this.#model = opened.value;
    this.#modelConfig = config;
    return opened;
  }

  /** Runs one turn; see the loop's `runTurn`. Fails when there is no model or no storage. */
  async runTurn({ conversation, text, signal, onEvent }: TurnRequest): Promise<Result<TurnResult>> {
    const agent = await this.#agentFor(conversation, signal);
    if (!agent.ok) return agent;
    const { runTurn } = await import('../agent/loop/index.ts');
    const result = await runTurn(agent.value, { conversation, text, signal, onEvent });
    this.#logTurn(result, conversation.sessionId);
    return succeed(result);
  }

  /** Condenses a conversation now, whatever its size. */
  async compress(conversation: Conversation, signal: AbortSignal): Promise<Result<number>> {
    const agent = await this.#agentFor(conversation, signal);
    if (!agent.ok) return agent;
    const { compressConversation } = await import('../agent/loop/index.ts');
    const condensed = await compressConversation(agent.value, conversation, { signal });
    return condensed.ok ? succeed(condensed.value.messages.length) : condensed;
  }

  /** Whether calls are captured before they run. */
  get checkpointsEnabled(): boolean {
    return this.#parts.checkpoints.isEnabled;
  }

  /** The store of checkpoints, also when none are taken. Fails when it cannot be opened. */
  async checkpoints(): Promise<Result<CheckpointStore>> {
    return this.#parts.checkpoints.store();
  }

  /** The journal, also when calls are not journalled. */
  async journal(): Promise<OpenJournal> {
    return this.#parts.ledger.journal();
  }

  /** The policy, whatever its mode. */
  async policy(): Promise<OpenPolicy> {
    return this.#parts.policy.policy();
  }

  /** Calls a tool that only reads, through the gate, for the sake of the program itself. Undefined when it gives no answer. */
  async readWith(tool: string, args: JsonObject, signal: AbortSignal): Promise<string | undefined> {
    const sessionId = randomId('probe');
    const ids = { callId: randomId('call'), sessionId, rootSessionId: sessionId, turnId: '', ordinal: 0 };
    const report = await this.call({ ...ids, tool, args, cwd: this.#parts.options.cwd }, signal);
    return report.status === 'ok' ? report.text : undefined;
  }

  /** Takes the turn of a checkpoint and all later ones out of its conversation: the one that is `open`, else a stored one. */
  async rewindTo(owner: CallOwner, open?: Conversation): Promise<Rewind> {
    const { rewindOpen, rewindStored } = await import('./rewind.ts');
    if (open !== undefined) return rewindOpen(owner, open);
    const store = this.sessions();
    if (!store.ok) return { type: 'not_possible', message: store.message };
    return rewindStored(owner, { store: store.value, locks: this.#parts.options.paths.locks });
  }

  newId(prefix: string): string {
    return randomId(prefix);
  }

  /** Ends what this runtime started: background commands, MCP servers, deliveries, files. All steps run, even when one fails. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    const { workshop, checkpoints, ledger, shellHooks, outbound, plugins, logger } = this.#parts;
    const steps = [
      async () => workshop.close(),
      async () => plugins.close(),
      async () => shellHooks.close(),
      async () => outbound.close(),
      async () => checkpoints.maintainLater(),
      async () => checkpoints.close(),
      async () => ledger.close(),
      async () => Promise.resolve(this.#store?.close()),
      async () => Promise.resolve(logger.close()),
    ];
    const failures: unknown[] = [];
    for (const step of steps) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** At the start of a session, beside it: what is old goes even when the session is killed. */
  #maintainCheckpoints(): void {
    const { checkpoints, logger } = this.#parts;
    checkpoints.maintainLater().catch((error: unknown) => {
      logger.warn(`checkpoints could not be maintained: ${messageOf(error)}`);
    });
  }

  async #agentFor(conversation: Conversation, signal: AbortSignal): Promise<Result<AgentParts>> {
    const [model, store] = [await this.model(), this.sessions()];
    if (!model.ok) return model;
    if (!store.ok) return store;
    const { workshop } = this.#parts;
    return succeed(await workshop.agent({ model: model.value, store: store.value, conversation, signal }));
  }

  #logTurn({ end, turnId, requests, calls, failure }: TurnResult, sessionId: string): void {
    const fields = { session_id: sessionId, turn_id: turnId, requests, calls: calls.length };
    if (failure === undefined) this.#parts.logger.info(`turn ${end}`, fields);
    else
      this.#parts.logger.error(`turn ${end}`, {
        ...fields,
        error_type: failure.code,
        error: failure.message,
      });
  }
}
