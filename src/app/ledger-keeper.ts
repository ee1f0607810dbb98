import type { JournalContext, JournalStep } from '../gate/index.ts';
import { messageOf, succeed } from '../kernel/errors/index.ts';
import { fingerprint, isJsonObject, type JsonObject, parseJson, toJsonValue } from '../kernel/json/index.ts';
import type { Redactor } from '../kernel/redact/index.ts';
import { describeCall, isRecorded, type ToolCall, type ToolDeclaration } from '../kernel/tool-call/index.ts';
import type { LedgerProbeConfig } from '../platform/config/index.ts';
import { makeDirectory, removeFile } from '../platform/files/index.ts';
import type { Logger } from '../platform/logging/index.ts';
import { projectRoot, resolvePath, userHome } from '../platform/paths/index.ts';
import type {
  Briefing,
  ChildState,
  Ghost,
  GhostWatch,
  HeadAnchors,
  Ledger,
  LedgerRow,
  Probe,
  ProbePort,
} from '../safety/ledger/index.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export interface LedgerKeeperParts {
  readonly options: RuntimeOptions;
  readonly redactor: Redactor;
  readonly logger: Logger;
  /** What is declared of a tool; undefined when nobody declared it. */
  readonly toolOf: (name: string) => ToolDeclaration | undefined;
  /** The probes of plugins, for tools of their own. */
  readonly probes: () => Promise<readonly RegisteredProbe[]>;
  /** How far the session got that a call of `delegate_task` delegated to. */
  readonly childState: (row: LedgerRow) => Promise<ChildState | undefined>;
  /** Calls a tool that only reads, through the gate; undefined when there is no answer. */
  readonly callReadTool: (tool: string, args: JsonObject, signal: AbortSignal) => Promise<string | undefined>;
}

/** Looks whether the effect of a call of that tool is there. */
export interface RegisteredProbe {
  readonly tool: string;
  readonly probe: Probe;
}

/** A journal with everything that watches over it. */
export interface OpenJournal {
  readonly ledger: Ledger;
  readonly watch: GhostWatch;
  readonly anchors: HeadAnchors;
}

/** Every so many rows the head of the journal is noted elsewhere; a chat notes it at its end. */
const ANCHOR_EVERY = 16;

/** Opens the journal when something needs it, and looks after it. */
export class LedgerKeeper {
  readonly #parts: LedgerKeeperParts;
  #opening: Promise<OpenJournal> | undefined;
  #prober: Promise<ProbePort> | undefined;
  #hasRunFolder = false;
  #noting: Promise<unknown> = Promise.resolve();
  #pruning: Promise<unknown> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(parts: LedgerKeeperParts) {
    this.#parts = parts;
  }

  /** The step of the gate; none when the journal is off. */
  step(): JournalStep | undefined {
    const { config } = this.#parts.options;
    if (!config.ledger.enabled) return undefined;
    let step: Promise<JournalStep> | undefined;
    const opened = async (): Promise<JournalStep> => (step ??= this.#openStep());
    return {
      // A read needs no journal.
      before: async (call, context) =>
        isRecorded(call)
          ? (await opened()).before(call, this.#withPresence(call, context))
          : { type: 'journalled', entry: '', warnings: [] },
      after: async (entry, ended) => {
        if (entry === '') return [];
        const warnings = await (await opened()).after(entry, ended);
        await this.#removeExitFile(ended.call);
        return warnings;
      },
      refused: async (call, why, context) => (await opened()).refused(call, why, context),
    };
  }

  /** Notes of a call of our own that nobody was there to be asked about. */
  #withPresence({ origin }: ToolCall, context: JournalContext): JournalContext {
    if (origin.kind !== 'herma' || this.#parts.options.approve !== undefined) return context;
    return { ...context, verdicts: [...context.verdicts, { by: 'session', verdict: 'unattended' }] };
  }

  /** The journal, whether calls are journalled or not. */
  async journal(): Promise<OpenJournal> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Where the shell of a call leaves its exit code, for whoever comes later; undefined when nobody would look. */
  exitFileOf(call: ToolCall): string | undefined {
    const { config, paths } = this.#parts.options;
    if (!config.ledger.enabled || !this.#hasRunFolder) return undefined;
    const { rootSessionId, turnId, callId, ordinal, fingerprint: print } = call;
    const name = fingerprint(['exit-file', rootSessionId, turnId, callId, ordinal, print]).slice(0, 32);
    return resolvePath(paths.run, `${name}.rc`);
  }

  /** What the model of a lineage is to be told before its next turn. */
  async briefing(rootSessionId: string, isStillTold?: (mark: string) => boolean): Promise<Briefing> {
    const { config } = this.#parts.options;
    if (!config.ledger.enabled) return { text: '', warnings: [] };
    const { watch, ledger } = await this.journal();
    if (!ledger.file.exists) return { text: '', warnings: [] };
    return watch.briefing(rootSessionId, isStillTold);
  }

  /**
   * Looks what became of the calls that dead processes left, whatever their session, and begins to remove rows that are old, for which nobody
   * waits. The value is one line for the person where there is something to know.
   */
  async recover(): Promise<readonly string[]> {
    const { config } = this.#parts.options;
    if (!config.ledger.enabled) return [];
    const { watch, ledger } = await this.journal();
    if (!ledger.file.exists) return [];
    const found = await watch.recover();
    this.#pruning = Promise.all([this.#pruning, this.#prune(ledger)]).catch((error: unknown) => {
      this.#parts.logger.warn(`the journal could not be pruned: ${messageOf(error)}`);
    });
    if (!found.ok) return [`The journal could not be asked for lost calls: ${found.message}`];
    return found.value.length === 0 ? [] : [lostCalls(found.value)];
  }

  /** Journals that files which guard the person were changed by a call. What cannot be is in the log. */
  noteTampering(files: readonly string[]): void {
    const { options, redactor, logger } = this.#parts;
    if (!options.config.ledger.enabled) return;
    const noted = this.journal().then(async ({ ledger }) =>
      ledger.note('tampered', { files: redactor.redactAndCut(files.join('; '), TAMPERED_CHARS) }),
    );
    this.#noting = Promise.all([this.#noting, noted])
      .then(([, result]) => {
        if (!result.ok) logger.warn(`the tampering could not be journalled: ${result.message}`);
      })
      .catch((error: unknown) => {
        logger.warn(`the tampering could not be journalled: ${messageOf(error)}`);
      });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#noting, this.#pruning]);
    const opened = await this.#opening;
    if (opened === undefined) return;
    await this.#noteHead(opened);
    opened.ledger.close();
  }

  async #open(): Promise<OpenJournal> {
    const { openLedger, GhostWatch: Watch, HeadAnchors: Anchors } = await import('../safety/ledger/index.ts');
    const { options, redactor } = this.#parts;
    const ledger = openLedger({
      path: options.paths.ledgerDatabase,
      clock: options.clock,
      redactor,
      onDamage: (line) => options.onWarning(line),
    });
    const watch = new Watch({
      ledger,
      clock: options.clock,
      probes: {
        foresee: async (call) => (await this.#openProber()).foresee(call),
        probe: async (row) => (await this.#openProber()).probe(row),
      },
      describe: describeRow,
    });
    return { ledger, watch, anchors: new Anchors(options.paths.ledgerHeads) };
  }

  async #openStep(): Promise<JournalStep> {
    const { ledgerJournalStep } = await import('../gate/index.ts');
    const { graceOf } = await import('../safety/ledger/index.ts');
    const { ledger } = await this.journal();
    const { onFailure, retryLimit, graceSeconds, grace } = this.#parts.options.config.ledger;
    await this.#makeRunFolder();
    return ledgerJournalStep({
      ledger,
      foresee: async (call) => (await this.#openProber()).foresee(call),
      classOf: async (call) => this.#classOf(call),
      isRepeatable: async (call) => this.#isRepeatable(call),
      onFailure,
      retryLimit,
      graceMsOf: (tool) => graceOf(tool, { graceSeconds, byTool: grace }),
    });
  }

  /** Without the folder commands leave no exit code, and their probes say less: no reason to keep them from running. */
  async #makeRunFolder(): Promise<void> {
    const { paths } = this.#parts.options;
    const made = await makeDirectory(paths.run, { mode: 0o700 });
    this.#hasRunFolder = made.ok;
    if (!made.ok) this.#parts.logger.warn(`commands leave no exit codes: ${made.message}`);
  }

  async #removeExitFile(call: ToolCall): Promise<void> {
    const path = call.tool === 'terminal' ? this.exitFileOf(call) : undefined;
    if (path === undefined) return;
    const removed = await removeFile(path);
    if (!removed.ok) this.#parts.logger.warn(`an exit file stays: ${removed.message}`);
  }

  async #openProber(): Promise<ProbePort> {
    this.#prober ??= this.#makeProber();
    return this.#prober;
  }

  async #makeProber(): Promise<ProbePort> {
    const { Prober } = await import('../safety/ledger/index.ts');
    const { options, redactor, toolOf, childState, callReadTool } = this.#parts;
    const prober = new Prober({
      clock: options.clock,
      redactor,
      userHome: userHome(options.environment),
      foreseeOf: (tool) => toolOf(tool)?.foresee,
      exitFileOf: (call) => this.exitFileOf(call),
      childState,
      callReadTool,
      mcpProbes: new Map([...options.config.ledger.probes].map(([tool, probe]) => [tool, toMcpProbe(probe)])),
    });
    for (const { tool, probe } of await this.#parts.probes()) {
      const registered = prober.register(tool, probe);
      if (!registered.ok) options.onWarning(registered.message);
    }
    return prober;
  }

  async #classOf({ tool, args, cwd }: ToolCall): Promise<string | undefined> {
    const command = args['command'];
    if (tool !== 'terminal' || typeof command !== 'string') return undefined;
    const { analyseCommand, footprintOf } = await import('../shell/index.ts');
    const { paths, environment } = this.#parts.options;
    const { findings } = analyseCommand(command, {
      cwd,
      workspace: projectRoot(cwd),
      home: userHome(environment),
      hermaHome: paths.home,
    });
    return findings[0]?.class ?? (footprintOf(command).isReadOnly ? 'read-only' : undefined);
  }

  async #isRepeatable({ tool, args }: ToolCall): Promise<boolean> {
    if (this.#parts.toolOf(tool)?.idempotent === true) return true;
    const command = args['command'];
    if (tool !== 'terminal' || typeof command !== 'string') return false;
    const { footprintOf } = await import('../shell/index.ts');
    return footprintOf(command).isReadOnly;
  }

  async #prune(ledger: Ledger): Promise<void> {
    const { clock, config } = this.#parts.options;
    const { pruneLedger } = await import('../safety/ledger/index.ts');
    const pruned = await pruneLedger(ledger, {
      maxAgeMs: config.ledger.retentionDays * DAY_MS,
      maxRows: config.ledger.maxRows,
      nowMs: clock.now(),
      signal: this.#closing.signal,
    });
    if (!pruned.ok) this.#parts.logger.warn(`the journal could not be pruned: ${pruned.message}`);
    else if (pruned.value.rows > 0)
      this.#parts.logger.info('the journal was pruned', { rows: pruned.value.rows });
  }

  /** So that a journal which is cut off or replaced is found out. */
  async #noteHead({ ledger, anchors }: OpenJournal): Promise<void> {
    const { options, logger } = this.#parts;
    const written = ledger.written;
    if (written === undefined) return;
    const isDue = options.surface === 'cli' || written.last % ANCHOR_EVERY < written.last - written.first + 1;
    const head = isDue ? await ledger.head() : succeed(undefined);
    if (!head.ok || head.value === undefined) return;
    logger.info('journal head', { seq: head.value.seq, sha256: head.value.hash });
    const noted = await anchors.note(head.value, new Date(options.clock.now()).toISOString());
    if (!noted.ok) logger.warn(`the head of the journal could not be noted: ${noted.message}`);
  }
}

const TAMPERED_CHARS = 2000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** One line that tells which call a row is of. */
export function describeRow({ toolName, argsJson }: Pick<LedgerRow, 'toolName' | 'argsJson'>): string {
  const parsed = argsJson === null ? undefined : parseJson(argsJson);
  const args = parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : {};
  return describeCall({ tool: toolName, args });
}

function lostCalls(ghosts: readonly Ghost[]): string {
  const [count, calls] = [String(ghosts.length), ghosts.length === 1 ? 'call' : 'calls'];
  return `${count} ${calls} never ended as far as the journal knows: \`herma ledger ghosts\` shows what became of them, \`herma ledger ack\` takes them off.`;
}

function toMcpProbe({ tool, args, expect }: LedgerProbeConfig): {
  readonly tool: string;
  readonly args: JsonObject;
  readonly expect: string;
} {
  const value = toJsonValue(args);
  return { tool, args: isJsonObject(value) ? value : {}, expect };
}
