import type { CallAudience } from '../gate/index.ts';
import type { Logger } from '../platform/logging/index.ts';

/** The same audience, with a line in the log for every call that ended: what ran and how it ended, no contents. */
export function loggedAudience(audience: CallAudience, logger: Logger): CallAudience {
  return {
    observe: (ended, signal) => {
      const { call, status, durationMs, errorType } = ended;
      logger.info(`call ${status}`, {
        tool: call.tool,
        call_id: call.callId,
        session_id: call.sessionId,
        turn_id: call.turnId,
        duration_ms: durationMs,
        ...(errorType === undefined ? {} : { error_type: errorType }),
        ...(ended.errorMessage === undefined ? {} : { error: ended.errorMessage.slice(0, 500) }),
      });
      return audience.observe(ended, signal);
    },
    transform: (ended, signal) => audience.transform(ended, signal),
  };
}
