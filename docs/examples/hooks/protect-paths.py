#!/usr/bin/env python3
"""pre_tool_call, matcher write_file|patch, fail_closed, in Claude Code's dialect: some files are not written to."""
import json
import os
import sys

PROTECTED = (".git", ".github", "package-lock.json")

call = json.load(sys.stdin)
arguments = call.get("tool_input") or {}
given = arguments.get("file_path") or arguments.get("path") or ""
# The real path: neither .. nor a symbolic link leads round the list.
root = os.path.realpath(call["cwd"])
path = os.path.relpath(os.path.realpath(os.path.join(root, os.path.expanduser(given))), root)
if path.split(os.sep)[0].lower() in PROTECTED:
    answer = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": f"{path} is protected.",
    }
    print(json.dumps({"hookSpecificOutput": answer}))
