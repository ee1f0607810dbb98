import {
  ApprovalStore,
  type Approver,
  type CallAudience,
  type CheckpointStep,
  describeFinding,
  ForeignGate,
  hookAudience,
  type JournalStep,
  OpenCallStore,
  PersonApprover,
  protectedPaths,
  SelfProtection,
} from '../gate/index.ts';
import { createRedactor, type Redactor } from '../kernel/redact/index.ts';
import { describeCall } from '../kernel/tool-call/index.ts';
import { createLogger, type Logger } from '../platform/logging/index.ts';
import { projectRoot, resolvePath } from '../platform/paths/index.ts';
import { randomId } from '../platform/random/index.ts';
import { CallbackRegistry } from '../safety/hooks/index.ts';
import { AgentWorkshop } from './agent-workshop.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import { childState } from './child-state.ts';
import { knownSecrets } from './known-secrets.ts';
import { LedgerKeeper } from './ledger-keeper.ts';
import { loggedAudience } from './logged-audience.ts';
import { OutboundWebhooks } from './outbound-hooks.ts';
import { Plugins } from './plugins.ts';
import { PolicyKeeper } from './policy-keeper.ts';
import { Runtime, type RuntimeParts } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { ShellHooks, type ShellHooksParts } from './shell-hooks.ts';

/** Characters of a call that lists of approvals show. */
const SHOWN_CHARS = 200;

/** Builds a runtime. Nothing is opened or started yet, so this cannot fail. */
export function createRuntime(given: RuntimeOptions): Runtime {
  const redactor = createRedactor({ extraSecrets: knownSecrets(given) });
  const logger = openLog(given, redactor);
  const options = { ...given, onWarning: loggedWarning(given, logger, redactor) };
  const base = { options, redactor, logger };
  const callbacks = new CallbackRegistry(options.clock);
  const audience = loggedAudience(hookAudience(callbacks), logger);
  const protection = watchTheGuards({ ...base, onTampered: (files) => ledger.noteTampering(files) });
  const approvals = approvalsOf(options, protection);
  const approver = personApprovers({ options, approvals, callbacks, redactor });
  const checkpoints = new CheckpointKeeper(options);
  const step = checkpoints.step();
  const ledger = keepLedger({
    ...base,
    plugins: () => plugins,
    workshop: () => workshop,
    runtime: () => runtime,
  });
  const journal = ledger.step();
  const policy = new PolicyKeeper({ options, redactor, ledger });
  const shellHooks = shellHooksOf({ options, callbacks, logger, protection });
  const outbound = new OutboundWebhooks({ options, callbacks, redactor, logger });
  const plugins = new Plugins({
    options,
    callbacks,
    logger,
    reservedTools: () => reservedTools(workshop, options),
  });
  const workshop: AgentWorkshop = new AgentWorkshop({
    ready: async () => registerHooks({ plugins, shellHooks, outbound }, options.onWarning),
    protection,
    plugins,
    options,
    checkpoints: step,
    journal,
    ledger,
    policy,
    callbacks,
    audience,
    redactor,
    approver: approver(options.approve),
  });
  const foreignGate = foreignGates({
    options,
    workshop,
    audience,
    callbacks,
    redactor,
    remembered: approver(undefined),
    checkpoints: step,
    journal,
    ledger,
  });
  const runtime: Runtime = new Runtime({
    options,
    ledger,
    policy,
    callbacks,
    approvals,
    workshop,
    checkpoints,
    shellHooks,
    outbound,
    plugins,
    foreignGate,
    logger,
  });
  return runtime;
}

interface KeepLedgerParts {
  readonly options: RuntimeOptions;
  readonly redactor: Redactor;
  readonly logger: Logger;
  readonly plugins: () => Plugins;
  readonly workshop: () => AgentWorkshop;
  readonly runtime: () => Runtime;
}

/** The keeper of the journal, which asks the parts that are built after it. */
function keepLedger({
  options,
  redactor,
  logger,
  plugins,
  workshop,
  runtime,
}: KeepLedgerParts): LedgerKeeper {
  return new LedgerKeeper({
    options,
    redactor,
    logger,
    toolOf: (name) => workshop().declarationOf(name),
    probes: async () => {
      await workshop().whenReady();
      return plugins().probes;
    },
    childState: async (row) => childState(row, () => runtime().sessions()),
    callReadTool: async (tool, args, signal) => runtime().readWith(tool, args, signal),
  });
}

interface ForeignGatesParts {
  readonly options: RuntimeOptions;
  readonly workshop: AgentWorkshop;
  readonly audience: CallAudience;
  readonly callbacks: CallbackRegistry;
  readonly redactor: Redactor;
  readonly remembered: Approver;
  readonly checkpoints: CheckpointStep | undefined;
  readonly journal: JournalStep | undefined;
  readonly ledger: LedgerKeeper;
}

/** Makes the gates for programs that run their tools themselves, by the program's name. */
function foreignGates({
  options: { paths, clock },
  workshop,
  audience,
  callbacks,
  redactor,
  remembered,
  checkpoints,
  journal,
  ledger,
}: ForeignGatesParts): (agent: string) => Promise<ForeignGate> {
  return async (agent) => {
    await workshop.whenReady();
    return new ForeignGate({
      gate: {
        catalog: workshop.builtIn(),
        guards: workshop.guards,
        audience,
        ...(checkpoints === undefined ? {} : { checkpoints }),
        ...(journal === undefined ? {} : { journal }),
        redact: (text) => redactor.text(text),
        clock,
        newTicketId: () => randomId('tkt'),
      },
      remembered,
      calls: new OpenCallStore(resolvePath(paths.run, 'calls'), clock),
      callbacks,
      redactor,
      clock,
      agent,
      briefing: async (sessionId) => ledger.briefing(sessionId),
    });
  };
}

type Hooks = Pick<RuntimeParts, 'plugins' | 'shellHooks' | 'outbound'>;

/** Plugins come before the scripts of the configuration, and both before those who are only told. */
async function registerHooks(
  { plugins, shellHooks, outbound }: Hooks,
  onWarning: (line: string) => void,
): Promise<void> {
  const lines = [...(await plugins.load()), ...(await shellHooks.ready()), ...(await outbound.ready())];
  for (const line of lines) onWarning(line);
}

/** Names of our own tools, offered or not. */
function reservedTools(workshop: AgentWorkshop, { config }: RuntimeOptions): readonly string[] {
  return [...workshop.builtIn().names(), ...config.tools.disabled, 'delegate_task'];
}

interface ApproverParts {
  readonly options: RuntimeOptions;
  readonly approvals: ApprovalStore;
  readonly callbacks: CallbackRegistry;
  readonly redactor: Redactor;
}

/** Makes those who ask the person: by that prompt, or only what was answered before where there is none. */
function personApprovers({
  options,
  approvals,
  callbacks,
  redactor,
}: ApproverParts): (prompt: RuntimeOptions['approve']) => Approver {
  return (prompt) =>
    new PersonApprover({
      ...(prompt === undefined ? {} : { prompt }),
      yolo: options.yolo ?? false,
      store: approvals,
      projectOf: projectRoot,
      describe: (call) => redactor.redactAndCut(describeCall(call, 1000), SHOWN_CHARS),
      timeoutMs: options.config.approvals.timeoutMs,
      clock: options.clock,
      callbacks,
      surface: options.surface,
      onWarning: options.onWarning,
    });
}

function approvalsOf({ paths, clock }: RuntimeOptions, protection: SelfProtection): ApprovalStore {
  return new ApprovalStore({
    path: paths.approvals,
    lockPath: resolvePath(paths.locks, 'approvals'),
    clock,
    newId: () => randomId('apr'),
    announce: async (path, write) => protection.expectChange(path, write),
  });
}

interface ShellHooksNeeds extends Pick<ShellHooksParts, 'options' | 'callbacks' | 'logger'> {
  readonly protection: SelfProtection;
}

function shellHooksOf({ protection, ...parts }: ShellHooksNeeds): ShellHooks {
  return new ShellHooks({
    ...parts,
    cwdOf: () => parts.options.cwd,
    announce: async (path, write) => protection.expectChange(path, write),
  });
}

interface WatchParts {
  readonly options: RuntimeOptions;
  readonly redactor: Redactor;
  readonly logger: Logger;
  readonly onTampered: (files: readonly string[]) => void;
}

/** Looks after the files that guard the person. */
function watchTheGuards({ options, redactor, logger, onTampered }: WatchParts): SelfProtection {
  return new SelfProtection({
    paths: protectedPaths(options.paths),
    clock: options.clock,
    newId: () => randomId(),
    describe: (call) => redactor.redactAndCut(describeCall(call, 1000), SHOWN_CHARS),
    onTampered: ({ files }) => {
      const found = files.map(describeFinding);
      logger.error('protected files were changed by a call', { files: found.join('; ') });
      onTampered(found);
    },
  });
}

function openLog({ paths, config }: RuntimeOptions, redactor: Redactor): Logger {
  return createLogger({
    path: paths.log,
    level: config.logging.level,
    redact: (text) => redactor.text(text),
  });
}

/** Warnings quote what programs and servers say of themselves. */
function loggedWarning(
  { onWarning }: RuntimeOptions,
  logger: Logger,
  redactor: Redactor,
): (text: string) => void {
  return (text) => {
    const safe = redactor.text(text);
    logger.warn(safe);
    onWarning(safe);
  };
}
