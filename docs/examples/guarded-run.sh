#!/usr/bin/env bash
# Runs a command line through the gate: guarded-run.sh 'git push'. Needs herma and jq on the PATH.
set -uo pipefail

call=$(jq -n --arg command "$1" --arg cwd "$PWD" --argjson pid $$ \
  '{tool_name: "run", tool_input: {command: $command}, session_id: "guarded-run", cwd: $cwd, owner_pid: $pid}')

if ! answer=$(herma gate before --agent guarded-run <<<"$call"); then
  echo "not run: $(jq -r .reason <<<"$answer")" >&2
  exit 1
fi

output=$(bash -c "$(jq -r .tool_input.command <<<"$answer")" 2>&1)
code=$?
printf '%s\n' "$output"

jq --arg output "$output" --argjson code $code \
  '{ticket, status: (if $code == 0 then "ok" else "error" end), result: $output}' <<<"$answer" |
  herma gate after --agent guarded-run >/dev/null
exit $code
