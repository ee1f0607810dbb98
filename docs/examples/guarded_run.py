"""Runs a program through the gate, and asks when the gate says ask: guarded_run.py git push"""

import json
import os
import subprocess
import sys


def gate(verb, payload):
    done = subprocess.run(
        ["herma", "gate", verb, "--agent", "guarded_run"],
        input=json.dumps(payload),
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)


def main(argv):
    call = {
        "tool_name": "run",
        "tool_input": {"argv": argv},
        "session_id": "guarded_run",
        "cwd": os.getcwd(),
        "owner_pid": os.getpid(),
    }
    answer = gate("before", call)
    if answer["decision"] == "ask":
        print(f"{answer['reason']}: {argv}", file=sys.stderr)
        if input("Run it? [y/N] ") == "y":
            answer = gate("before", {**call, "approved": answer["ticket"]})
        else:
            gate("after", {"ticket": answer["ticket"], "status": "blocked"})
    if answer["decision"] != "allow":
        sys.exit(f"not run: {answer['reason']}")
    done = subprocess.run(answer["tool_input"]["argv"], stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    status = "ok" if done.returncode == 0 else "error"
    gate("after", {"ticket": answer["ticket"], "status": status, "result": done.stdout})
    sys.exit(done.returncode)


main(sys.argv[1:])
