"""Example: greets, fails twice, and takes its time. Run it beside `outlast serve`:

    python3 worker.py http://127.0.0.1:7070
"""

import os
import sys
import time

from outlast_worker import Dead, Worker


def greet(payload, task):
    return {"text": f"Hello {payload['name']}, from Python"}


def flaky(payload, task):
    if task.attempt <= 2:
        raise ConnectionResetError("the shop hung up")
    return {"attempts": task.attempt}


def slow(payload, task):
    """Works for so many seconds, says how far it is, and stops when it should."""
    for step in range(int(payload["seconds"] * 10)):
        if task.stopped.is_set():
            raise InterruptedError("stopped half-way")
        task.progress = {"done": step / (payload["seconds"] * 10)}
        time.sleep(0.1)
    return {"slept": payload["seconds"]}


def check(payload, task):
    if "order" not in payload:
        raise Dead() from ValueError("an order has no number")


if __name__ == "__main__":
    types = {"greet": greet, "flaky": flaky, "slow": slow, "check": check}
    server = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:7070"
    lease = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    Worker(server, types, lease=lease, token=os.environ.get("OUTLAST_TOKEN")).run()
