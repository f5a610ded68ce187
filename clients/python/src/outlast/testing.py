"""Runs a handler for one attempt without a server, and shows its verdict."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Mapping, Optional, Sequence

from . import _wire
from .attempt import Context, Handler, execute
from .models import Compensation, Step, Task


@dataclass(frozen=True)
class Verdict:
    """What the server would be told of an attempt."""

    outcome: str
    """succeeded; failed: the policy decides about a retry; snoozed; dead; canceled; released"""
    result: Any = None
    error: Mapping[str, str] = field(default_factory=dict)
    """message, type, stack; and category and code where the worker tells them"""
    retry_after: Optional[float] = None
    steps: List[Step] = field(default_factory=list)
    """All that are done, those that were there before included: give them to the next attempt."""
    progress: Any = None


def signal(name: str, payload: Any = None) -> Step:
    """A signal that has come, to be given as one of the steps."""
    return Step(name, 0, payload, "signal")


def run(
    handler: Handler,
    payload: Any = None,
    *,
    type: str = "test",
    attempt: int = 1,
    max_attempts: int = 0,
    metadata: Optional[Mapping[str, str]] = None,
    steps: Sequence[Step] = (),
    stop: Optional[str] = None,
    now: Optional[datetime] = None,
    id: Optional[str] = None,
) -> Verdict:
    """Runs one attempt. ``stop`` tells the handler to stop from the start, such as "canceled".

    ``now`` is what the clock of the server says, for sleeps and waits. The payload is what JSON makes of it.
    """
    done = list(steps)
    at = now or datetime.now(timezone.utc)

    def record(item: Dict[str, Any]) -> None:
        undo = item.get("compensation")
        done.append(
            Step(item["name"], item["occurrence"], item.get("result"), compensation=Compensation(**undo) if undo else None)
        )

    task = Task(
        id=id or _wire.new_id(),
        type=type,
        state="running",
        payload=_wire.decode(_wire.encode(payload)),
        attempt=attempt,
        max_attempts=max_attempts,
        claim=1,
        metadata=metadata or {},
        steps=list(steps),
        lease_until=at + timedelta(seconds=30),
    )
    context = Context(task, received=time.monotonic(), lease=30.0, record=record)
    if stop is not None:
        context.stop(stop)
    ending = execute(handler, context)
    return Verdict(
        ending.outcome,
        None if ending.result is None else _wire.decode(ending.result),
        ending.error or {},
        ending.retry_after,
        done,
        None if context.progress_text is None else _wire.decode(context.progress_text),
    )
