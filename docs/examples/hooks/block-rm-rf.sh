#!/bin/sh
# pre_tool_call, matcher terminal: blocks commands that delete from the root.
command=$(jq -r '.tool_input.command // empty')
case $command in
  *"rm -rf /"*) printf '{"action": "block", "message": "rm -rf / is not run here."}\n' ;;
  *) printf '{}\n' ;;
esac
