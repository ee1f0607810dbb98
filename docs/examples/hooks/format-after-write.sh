#!/bin/sh
# post_tool_call, matcher write_file|patch: formats a Python file that was just written.
path=$(jq -r '.tool_input.path // empty')
case $path in
  *.py) ruff format --quiet -- "$path" || black --quiet -- "$path" ;;
esac >&2
exit 0
