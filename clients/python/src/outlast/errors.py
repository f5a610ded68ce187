"""What the server answers instead of a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple

from ._wire import seconds_of


@dataclass(frozen=True)
class Field:
    """What is wrong where in a request."""

    path: str
    message: str


class OutlastError(Exception):
    """A refusal of the server, or no answer at all (``status`` is 0 then).

    ``code`` is stable, for programs; the other texts are for people.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        title: str = "",
        status: int = 0,
        hint: str = "",
        fields: Tuple[Field, ...] = (),
        request_id: str = "",
        retry_after: Optional[float] = None,
        state: str = "",
        existing: str = "",
    ) -> None:
        self.code, self.detail, self.title, self.status = code, detail, title, status
        self.hint, self.fields, self.request_id = hint, fields, request_id
        self.retry_after = retry_after
        """Seconds until the server wants to be asked again."""
        self.state = state
        """What the task is, where that is the problem."""
        self.existing = existing
        """The task in the way."""
        super().__init__(code, detail)

    def __str__(self) -> str:
        wrong = "; ".join(f"{field.path}: {field.message}" for field in self.fields if field.message not in self.detail)
        text = ": ".join(part for part in (self.detail or self.title, wrong) if part)
        return f"{text} ({self.code})" + (f". {self.hint}" if self.hint else "")


class InvalidError(OutlastError):
    """The request is not valid (``invalid``) or too large (``too_large``): ``fields`` say where."""


class NotFoundError(OutlastError):
    """There is no such thing (``not_found``)."""


class ConflictError(OutlastError):
    """The state does not allow it: ``conflict``, ``id_conflict``, ``dedupe_conflict``, ``stale_claim`` and others."""


class QueueFullError(OutlastError):
    """The queue is full (``queue_full``): come back after ``retry_after`` seconds."""


class DeniedError(OutlastError):
    """The token is missing or wrong, or may not do this: ``unauthenticated``, ``denied``, ``rate_limited``."""


class UnavailableError(OutlastError):
    """No answer, or none now (``unavailable``, ``dedupe_busy``). What was asked for may have happened or not."""


_CLASSES = {
    "invalid": InvalidError,
    "too_large": InvalidError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "managed_by_file": ConflictError,
    "id_conflict": ConflictError,
    "dedupe_conflict": ConflictError,
    "stale_claim": ConflictError,
    "no_handler": ConflictError,
    "queue_full": QueueFullError,
    "unauthenticated": DeniedError,
    "denied": DeniedError,
    "rate_limited": DeniedError,
    "unavailable": UnavailableError,
    "dedupe_busy": UnavailableError,
}


def problem(
    document: Mapping[str, Any], status: int, request_id: str = "", retry_after: Optional[float] = None
) -> OutlastError:
    """The exception for a problem document (RFC 9457)."""
    code = document["code"]
    if not isinstance(code, str):
        raise TypeError("the code is no text")
    if "retry_after" in document:
        retry_after = seconds_of(document["retry_after"])
    return _CLASSES.get(code, OutlastError)(
        code,
        str(document.get("detail", "")),
        title=str(document.get("title", "")),
        status=status,
        hint=str(document.get("hint", "")),
        fields=tuple(Field(str(one.get("path", "")), str(one.get("message", ""))) for one in document.get("errors", ())),
        request_id=request_id,
        retry_after=retry_after,
        state=str(document.get("state", "")),
        existing=str(document.get("existing", "")),
    )
