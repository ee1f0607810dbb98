#!/bin/sh
# subagent_stop: one line per child agent, in subagents.log of the home.
jq -c '{at: (now | todate), session: .session_id} + (.extra | {child_session_id, child_status, child_summary, duration_ms})' \
  >>"$HERMA_HOME/subagents.log"
