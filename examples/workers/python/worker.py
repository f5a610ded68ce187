"""Example: greets, fails twice, and takes its time. Run it beside `outlast serve`, with clients/python installed:

    python3 worker.py http://127.0.0.1:7070
"""

import sys

import outlast

server = sys.argv[1] if len(sys.argv) > 1 else None
lease = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
worker = outlast.Worker(outlast.Client(server), lease=lease, concurrency=4, grace=600)


@worker.task("greet")
def greet(ctx):
    return {"text": f"Hello {ctx.payload['name']}, from Python"}


@worker.task("flaky")
def flaky(ctx):
    if ctx.attempt <= 2:
        raise ConnectionResetError("the shop hung up")
    return {"attempts": ctx.attempt}


@worker.task("slow")
def slow(ctx):
    """Works for so many seconds, says how far it is, and stops when it should."""
    for step in range(int(ctx.payload["seconds"] * 10)):
        ctx.progress({"done": step / (ctx.payload["seconds"] * 10)})
        ctx.wait(0.1)
    return {"slept": ctx.payload["seconds"]}


@worker.task("check")
def check(ctx):
    if "order" not in ctx.payload:
        raise outlast.GiveUp() from ValueError("an order has no number")


worker.run_until_signal()
