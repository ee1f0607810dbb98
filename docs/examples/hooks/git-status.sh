#!/bin/sh
# pre_llm_call: tells the model in each turn what git says of the working directory.
status=$(git status --short --branch 2>/dev/null) || exit 0
jq -n --arg status "$status" '{context: ("git status:\n" + $status)}'
