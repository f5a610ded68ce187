"""A worker whose handlers give back what no server takes, for tests."""

import datetime
import os
import sys
import threading
import time

from outlast_worker import Snooze, Worker


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


def odd(payload, task):
    raised = {"nul": ValueError("a\0b"), "half": ValueError("a\ud800b"), "mute": Mute(), "number": Snooze(float("inf"))}
    if payload["kind"] in raised:
        raise raised[payload["kind"]]
    task.progress = datetime.datetime.now()  # nobody can send that either
    return {
        "large": lambda: "x" * (64 << 10), "type": datetime.datetime.now, "cycle": cycle, "nan": lambda: float("nan"),
        "text": lambda: "\ud800", "deep": deep,
    }[payload["kind"]]()


def wait(payload, task):
    threading.Event().wait()


def until(payload, task):
    """Works until there is a file, on and on even when it should stop."""
    while not os.path.exists(payload["file"]):
        time.sleep(0.02)


def sabotage(payload, task):
    worker.ended.put("what no worker puts there")
    wait(payload, task)


worker = Worker(sys.argv[1], {"odd": odd, "fine": lambda payload, task: "fine", "wait": wait, "until": until, "sabotage": sabotage},
                lease=float(sys.argv[2]), concurrency=16, token=os.environ.get("OUTLAST_TOKEN"))
worker.run()
