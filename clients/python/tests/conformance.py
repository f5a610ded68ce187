"""A worker for the conformance kit (clients/conformance)."""

import os
import urllib.request
from typing import Any, List

import outlast

SERVER = os.environ["OUTLAST_SERVER"]
LEASE, GRACE = (float(os.environ[f"OUTLAST_KIT_{name}"]) for name in ("LEASE", "GRACE"))
worker = outlast.Worker(outlast.Client(), concurrency=4, lease=LEASE, grace=GRACE)


def tell(ctx: outlast.Context, event: str) -> str:
    """Says what a handler does; the answer may be that it is to end."""
    with urllib.request.urlopen(f"{SERVER}/kit/{event}/{ctx.id}/{ctx.task.claim}", b"", timeout=60) as answer:
        return str(answer.read().decode())


@worker.task("echo")
def echo(ctx: outlast.Context) -> Any:
    tell(ctx, "started")
    return ctx.payload


@worker.task("fail")
def fail(ctx: outlast.Context) -> None:
    tell(ctx, "started")
    raise RuntimeError(ctx.payload)


@worker.task("reject")
def reject(ctx: outlast.Context) -> None:
    tell(ctx, "started")
    raise outlast.GiveUp("nobody can do it")


@worker.task("snooze")
def snooze(ctx: outlast.Context) -> None:
    tell(ctx, "started")
    raise outlast.Snooze(5)


@worker.task("bad")
def bad(ctx: outlast.Context) -> float:
    tell(ctx, "started")
    return float("nan")


@worker.task("slow")
def slow(ctx: outlast.Context) -> Any:
    tell(ctx, "started")
    try:
        while tell(ctx, "working") != "end":
            ctx.wait(0.1)
    except outlast.Stopped:
        tell(ctx, "stopped")
        raise
    return ctx.payload


@worker.task("steps")
def steps(ctx: outlast.Context) -> List[str]:
    tell(ctx, "started")

    def step(name: str) -> str:
        tell(ctx, f"step-{name}")
        return name

    return [ctx.step(name, lambda: step(name)) for name in ("one", "two")]


worker.run_until_signal()
