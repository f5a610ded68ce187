"""The client: hands tasks in, looks at them, and steers them."""

from __future__ import annotations

import os
import urllib.parse
from dataclasses import replace
from datetime import datetime
from typing import Any, List, Mapping, Optional, Sequence, Union

from . import _wire
from ._transport import Answer, Transport, read_token
from ._wire import Seconds
from .errors import UnavailableError
from .models import (
    Attempt,
    BatchResult,
    Draft,
    Follow,
    Signaled,
    Task,
    TaskGroup,
    batch_result_of,
    body,
    read,
    task_of,
)

_LONGEST_WAIT = 30.0  # for the end of a task, in one call


class Client:
    """Calls one server. It is safe for many threads.

    What is not given comes from the environment: ``OUTLAST_SERVER``, ``OUTLAST_TOKEN_FILE``, ``OUTLAST_TOKEN`` and
    ``OUTLAST_CA_FILE``, as for the command line. ``ca_file`` holds the authorities of an https server in PEM, in place
    of the system's. ``timeout`` bounds a call with its repeats, of which there are ``tries`` at most. What may do harm
    twice is not repeated.

    Errors of the server are :class:`OutlastError`.
    """

    def __init__(
        self,
        server: Optional[str] = None,
        *,
        token: Optional[str] = None,
        token_file: Optional[str] = None,
        ca_file: Optional[str] = None,
        timeout: Seconds = 30.0,
        tries: int = 4,
    ) -> None:
        self.transport = Transport(
            server or os.environ.get("OUTLAST_SERVER") or "http://127.0.0.1:7070",
            read_token(token, token_file),
            ca_file or os.environ.get("OUTLAST_CA_FILE"),
            _wire.in_seconds(timeout),
            max(1, tries),
        )

    def close(self) -> None:
        """Closes idle connections."""
        self.transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def enqueue(self, task: Union[str, Draft], payload: Any = None) -> Task:
        """Hands a task in: a draft, or a type and a payload. When it returns, the task is on disk.

        ``existing`` of the answer says that the task was there already: by its id or its dedupe key.
        """
        answer = self._post("/v1/tasks", body(_draft(task, payload)))
        return task_of(answer.data, existing=answer.status == 200)

    def enqueue_batch(self, drafts: Sequence[Draft], *, atomic: bool = False) -> List[BatchResult]:
        """Hands in up to 1000 tasks: each on its own, or all or none. One result for each, in the same order."""
        tasks = [body(_draft(draft, None)) for draft in drafts]
        data = self._post("/v1/tasks/batch", {"tasks": tasks, "atomic": atomic}).data
        return [batch_result_of(result) for result in data["results"]]

    def run(self, task: Union[str, Draft], payload: Any = None, *, timeout: Seconds) -> Task:
        """Hands a task in and waits for its end. When the time is over, it returns the task as it then stands."""
        return self._ended("POST", "/v1/tasks", body(_draft(task, payload)), timeout)  # the same id is the same task

    def get(self, id: str) -> Task:
        """A task, whatever its state."""
        return task_of(self._get(_path(id)))

    def attempts(self, id: str) -> List[Attempt]:
        """What is recorded of the attempts of a task, oldest first."""
        return [read(Attempt, one) for one in self._get(_path(id) + "/attempts")["attempts"]]

    def wait(self, id: str, *, timeout: Seconds) -> Task:
        """Waits for the end of a task. When the time is over, it returns the task as it then stands."""
        return self._ended("GET", _path(id), None, timeout)

    def cancel(self, id: str, *, compensate: bool = False) -> Task:
        """Cancels a pending task, or asks a running one to stop; ``compensate`` undoes its steps too."""
        return task_of(
            self._post(_path(id) + "/cancel", {"compensate": True} if compensate else None, repeat=compensate).data
        )

    def retry(self, id: str) -> Task:
        """Runs the next attempt of a pending task now."""
        return task_of(self._post(_path(id) + "/retry", None, repeat=False).data)

    def reschedule(self, id: str, *, run_at: Optional[datetime] = None, delay: Optional[Seconds] = None) -> Task:
        """Moves the next attempt of a pending task to a time, or so far from now."""
        when = {} if run_at is None else {"run_at": _wire.moment(run_at)}
        if delay is not None:
            when["delay"] = _wire.duration(delay)
        return task_of(self._post(_path(id) + "/reschedule", when, repeat=False).data)

    def signal(self, id: str, name: str, payload: Any = None) -> Signaled:
        """Gives a task the signal of a name. The first one stands; another payload is a ConflictError."""
        path = f"{_path(id)}/signals/{urllib.parse.quote(name, safe='')}"
        return read(Signaled, self._post(path, payload).data)

    def create_group(self, callback: Follow, *, label: Optional[str] = None, id: Optional[str] = None) -> TaskGroup:
        """Makes a group of tasks, whose callback is enqueued when it is closed and all members have ended.

        Keep the id, and take :func:`member_id` for those of members, and all may be done again after a crash.
        """
        draft = {"id": id or _wire.new_id(), "callback": body(callback), **({} if label is None else {"label": label})}
        return read(TaskGroup, self._post("/v1/task-groups", draft).data)

    def get_group(self, id: str) -> TaskGroup:
        """A group of tasks with the count of its members."""
        return read(TaskGroup, self._get(_group_path(id)))

    def close_group(self, id: str) -> TaskGroup:
        """Says that no more members come."""
        return read(TaskGroup, self._post(_group_path(id) + "/close", None).data)

    def _ended(self, method: str, path: str, value: Any, timeout: Seconds) -> Task:
        """The task that a call answers with, once it has ended or the time is over."""
        until = self.transport.clock() + _wire.in_seconds(timeout)
        while True:
            wait = min(_LONGEST_WAIT, max(0.001, until - self.transport.clock()))
            found = task_of(
                self._call(method, path, value, query={"wait": _wire.duration(wait)}, timeout=wait + self.transport.timeout).data
            )
            if found.ended or self.transport.clock() >= until:
                return found

    def _get(self, path: str) -> Any:
        return self._call("GET", path, None).data

    def _post(self, path: str, value: Any, *, repeat: bool = True) -> Answer:
        return self._call("POST", path, value, repeat=repeat)

    def _call(
        self,
        method: str,
        path: str,
        value: Any,
        *,
        repeat: bool = True,
        query: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
    ) -> Answer:
        data = None if value is None else _wire.encode(value)
        return _object(self.transport.call(method, path, data, query=query, timeout=timeout, repeat=repeat))


def _object(answer: Answer) -> Answer:
    if not isinstance(answer.data, dict):
        raise UnavailableError("unavailable", "the answer is not what was expected", status=answer.status)
    return answer


def _draft(task: Union[str, Draft], payload: Any) -> Draft:
    draft = Draft(type=task) if isinstance(task, str) else task
    if payload is not None:
        draft = replace(draft, payload=payload)
    return draft if draft.id else replace(draft, id=_wire.new_id())


def _path(id: str) -> str:
    return "/v1/tasks/" + urllib.parse.quote(id, safe="")


def _group_path(id: str) -> str:
    return "/v1/task-groups/" + urllib.parse.quote(id, safe="")
