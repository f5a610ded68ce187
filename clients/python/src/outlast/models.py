"""What goes to the server and comes from it."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Callable, Dict, List, Mapping, Optional, Type, TypeVar

from ._wire import Seconds, duration, moment, moment_of, seconds_of
from .errors import OutlastError, problem

R = TypeVar("R")


def _sent(by: Callable[[Any], Any]) -> Any:
    return field(default=None, metadata={"send": by})


def _got(by: Callable[[Any], Any]) -> Any:
    return field(default=None, metadata={"read": by})


def body(of: Any) -> Dict[str, Any]:
    """The JSON object of a draft; what is None is left out."""
    given = ((one, getattr(of, one.name)) for one in fields(of))
    return {one.name: one.metadata.get("send", lambda same: same)(value) for one, value in given if value is not None}


def read(kind: Type[R], raw: Mapping[str, Any]) -> R:
    """An object of the server. Fields that this release does not know are in ``raw``."""
    known: Dict[str, Any] = {}
    for one in fields(kind):
        value = raw.get(one.name)
        if value is not None:
            known[one.name] = one.metadata.get("read", lambda same: same)(value)
        if one.name == "raw":
            known["raw"] = raw
    return kind(**known)


def _several(kind: Type[R]) -> Callable[[Any], List[R]]:
    return lambda values: [read(kind, value) for value in values]


@dataclass(frozen=True)
class Target:
    """The HTTP request that a task makes: of a ``url``, or of a member of a worker ``group``."""

    url: Optional[str] = None
    group: Optional[str] = None
    path: Optional[str] = None
    method: Optional[str] = None
    headers: Optional[Mapping[str, str]] = None
    success: Optional[str] = None
    """Condition in CEL that alone decides whether an answer is a success."""


@dataclass(frozen=True)
class Follow:
    """A task that is enqueued when another ends. It gets that one's payload unless it has its own."""

    type: Optional[str] = None
    queue: Optional[str] = None
    policy: Optional[str] = None
    payload: Any = None
    target: Optional[Target] = _sent(body)


@dataclass(frozen=True)
class Draft:
    """A task to be. Only ``type`` or ``target`` is required. Time spans are seconds or a timedelta."""

    type: Optional[str] = None
    payload: Any = None
    id: Optional[str] = None
    """UUID of version 7 (``new_id()``). The client makes one if there is none, so that it may repeat the call."""
    queue: Optional[str] = None
    delay: Optional[Seconds] = _sent(duration)
    run_at: Optional[datetime] = _sent(moment)
    priority: Optional[int] = None
    """0 (lowest) to 9; 5 if there is none."""
    key: Optional[str] = None
    """Ordering key: tasks of one key run one at a time, in the order of their enqueues."""
    share_key: Optional[str] = None
    """Whose the task is, such as a customer: one with a backlog delays no other."""
    dedupe_key: Optional[str] = None
    """Same key and content: the same task. Same key and other content: ConflictError."""
    dedupe_window: Optional[Seconds] = _sent(duration)
    policy: Optional[str] = None
    """Name of a retry policy."""
    retry: Optional[Mapping[str, Any]] = None
    """Policy of this task alone; replaces the named one."""
    max_attempts: Optional[int] = None
    timeout: Optional[Seconds] = _sent(duration)
    """Limit of each attempt."""
    deadline: Optional[datetime] = _sent(moment)
    """For all attempts together."""
    ttl: Optional[Seconds] = _sent(duration)
    """The same, counted from now."""
    metadata: Optional[Mapping[str, str]] = None
    target: Optional[Target] = _sent(body)
    fallback: Optional[Follow] = _sent(body)
    on_success: Optional[Follow] = _sent(body)
    on_dead: Optional[Follow] = _sent(body)
    alert: Optional[Mapping[str, Any]] = None
    trace_parent: Optional[str] = None
    group: Optional[str] = None
    """Id of the group of tasks that this one is a member of."""


@dataclass(frozen=True)
class Compensation:
    """The task that undoes a step if the step's own task dies."""

    type: str
    payload: Any = None


@dataclass(frozen=True)
class Failure:
    """What is kept of the error of an attempt."""

    message: str = ""
    category: str = ""
    type: str = ""
    code: str = ""
    effect: str = ""
    fingerprint: str = ""
    at: Optional[datetime] = _got(moment_of)
    delay: Optional[float] = _got(seconds_of)


@dataclass(frozen=True)
class Step:
    """A part of a task's work that is done. Of a signal ``occurrence`` is 0."""

    name: str
    occurrence: int = 1
    result: Any = None
    type: str = ""
    attempt: int = 0
    started_at: Optional[datetime] = _got(moment_of)
    ended_at: Optional[datetime] = _got(moment_of)
    until: Optional[datetime] = _got(moment_of)
    undone: bool = False
    unreadable: str = ""
    compensation: Optional[Compensation] = _got(lambda value: read(Compensation, value))


@dataclass(frozen=True)
class Task:
    """A task as it stands."""

    id: str
    type: str
    state: str = ""
    """pending, running, succeeded, dead or canceled"""
    queue: str = ""
    payload: Any = None
    """Bytes if a Go program has enqueued what is no JSON."""
    attempt: int = 0
    max_attempts: int = 0
    """0 for no limit."""
    crashes: int = 0
    claim: int = 0
    priority: int = 5
    key: str = ""
    share_key: str = ""
    dedupe_key: str = ""
    policy: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    parent: str = ""
    follows: str = ""
    trace_parent: str = ""
    run_at: Optional[datetime] = _got(moment_of)
    deadline: Optional[datetime] = _got(moment_of)
    timeout: Optional[float] = _got(seconds_of)
    created_at: Optional[datetime] = _got(moment_of)
    finished_at: Optional[datetime] = _got(moment_of)
    lease_until: Optional[datetime] = _got(moment_of)
    attempt_ends: Optional[datetime] = _got(moment_of)
    """When the attempt's time is over, by the clock of the server."""
    waiting: str = ""
    """Why a pending task is not running."""
    worker: str = ""
    cancel_requested: bool = False
    progress: Any = None
    result: Any = None
    last_error: Optional[Failure] = _got(lambda value: read(Failure, value))
    dead_reason: str = ""
    steps: List[Step] = field(default_factory=list, metadata={"read": _several(Step)})
    existing: bool = False
    """It was there already when it was enqueued."""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """All that the server has answered."""

    @property
    def ended(self) -> bool:
        return self.state in ("succeeded", "dead", "canceled")


def task_of(raw: Mapping[str, Any], existing: bool = False) -> Task:
    if not isinstance(raw["id"], str) or not isinstance(raw["type"], str) or not isinstance(raw.get("claim", 0), int):
        raise ValueError("a task has an id, a type and a claim")
    known: Dict[str, Any] = {**raw, "existing": existing}
    if "payload_base64" in raw:
        known["payload"] = base64.b64decode(raw["payload_base64"])
    return read(Task, known)


@dataclass(frozen=True)
class Attempt:
    """One recorded execution of a task."""

    number: int = 0
    claim: int = 0
    outcome: str = ""
    """succeeded, failed, snoozed, released, dead, canceled or crashed"""
    worker: str = ""
    release: str = ""
    node: str = ""
    category: str = ""
    error: str = ""
    type: str = ""
    code: str = ""
    started_at: Optional[datetime] = _got(moment_of)
    ended_at: Optional[datetime] = _got(moment_of)
    next_delay: Optional[float] = _got(seconds_of)


@dataclass(frozen=True)
class BatchResult:
    """The fate of one draft of a batch: 201 when the task is new, 200 when it was there, else the error."""

    status: int
    id: str = ""
    error: Optional[OutlastError] = None


def batch_result_of(raw: Mapping[str, Any]) -> BatchResult:
    status = int(raw["status"])
    return BatchResult(status, raw.get("id", ""), problem(raw["error"], status) if raw.get("error") else None)


@dataclass(frozen=True)
class Signaled:
    """What has become of a signal."""

    id: str = ""
    name: str = ""
    state: str = ""
    repeated: bool = False
    """It was there before, with the same payload."""
    woken: bool = False
    at: Optional[datetime] = _got(moment_of)


@dataclass(frozen=True)
class TaskGroup:
    """A group of tasks as it stands."""

    id: str
    state: str = ""
    """open: it takes members; closed: it waits for those that live; done: its callback is enqueued"""
    label: str = ""
    members: int = 0
    succeeded: int = 0
    dead: int = 0
    canceled: int = 0
    callback_task: str = ""
    created_at: Optional[datetime] = _got(moment_of)
    closed_at: Optional[datetime] = _got(moment_of)
    done_at: Optional[datetime] = _got(moment_of)
