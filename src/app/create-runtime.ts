import {
  ApprovalStore,
  type Approver,
  ForeignGate,
  hookAudience,
  OpenCallStore,
  PersonApprover,
} from '../gate/index.ts';
import { createRedactor, type Redactor } from '../kernel/redact/index.ts';
import { describeCall } from '../kernel/tool-call/index.ts';
import { createLogger, type Logger } from '../platform/logging/index.ts';
import { projectRoot, resolvePath } from '../platform/paths/index.ts';
import { randomId } from '../platform/random/index.ts';
import { CallbackRegistry } from '../safety/hooks/index.ts';
import { AgentWorkshop } from './agent-workshop.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import { knownSecrets } from './known-secrets.ts';
import { loggedAudience } from './logged-audience.ts';
import { Runtime } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** Characters of a call that lists of approvals show. */
const SHOWN_CHARS = 200;

/** Builds a runtime. Nothing is opened or started yet, so this cannot fail. */
export function createRuntime(given: RuntimeOptions): Runtime {
  const redactor = createRedactor({ extraSecrets: knownSecrets(given) });
  const logger = openLog(given, redactor);
  const options = { ...given, onWarning: loggedWarning(given, logger, redactor) };
  const { paths, clock, config } = options;
  const callbacks = new CallbackRegistry(clock);
  const audience = loggedAudience(hookAudience(callbacks), logger);
  const approvals = new ApprovalStore({
    path: paths.approvals,
    lockPath: resolvePath(paths.locks, 'approvals'),
    clock,
    newId: () => randomId('apr'),
  });
  const approver = (prompt: RuntimeOptions['approve']): Approver =>
    new PersonApprover({
      ...(prompt === undefined ? {} : { prompt }),
      yolo: options.yolo ?? false,
      store: approvals,
      projectOf: projectRoot,
      describe: (call) => redactor.redactAndCut(describeCall(call, 1000), SHOWN_CHARS),
      timeoutMs: config.approvals.timeoutMs,
      clock,
      callbacks,
      surface: options.surface,
      onWarning: options.onWarning,
    });
  const checkpoints = new CheckpointKeeper(options);
  const step = checkpoints.step();
  const workshop = new AgentWorkshop({
    options,
    checkpoints: step,
    callbacks,
    audience,
    redactor,
    approver: approver(options.approve),
  });
  const foreignGate = (agent: string): ForeignGate =>
    new ForeignGate({
      gate: {
        catalog: workshop.builtIn(),
        guards: workshop.guards,
        audience,
        ...(step === undefined ? {} : { checkpoints: step }),
        redact: (text) => redactor.text(text),
        clock,
        newTicketId: () => randomId('tkt'),
      },
      remembered: approver(undefined),
      calls: new OpenCallStore(resolvePath(paths.run, 'calls'), clock),
      callbacks,
      redactor,
      clock,
      agent,
    });
  return new Runtime({ options, callbacks, approvals, workshop, checkpoints, foreignGate, logger });
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
