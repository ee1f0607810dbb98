#!/bin/sh
# pre_tool_call, matcher terminal: a person is asked before something is deployed. rule_key is what "always" is about.
command=$(jq -r '.tool_input.command // empty')
case $command in
  *"terraform apply"* | *"kubectl apply"* | *"npm publish"*)
    printf '{"action": "approve", "message": "This deploys.", "rule_key": "deploy"}\n' ;;
esac
