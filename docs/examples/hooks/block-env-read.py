#!/usr/bin/env python3
"""pre_tool_call, fail_closed: exit code 2 blocks, standard error says why."""
import json
import re
import sys

call = json.load(sys.stdin)
if re.search(r"\.env\b", json.dumps(call["tool_input"])):
    print("Reading .env files is not allowed.", file=sys.stderr)
    sys.exit(2)
