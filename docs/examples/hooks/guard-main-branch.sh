#!/bin/sh
# pre_tool_call, matcher terminal, in Claude Code's dialect: no commit and no push while main is checked out.
command=$(jq -r '.tool_input.command // empty')
branch=$(git symbolic-ref --short -q HEAD) || exit 0
case $branch:$command in
  main:*"git commit"* | main:*"git push"*)
    printf '{"decision": "block", "reason": "main is checked out; make a branch first."}\n' ;;
esac
