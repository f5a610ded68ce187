"""The worker: fetches tasks, runs them in threads, and says how they ended.

Three threads serve the handlers, each of which has a thread of its own. One polls, for as many tasks as there are free
slots. One keeps the leases. One tells how attempts ended, several at a time. If one of the three dies, the worker ends
with an error.

Leases are measured by the monotonic clock: a task is ours for the length of its lease from *before* it was asked for,
and certainly not ours any more that long *after* the answer was there. Wall clocks do not matter.
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import re
import signal
import socket
import threading
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import _wire
from ._transport import Answer, Interrupt, is_final, is_refusal, pause
from ._wire import Seconds, in_seconds
from .attempt import (
    CANCELED,
    LEASE_LOST,
    STOPPING,
    TIMEOUT,
    BadResult,
    Context,
    Ending,
    GiveUp,
    Handler,
    StepError,
    Stopped,
    describe,
    execute,
)
from .client import Client
from .errors import DeniedError, OutlastError, UnavailableError
from .models import Task, task_of

log = logging.getLogger("outlast.worker")

_LONGEST_POLL = 20.0
_ANSWER_TIME = 30.0  # for a call, beyond its wait
_LONGEST_REST = 60.0  # whatever the server asks for
_MOST_SETTLED = 100  # results in one call
_ENDED = Ending("released")  # in the queue of endings: no more will come


class WorkerError(Exception):
    """A part of the worker died. What it had in hand runs elsewhere when the leases have ended."""


class _Held:
    """A task that this worker has leased."""

    def __init__(self, task: Task, context: Context) -> None:
        self.task, self.context = task, context
        self.key = (task.id, task.claim)
        self.ended = False  # its ending is in the queue
        self.gone = False  # the server says that it is not ours
        self.extend_at = self.ours_until = self.lost_at = 0.0

    def leased(self, sent: float, received: float, lease: float) -> None:
        self.extend_at, self.ours_until, self.lost_at = sent + lease / 3, sent + lease, received + lease


class Worker:
    """Runs tasks of a server, with a handler for each type.

    ``concurrency`` is how many attempts run at once, 1 to 1000; ``lease`` how long a task stays this worker's without
    a word of it, 1 s to 1 h. At a stop running handlers have ``grace``; then they are told to stop, and after
    ``release_after`` more their tasks are handed back, at no cost. ``name`` is unlike that of any other process;
    ``release`` is that of your program, for statistics, and comes from ``OUTLAST_RELEASE`` if it is not given.
    """

    def __init__(
        self,
        client: Client,
        *,
        queues: Sequence[str] = ("default",),
        concurrency: int = 10,
        lease: Seconds = 30.0,
        grace: Seconds = 20.0,
        release_after: Seconds = 5.0,
        name: Optional[str] = None,
        release: Optional[str] = None,
    ) -> None:
        if not 1 <= concurrency <= 1000:
            raise ValueError("concurrency is 1 to 1000")
        self._transport, self._clock = client.transport, client.transport.clock
        self._handlers: Dict[str, Handler] = {}
        self._lease, self._grace, self._release_after = map(in_seconds, (lease, grace, release_after))
        self.name = name or f"py-{re.sub('[^A-Za-z0-9.-]', '-', socket.gethostname())[:40]}-{_wire.new_id()}"
        self._poll_body: Dict[str, Any] = {
            "worker": self.name,
            "queues": list(queues),
            "wait": _wire.duration(min(_LONGEST_POLL, self._lease / 3)),
            "lease": _wire.duration(self._lease),
        }
        release = os.environ.get("OUTLAST_RELEASE") if release is None else release
        if release:
            self._poll_body["release"] = release
        self._interrupt, self._broken = Interrupt(), threading.Event()
        self._events: "queue.SimpleQueue[Optional[BaseException]]" = queue.SimpleQueue()  # put() is safe in a signal
        self._ended: "queue.SimpleQueue[Tuple[Optional[_Held], Ending]]" = queue.SimpleQueue()
        # What follows is guarded by the condition.
        self._changed = threading.Condition()
        self._held: Dict[Tuple[str, int], _Held] = {}
        self._free = concurrency
        self._started = self._stopping = self._polled_last = self._done = False

    def task(self, type: str) -> Callable[[Handler], Handler]:
        """Decorates the handler of a type of tasks."""

        def registered(handler: Handler) -> Handler:
            self.register(type, handler)
            return handler

        return registered

    def register(self, type: str, handler: Handler) -> None:
        """Sets the handler of a type of tasks."""
        if self._started:
            raise RuntimeError("the worker runs already")
        self._handlers[type] = handler

    def stop(self) -> None:
        """Ends run(): no more tasks are fetched, and those in hand are ended. It may be called by signal handlers."""
        self._events.put(None)

    @contextlib.contextmanager
    def stopped_by(self, *signals: int) -> Iterator[None]:
        """Stops at these signals, SIGTERM and SIGINT if there are none; a second one does what it did before."""
        before: Dict[int, Any] = {}

        def restore() -> None:
            for number, handler in before.items():
                signal.signal(number, handler)

        def stop(*_: object) -> None:
            restore()
            self.stop()

        for number in signals or (signal.SIGTERM, signal.SIGINT):
            before[number] = signal.signal(number, stop)
        try:
            yield
        finally:
            restore()

    def run_until_signal(self) -> None:
        """Works until SIGTERM or SIGINT comes. Call it in the main thread."""
        with self.stopped_by():
            self.run()

    def run(self) -> None:
        """Works until stop(). An error that trying again cannot mend ends it: a token that is not good, a part that died."""
        if not self._handlers:
            raise ValueError("the worker has no handlers")
        if self._started:
            raise RuntimeError("a worker runs once")
        self._started = True
        loops = {"poll": self._polling, "extend": self._keeping, "settle": self._settling}
        helpers = {name: self._thread(self._guarded(name, loop)) for name, loop in loops.items()}
        try:
            for helper in helpers.values():
                helper.start()
            self._next_event(None)
            self._stop_polling()
            self._drain()
            with self._changed:
                self._done = True
                self._changed.notify_all()
            self._ended.put((None, _ENDED))
            for helper in helpers.values():
                helper.join()
            self._raise_failure()
        except BaseException:
            self._abandon()  # also for a KeyboardInterrupt
            raise

    # The end.

    def _next_event(self, seconds: Optional[float]) -> bool:
        """Waits for an event; False when the time is over. A failure is raised."""
        try:
            event = self._events.get(timeout=seconds) if seconds is None or seconds > 0 else self._events.get_nowait()
        except queue.Empty:
            return False
        if event is not None:
            raise event
        return True

    def _raise_failure(self) -> None:
        while self._next_event(0):
            pass

    def _drain(self) -> None:
        for seconds, then in ((self._grace, self._tell_to_stop), (self._release_after, self._hand_back)):
            if self._idle(seconds):
                return
            then()
        self._idle(None)

    def _idle(self, seconds: Optional[float]) -> bool:
        """Waits until there is nothing in hand; False when the time is over."""
        until = None if seconds is None else self._clock() + seconds
        while True:
            with self._changed:
                if self._polled_last and not self._held:
                    return True
            if not self._next_event(None if until is None else until - self._clock()):
                return False

    def _stop_polling(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._interrupt.cut()

    def _tell_to_stop(self) -> None:
        for held in self._in_hand():
            held.context.stop(STOPPING)

    def _hand_back(self) -> None:
        for held in self._in_hand():
            if not held.ended:
                log.warning("task %s is handed back while its handler still runs", held.task.id)
                self._end(held, Ending("released"))

    def _abandon(self) -> None:
        """Stops everything at once; leases end by themselves."""
        self._broken.set()
        with self._changed:
            self._done = True
        self._stop_polling()
        self._tell_to_stop()
        self._ended.put((None, _ENDED))

    @staticmethod
    def _thread(target: Callable[[], None]) -> threading.Thread:
        return threading.Thread(target=target, name="outlast", daemon=True)

    def _guarded(self, name: str, loop: Callable[[], None]) -> Callable[[], None]:
        """Without one of its parts the worker would go on taking tasks that it cannot end."""

        def guarded() -> None:
            try:
                loop()
            except DeniedError as refusal:
                self._fail(refusal)
            except BaseException as failure:
                error = WorkerError(f"the worker stopped, since {name} died: {describe(failure)['message']}")
                error.__cause__ = failure
                self._fail(error)

        return guarded

    def _fail(self, error: BaseException) -> None:
        self._events.put(error)  # before others fail because of it
        self._broken.set()

    def _in_hand(self) -> List[_Held]:
        with self._changed:
            return list(self._held.values())

    def _rest(self, tries: int, error: OutlastError) -> None:
        if self._broken.wait(min(pause(tries, error), _LONGEST_REST)):
            raise Stopped(STOPPING)

    def _call(self, what: str, body: bytes, timeout: float, interrupt: Optional[Interrupt] = None) -> Answer:
        return self._transport.call(
            "POST", f"/v1/workers/{what}", body, timeout=timeout, repeat=False, interrupt=interrupt
        )

    # Polling.

    def _polling(self) -> None:
        failures = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._free > 0 or self._stopping)
                if self._stopping:
                    break
                most, self._free = self._free, 0
            taken = 0
            try:
                taken = self._poll(most)
                failures = 0
            except OutlastError as failure:
                if is_final(failure) or isinstance(failure, DeniedError):
                    raise
                failures += 1
                log.warning("the poll failed: %s", failure)
                problem = failure
            finally:
                with self._changed:
                    self._free += most - taken
            if failures:
                with self._changed:
                    rest = min(pause(failures, problem), _LONGEST_REST)
                    self._changed.wait_for(lambda: self._stopping, rest)
        with self._changed:
            self._polled_last = True
        self._events.put(None)

    def _poll(self, most: int) -> int:
        """Asks for tasks and starts them; returns how many slots they take."""
        body = {**self._poll_body, "types": sorted(self._handlers), "max": most}
        timeout = min(_LONGEST_POLL, self._lease / 3) + _ANSWER_TIME
        answer = self._call("poll", _wire.encode(body), timeout, self._interrupt)
        taken = 0
        for raw in _items(answer, "tasks"):
            try:
                held = self._leased(task_of(raw), answer)
            except (KeyError, TypeError, ValueError, AttributeError) as broken:
                log.error("what was polled is no task: %r", broken)
                continue
            if held.key in self._held:
                log.error("task %s was given twice under one claim", held.task.id)
                continue
            taken += 1
            self._start(held, beyond=taken > most)
        return taken

    def _leased(self, task: Task, answer: Answer) -> _Held:
        def record(item: Dict[str, Any]) -> None:
            self._record(held, item)

        held = _Held(task, Context(task, received=answer.received, lease=self._lease, record=record))
        held.leased(answer.sent, answer.received, self._lease)
        return held

    def _start(self, held: _Held, beyond: bool) -> None:
        with self._changed:
            self._held[held.key] = held
            unwanted = self._stopping or beyond or self._clock() >= held.ours_until
            self._changed.notify_all()
        try:
            if not unwanted:
                self._thread(lambda: self._attempt(held)).start()
                return
        except RuntimeError:  # the system has no thread to give
            log.error("task %s is handed back, since no thread can be started", held.task.id)
        self._end(held, Ending("released"))

    def _attempt(self, held: _Held) -> None:
        ending = Ending("failed", error=_unsendable("how the attempt ended cannot be told"))
        try:
            ending = execute(self._handlers.get(held.task.type, _no_handler), held.context)
        finally:
            self._end(held, ending)

    def _end(self, held: _Held, ending: Ending) -> None:
        with self._changed:
            if held.ended:
                return  # it was handed back
            held.ended = True
            if not held.gone:
                self._ended.put((held, ending))
                return
        log.warning("task %s is not this worker's any more: its ending (%s) is dropped", held.task.id, ending.outcome)
        self._forget(held)

    def _forget(self, held: _Held) -> None:
        with self._changed:
            if self._held.get(held.key) is held:
                del self._held[held.key]
            self._free += 1
            self._changed.notify_all()
            idle = self._stopping and not self._held
        if idle:
            self._events.put(None)

    # Leases.

    def _keeping(self) -> None:
        while True:
            with self._changed:
                while not self._done:
                    left = self._next_look() - self._clock()
                    if left <= 0:
                        break
                    self._changed.wait(min(left, threading.TIMEOUT_MAX))
                if self._done:
                    return
                held, now = list(self._held.values()), self._clock()
            for one in held:
                if one.context.ends is not None and now >= one.context.ends:
                    one.context.stop(TIMEOUT)
                if now >= one.ours_until:
                    one.context.stop(LEASE_LOST)
            ours = [one for one in held if not one.gone]
            if any(one.extend_at <= now for one in ours):
                self._extend(ours)

    def _next_look(self) -> float:
        looks = [threading.TIMEOUT_MAX + self._clock()]
        for held in self._held.values():
            if not held.gone:
                looks.append(held.extend_at)
            if held.context.stop_reason is None:
                looks.append(held.ours_until)
                if held.context.ends is not None:
                    looks.append(held.context.ends)
        return min(looks)

    def _extend(self, held: List[_Held]) -> None:
        items = [_extension(one) for one in held]
        body = b'{"lease":%s,"items":[%s]}' % (_wire.encode(_wire.duration(self._lease)), b",".join(items))
        try:
            answer = self._call("extend", body, self._lease / 3)
            results = _answers(answer, held)
        except DeniedError:
            raise
        except OutlastError as failure:
            log.warning("the leases of %d tasks were not extended: %s", len(held), failure)
            if is_refusal(failure):
                for one in held:
                    one.context.progress_text = None  # it can only be that
            again = self._clock() + min(max(pause(1, failure), self._lease / 30), self._lease / 3)
            for one in held:
                one.extend_at = again
            return
        for one, result in zip(held, results):
            status = result.get("status")
            if status in ("stale_claim", "not_found"):
                self._lose(one)
                continue
            one.leased(answer.sent, answer.received, self._lease)
            if status == "canceled":
                one.context.stop(CANCELED)

    def _lose(self, held: _Held) -> None:
        with self._changed:
            held.gone = True
        held.context.stop(LEASE_LOST)

    # Endings.

    def _settling(self) -> None:
        more = True
        while more:
            batch = [self._ended.get()]
            while len(batch) < _MOST_SETTLED and not self._ended.empty():
                batch.append(self._ended.get())
            more = all(held is not None for held, _ in batch)
            self._tell([(held, ending) for held, ending in batch if held is not None])

    def _tell(self, batch: List[Tuple[_Held, Ending]]) -> None:
        """Tells the server. Of what it refuses, only the attempt that is wrong fails."""
        groups = [batch] if batch else []
        while groups:
            group = groups.pop()
            refusal = self._settle(group)
            half = len(group) // 2
            if refusal is None:
                continue
            if half:
                groups += [group[half:], group[:half]]
                continue
            (held, ending) = group[0]
            if ending.error is None or ending.error.get("code") != "bad_result":
                error = _unsendable(f"the server refuses how the attempt ended ({ending.outcome}): {refusal}")
                groups.append([(held, Ending("failed", error=error))])
            else:
                log.error("task %s runs again when its lease has ended: %s", held.task.id, refusal)
                self._forget(held)

    def _settle(self, group: List[Tuple[_Held, Ending]]) -> Optional[OutlastError]:
        """Sends endings until the server has heard, or nothing is ours any more. Returns its refusal."""
        tries = 0
        while True:
            self._drop_lost(group)
            if not group:
                return None
            tries += 1
            held = [one for one, _ in group]
            body = b",".join(ending.encode(*one.key) for one, ending in group)
            try:
                results = _answers(self._call("settle", b'{"results":[%s]}' % body, _ANSWER_TIME), held)
            except DeniedError:
                raise
            except OutlastError as failure:
                if is_refusal(failure):
                    return failure
                log.warning("the ends of %d tasks were not taken: %s", len(group), failure)
                self._rest(tries, failure)
                continue
            for one, result in zip(held, results):
                if result.get("status") != "ok":
                    log.warning("task %s: its ending is refused: %s", one.task.id, result.get("status"))
                self._forget(one)
            return None

    def _drop_lost(self, group: List[Tuple[_Held, Ending]]) -> None:
        now = self._clock()
        for one, ending in list(group):
            if now >= one.lost_at:
                log.error("task %s runs again: its lease has ended untold (%s)", one.task.id, ending.outcome)
                group.remove((one, ending))
                self._forget(one)

    # Steps.

    def _record(self, held: _Held, item: Dict[str, Any]) -> None:
        """Keeps a step, again and again until the answer is there or the lease is certainly lost."""
        body = _wire.encode({"items": [{"id": held.task.id, "claim": held.task.claim, **item}]})
        tries = 0
        while not held.gone and self._clock() < held.lost_at:
            tries += 1
            try:
                answer = self._call("steps", body, _ANSWER_TIME)
                result = _answers(answer, [held])[0]
            except DeniedError as refusal:
                self._fail(refusal)
                raise
            except OutlastError as failure:
                if is_refusal(failure):
                    raise BadResult(f"the server refuses the step {item['name']!r}: {failure}") from failure
                log.warning("step %s of task %s is not kept yet: %s", item["name"], held.task.id, failure)
                self._rest(tries, failure)
                continue
            if result.get("status") == "ok":
                return
            if result.get("status") == "error":
                raise StepError(f"step {item['name']!r} is not kept: {(result.get('error') or {}).get('detail')}")
            break
        self._lose(held)
        raise Stopped(LEASE_LOST)


def _no_handler(context: Context) -> None:
    raise GiveUp(f"this worker has no handler for the type {context.task.type!r}")


def _unsendable(why: str) -> Dict[str, str]:
    return describe(BadResult(why))


def _extension(held: _Held) -> bytes:
    text = _wire.encode({"id": held.task.id, "claim": held.task.claim})
    progress = held.context.progress_text
    return text if progress is None else text[:-1] + b',"progress":' + progress + b"}"


def _items(answer: Answer, name: str) -> List[Any]:
    found = answer.data.get(name) if isinstance(answer.data, dict) else None
    if not isinstance(found, list):
        raise UnavailableError("unavailable", f"the answer has no list of {name}")
    return found


def _answers(answer: Answer, held: Sequence[_Held]) -> List[Mapping[str, Any]]:
    """One answer for each of what was sent; anything else is as good as none."""
    results = _items(answer, "results")
    if len(results) != len(held) or any(
        not isinstance(result, dict) or result.get("id") != one.task.id for one, result in zip(held, results)
    ):
        raise UnavailableError("unavailable", "the answer does not fit what was sent")
    return results
