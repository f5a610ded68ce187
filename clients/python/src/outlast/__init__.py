"""Outlast, a durable retry engine: client, worker, webhook verification.

Work with asyncio is in :mod:`outlast.aio`, checks of signed requests in :mod:`outlast.webhook`, and what tests of
handlers need in :mod:`outlast.testing`.
"""

from ._wire import member_id, new_id
from .attempt import (
    Cancel,
    Context,
    GiveUp,
    Handler,
    RetryAfter,
    SignalTimeout,
    Snooze,
    Stopped,
    TaskFailure,
)
from .client import Client
from .errors import (
    ConflictError,
    DeniedError,
    Field,
    InvalidError,
    NotFoundError,
    OutlastError,
    QueueFullError,
    UnavailableError,
)
from .models import (
    Attempt,
    BatchResult,
    Compensation,
    Draft,
    Failure,
    Follow,
    Signaled,
    Step,
    Target,
    Task,
    TaskGroup,
)
from .worker import Worker, WorkerError

__all__ = [
    "Attempt",
    "BatchResult",
    "Cancel",
    "Client",
    "Compensation",
    "ConflictError",
    "Context",
    "DeniedError",
    "Draft",
    "Failure",
    "Field",
    "Follow",
    "GiveUp",
    "Handler",
    "InvalidError",
    "NotFoundError",
    "OutlastError",
    "QueueFullError",
    "RetryAfter",
    "SignalTimeout",
    "Signaled",
    "Snooze",
    "Step",
    "Stopped",
    "Target",
    "Task",
    "TaskFailure",
    "TaskGroup",
    "UnavailableError",
    "Worker",
    "WorkerError",
    "member_id",
    "new_id",
]
