"""One attempt of a task: what a handler is given, how it steers, and how its end is told."""

from __future__ import annotations

import contextlib
import errno
import logging
import threading
import time
import traceback
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Callable, Dict, Iterator, List, MutableMapping, Optional, Set, Tuple, TypeVar, Union

from . import _wire
from ._wire import MOST_PROGRESS, MOST_RESULT, Seconds, in_seconds
from .models import Compensation, Step, Task

R = TypeVar("R")

CANCELED, LEASE_LOST, TIMEOUT, STOPPING = "canceled", "lease_lost", "timeout", "stopping"
"""Why a handler is to stop: ``Context.stop_reason``."""


class Steer(BaseException):
    """What a handler raises to say what is to follow. ``except Exception`` lets it pass."""


class RetryAfter(Steer):
    """The attempt failed; the next one starts after this time instead of the policy's."""

    def __init__(self, seconds: Seconds, message: str = "") -> None:
        super().__init__(*filter(None, [message]))
        self.seconds = in_seconds(seconds)


class Snooze(Steer):
    """Run again after this time, a second at the least. It is no failure and costs no attempt."""

    def __init__(self, seconds: Seconds) -> None:
        super().__init__("snoozed")
        self.seconds = in_seconds(seconds)


class GiveUp(Steer):
    """Ends the task now as a dead letter, whatever attempts are left."""


class Cancel(Steer):
    """Ends the task now as canceled: it is no longer wanted."""


class Stopped(BaseException):
    """The handler is to stop, and came to a place where that is noticed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"stopped: {reason}")
        self.reason = reason


class TaskFailure(Exception):
    """A failure that says itself what it is; others are classified by the name of their class and their text."""

    def __init__(
        self, message: str, *, category: Optional[str] = None, code: Optional[str] = None, type: Optional[str] = None
    ) -> None:
        super().__init__(message)
        self.category, self.code, self.type = category, code, type


class BadResult(TaskFailure):
    """The work was done, and what it gave cannot be kept. Doing it again would change nothing."""

    def __init__(self, message: str) -> None:
        super().__init__(message, category="permanent", code="bad_result")


class StepError(TaskFailure):
    """A step is asked for in a way that cannot be."""

    def __init__(self, message: str) -> None:
        super().__init__(message, category="bug", code="invalid", type="step")


class SignalTimeout(TaskFailure):
    """No signal has come in time."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no signal {name!r} has come in time", category="permanent", code="timeout", type="signal")


Record = Callable[[Dict[str, Any]], None]
"""Keeps a step; when it returns, the step is on disk."""


class Part:
    """A step under way: found done, or to be kept."""

    def __init__(self, found: Optional[Step], keep: Callable[[Any], Any]) -> None:
        self.found, self.keep = found, keep


class Context:
    """What a handler gets: its task, and what it may do besides returning a result."""

    def __init__(self, task: Task, *, received: float, lease: float, record: Record) -> None:
        self.task, self.id, self.payload, self.attempt = task, task.id, task.payload, task.attempt
        self.logger = _Logger(logging.getLogger("outlast.task"), {"task": task.id, "type": task.type})
        """Its records name the task."""
        self.stopped = threading.Event()
        """Set when the handler is to stop; ``stop_reason`` says why."""
        self.stop_reason: Optional[str] = None
        self.progress_text: Optional[bytes] = None
        self._record, self._received = record, received
        self._lock, self._on_stop = threading.Lock(), [self.stopped.set]
        self._counts: Dict[str, int] = {}
        self._running: Set[str] = set()
        self._done: Dict[Tuple[str, int], Step] = {(step.name, step.occurrence): step for step in task.steps}
        # What the clock of the server said when the task was leased.
        self._leased_at = task.lease_until - timedelta(seconds=lease) if task.lease_until else None
        self.ends: Optional[float] = None
        """When the attempt's time is over, by the monotonic clock of this machine."""
        if self._leased_at and task.attempt_ends:
            self.ends = received + (task.attempt_ends - self._leased_at).total_seconds()

    def time_left(self) -> Optional[float]:
        """Seconds until the attempt's time is over; None if it has no limit."""
        return None if self.ends is None else self.ends - time.monotonic()

    def check(self) -> None:
        """Raises Stopped if the handler is to stop. Call it now and then in long work."""
        if self.stop_reason is not None:
            raise Stopped(self.stop_reason)

    def wait(self, seconds: Seconds) -> None:
        """Sleeps, unless the handler is to stop: that raises Stopped."""
        self.stopped.wait(in_seconds(seconds))
        self.check()

    def progress(self, value: Any) -> None:
        """Says how far the attempt is: JSON of at most 4 KiB, shown with the task."""
        text = _wire.encode(value)
        if len(text) > MOST_PROGRESS:
            raise ValueError(f"the progress has {len(text)} bytes; {MOST_PROGRESS} are the limit")
        self.progress_text = text

    def step(
        self,
        name: str,
        do: Callable[[], R],
        *,
        undo: Union[None, Compensation, Callable[[R], Compensation]] = None,
    ) -> R:
        """Does a part of the work once, and returns what it gave, as JSON keeps it.

        When it returns, the result is on disk, and a later attempt gets it without another call of ``do``. If ``do``
        raises, nothing is kept. A name that is asked for several times, one after the other, has occurrences, which
        are counted. ``undo`` is the task that undoes the step if its own task dies, or makes it from the result.

        A process that is killed between the effect and its record does the step again: give what ``do`` calls a key,
        such as the id of the task with the name of the step.
        """
        with self.begin(name, undo) as part:
            return part.found.result if part.found else part.keep(do())  # type: ignore[no-any-return]

    @contextlib.contextmanager
    def begin(self, name: str, undo: Any = None) -> Iterator[Part]:
        """The two halves of a step, for those who cannot call what lies between: coroutines."""
        with self._lock:
            if name in self._running:
                raise StepError(f"step {name!r} runs already")
            occurrence = self._counts[name] = self._counts.get(name, 0) + 1
            found = self._done.get((name, occurrence))
            self._running.add(name)
        try:
            if found is None:
                self.check()
            started = self.server_now()

            def keep(result: Any) -> Any:
                return self._keep(name, occurrence, result, undo(result) if callable(undo) else undo, started)

            yield Part(found, keep)
        except BaseException:
            with self._lock:
                self._counts[name] -= 1  # the handler may ask for it again
            raise
        finally:
            with self._lock:
                self._running.discard(name)

    def sleep(self, name: str, seconds: Seconds) -> None:
        """Lets the task wait without a slot: it is snoozed, and the run after that goes on from here.

        The end is kept as a step of the name, by the clock of the server. Less than a second is waited for in place.
        """
        left = (self._end_of(name, in_seconds(seconds)) - self._now()).total_seconds()
        if left >= 1:
            raise Snooze(left)
        if left > 0:
            self.wait(left)

    def await_signal(self, name: str, timeout: Seconds, *, every: Seconds = 10.0) -> Any:
        """Waits for the signal of a name, and returns its payload. The task waits without a slot.

        It is snoozed and looks again ``every`` so often, since signals wake only tasks of Go handlers. When the
        timeout is over, which counts from the first call, SignalTimeout is raised.
        """
        signal = self._done.get((name, 0))
        if signal is not None and signal.type == "signal":
            return signal.result
        left = (self._end_of(name, in_seconds(timeout)) - self._now()).total_seconds()
        if signal is not None or left <= 0:
            raise SignalTimeout(name)
        raise Snooze(max(1.0, min(left, in_seconds(every))))

    def server_now(self) -> Optional[datetime]:
        """What the clock of the server says, whatever that of this machine does."""
        if self._leased_at is None:
            return None
        return self._leased_at + timedelta(seconds=time.monotonic() - self._received)

    def stop(self, reason: str) -> None:
        """Tells the handler to stop. The first reason stands."""
        with self._lock:
            if self.stop_reason is not None:
                return
            self.stop_reason = reason
            calls = list(self._on_stop)
        for call in calls:
            try:
                call()
            except BaseException:  # Stopped is one, too
                self.logger.exception("a callback of on_stop failed")

    def on_stop(self, call: Callable[[], None]) -> None:
        """Calls something when the handler is to stop, at once if it is already; it must not block."""
        with self._lock:
            self._on_stop.append(call)
            now = self.stop_reason is not None
        if now:
            call()

    def _now(self) -> datetime:
        now = self.server_now()
        if now is None:
            raise StepError("the server has not said until when the task is leased")
        return now

    def _end_of(self, name: str, seconds: float) -> datetime:
        with self._lock:
            found = self._done.get((name, 1))
        if found is not None:
            return _wire.moment_of(found.result["until"])
        until = self._now() + timedelta(seconds=seconds)
        self._keep(name, 1, {"until": _wire.moment(until)}, None, None)
        return until

    def _keep(
        self, name: str, occurrence: int, result: Any, undo: Optional[Compensation], started: Optional[datetime]
    ) -> Any:
        item: Dict[str, Any] = {"name": name, "occurrence": occurrence}
        kept = None
        if result is not None:
            kept = _wire.decode(encode_result(result, "the result of the step"))
            item["result"] = kept
        if undo is not None:
            item["compensation"] = {"type": undo.type}
            if undo.payload is not None:
                item["compensation"]["payload"] = _wire.decode(encode_result(undo.payload, "the payload of the undo"))
        if started is not None:
            item["started_at"] = _wire.moment(started)
        self._record(item)
        with self._lock:
            self._done[name, occurrence] = Step(name, occurrence, kept)
        return kept


class _Logger(logging.LoggerAdapter):  # type: ignore[type-arg]
    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> Tuple[Any, MutableMapping[str, Any]]:
        of: Any = self.extra
        kwargs["extra"] = {**of, **kwargs.get("extra", {})}
        return f"{of['type']} {of['task']}: {msg}", kwargs


Handler = Callable[[Context], Any]
"""Runs one attempt. What it returns is kept as the result; what it raises is a failure, or steers."""


@dataclass
class Ending:
    """How an attempt ended."""

    outcome: str
    result: Optional[bytes] = None
    error: Optional[Dict[str, str]] = None
    retry_after: Optional[float] = None

    def encode(self, id: str, claim: int) -> bytes:
        fields: Dict[str, Any] = {"id": id, "claim": claim, "outcome": self.outcome}
        if self.error is not None:
            fields["error"] = self.error
        if self.retry_after is not None:
            fields["retry_after"] = _wire.duration(self.retry_after)
        text = _wire.encode(fields)
        return text if self.result is None else text[:-1] + b',"result":' + self.result + b"}"


def execute(handler: Handler, context: Context) -> Ending:
    """Runs a handler. Whatever it does, there is an ending that can be sent."""
    try:
        value = handler(context)
        return Ending("succeeded", None if value is None else encode_result(value, "the result"))
    except RetryAfter as wish:
        return Ending("failed", error=_wished(wish), retry_after=max(0.0, wish.seconds))
    except Snooze as wish:
        return Ending("snoozed", retry_after=max(0.0, wish.seconds))
    except GiveUp as wish:
        return Ending("dead", error=_wished(wish))
    except Cancel as wish:
        return Ending("canceled", error=_wished(wish))
    except BaseException as failure:
        return _failed(failure, context.stop_reason or (failure.reason if isinstance(failure, Stopped) else None))


def _wished(wish: Steer) -> Dict[str, str]:
    """The error that a handler steers with: that of ``from``, if there is one, below its own text."""
    error = describe(wish.__cause__ or wish)
    if wish.__cause__ is not None and wish.args:
        error["message"] = f"{_text(wish)}: {error['message']}"
    return error


def _failed(failure: BaseException, reason: Optional[str]) -> Ending:
    error = describe(failure)
    if reason in (STOPPING, LEASE_LOST):
        return Ending("released")
    if reason == CANCELED:
        return Ending("canceled", error=error)
    if reason == TIMEOUT and isinstance(failure, Stopped):
        error["category"] = "timeout"
    return Ending("failed", error=error)


def encode_result(value: Any, what: str) -> bytes:
    """The JSON form of a result; BadResult where it has none, or too long a one."""
    try:
        text = _wire.encode(value)
    except Exception as failure:  # a datetime, a cycle, NaN, half a surrogate pair
        raise BadResult(f"{what} has no JSON form: {_text(failure)}") from None
    if len(text) > MOST_RESULT:
        raise BadResult(f"{what} has {len(text)} bytes; {MOST_RESULT} are the limit")
    return text


def describe(failure: BaseException) -> Dict[str, str]:
    """A failure as the server keeps it."""
    kind = type(failure)
    of = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    error = {"message": _text(failure), "type": _wire.sendable(of + kind.__qualname__)[-128:], "stack": _stack(failure)}
    if isinstance(failure, TaskFailure):
        given = {"category": failure.category, "code": failure.code, "type": failure.type}
        error.update((name, text) for name, text in given.items() if text)
    elif isinstance(failure, OSError) and failure.errno in errno.errorcode:
        error["code"] = errno.errorcode[failure.errno]
    return error


def _text(failure: BaseException) -> str:
    try:
        return _wire.sendable(str(failure))[:16000] or type(failure).__name__
    except Exception:
        return f"a {type(failure).__name__} that cannot be printed"


def _stack(failure: BaseException) -> str:
    try:
        lines: List[str] = traceback.format_exception(type(failure), failure, failure.__traceback__)
        return _wire.sendable("".join(lines)[-8000:])
    except Exception:
        return ""
