#!/usr/bin/env python3
"""pre_verify, in the dialect of Claude Code's stop hooks: the turn does not end while an edited Python file has a syntax error."""
import ast
import json
import os
import sys

call = json.load(sys.stdin)
errors = []
for path in call["extra"]["changed_paths"]:
    if not path.endswith(".py"):
        continue
    try:
        with open(os.path.join(call["cwd"], path), encoding="utf-8") as file:
            ast.parse(file.read(), path)
    except FileNotFoundError:
        pass  # It was deleted.
    except SyntaxError as error:
        errors.append(f"{path}, line {error.lineno}: {error.msg}")
if errors:
    print(json.dumps({"decision": "block", "reason": "Mend these: " + "; ".join(errors)}))
