"""A worker whose handlers give back what no server takes, for tests."""

import datetime
import os
import sys
import threading
import time

from outlast import Client, Snooze, Worker


class Mute(Exception):
    def __str__(self):
        raise ValueError("not a word")


def cycle():
    ring = []
    ring.append(ring)
    return ring


def deep():
    value = None
    for _ in range(100):
        value = [value]
    return value


def odd(ctx):
    kind = ctx.payload["kind"]
    raised = {"nul": ValueError("a\0b"), "half": ValueError("a\ud800b"), "mute": Mute(), "number": Snooze(float("inf"))}
    if kind in raised:
        raise raised[kind]
    return {
        "large": lambda: "x" * (64 << 10), "type": datetime.datetime.now, "cycle": cycle, "nan": lambda: float("nan"),
        "text": lambda: "\ud800", "deep": deep,
    }[kind]()


def wait(ctx):
    threading.Event().wait()


def until(ctx):
    """Works until there is a file, on and on even when it should stop."""
    while not os.path.exists(ctx.payload["file"]):
        time.sleep(0.02)


def sabotage(ctx):
    worker._ended.put("what no worker puts there")
    wait(ctx)


worker = Worker(Client(sys.argv[1]), lease=float(sys.argv[2]), concurrency=16)
for name, handler in {"odd": odd, "fine": lambda ctx: "fine", "wait": wait, "until": until, "sabotage": sabotage}.items():
    worker.register(name, handler)
worker.run_until_signal()
