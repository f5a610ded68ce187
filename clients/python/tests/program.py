"""A worker process for tests: program.py NAME LEASE."""

import os
import sys
import time

import outlast

worker = outlast.Worker(outlast.Client(), name=sys.argv[1], lease=float(sys.argv[2]))


@worker.task("until")
def until(ctx: outlast.Context) -> str:
    """Works until there is a file."""
    done = ctx.step("begin", lambda: os.getpid())
    while not os.path.exists(ctx.payload):
        time.sleep(0.01)
    return f"begun by {done}"


worker.run_until_signal()
