import {
  ApprovalStore,
  type Approver,
  ForeignGate,
  hookAudience,
  OpenCallStore,
  PersonApprover,
} from '../gate/index.ts';
import { createRedactor } from '../kernel/redact/index.ts';
import { describeCall } from '../kernel/tool-call/index.ts';
import { credentialNames } from '../platform/environment/index.ts';
import { projectRoot, resolvePath } from '../platform/paths/index.ts';
import { randomId } from '../platform/random/index.ts';
import { CallbackRegistry } from '../safety/hooks/index.ts';
import { AgentWorkshop } from './agent-workshop.ts';
import { Runtime } from './runtime.ts';
import type { RuntimeOptions } from './runtime-options.ts';

/** Characters of a call that lists of approvals show. */
const SHOWN_CHARS = 200;

/** Builds a runtime. Nothing is opened or started yet, so this cannot fail. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { paths, clock, environment, config } = options;
  const callbacks = new CallbackRegistry(clock);
  const redactor = createRedactor({ extraSecrets: knownSecrets(options) });
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
  const workshop = new AgentWorkshop({ options, callbacks, redactor, approver: approver(options.approve) });
  const foreignGate = (agent: string): ForeignGate =>
    new ForeignGate({
      gate: {
        catalog: workshop.builtIn(),
        guards: workshop.guards,
        audience: hookAudience(callbacks),
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
  return new Runtime({ options: { ...options, environment }, callbacks, approvals, workshop, foreignGate });
}

/** The values that must appear in no record: the provider keys of this environment. */
function knownSecrets({ environment, config, model }: RuntimeOptions): readonly string[] {
  const names = [...credentialNames, config.model?.apiKeyEnv, model?.apiKeyEnv].filter(
    (name) => name !== undefined,
  );
  return names.flatMap((name) => environment[name] ?? []);
}
