"""How things are written in the HTTP API: ids, times, durations, JSON."""

from __future__ import annotations

import decimal
import hashlib
import json
import re
import secrets
import time
import uuid
from datetime import datetime, timedelta, timezone
from typing import Any, Union

Seconds = Union[float, timedelta]
"""A time span: seconds, or a timedelta."""

MOST_RESULT, MOST_PROGRESS = 64 << 10, 4 << 10


def new_id() -> str:
    """An id for a task or a group: a UUID of version 7."""
    return _id(time.time_ns() // 1_000_000, secrets.randbits(64), secrets.randbits(64))


def member_id(group: str, name: str) -> str:
    """The id of a member of a group of tasks, which follows from the group and a name.

    Whoever enqueues the members again after a crash gets the same ids, and so the same tasks.
    """
    of = uuid.UUID(group).bytes
    text = name.encode()
    found = hashlib.sha256(of + len(text).to_bytes(8, "big") + text).digest()
    return _id(int.from_bytes(of[:6], "big"), int.from_bytes(found[:8], "big"), int.from_bytes(found[8:16], "big"))


def _id(milliseconds: int, high: int, low: int) -> str:
    first = milliseconds << 16 | high & 0x0FFF | 0x7000
    return str(uuid.UUID(int=first << 64 | low & (1 << 62) - 1 | 2 << 62))


def in_seconds(span: Seconds) -> float:
    return span.total_seconds() if isinstance(span, timedelta) else float(span)


def duration(span: Seconds) -> str:
    return f"{in_seconds(span):.6f}s"


_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"([0-9.]+)(ns|us|µs|ms|s|m|h)")


def seconds_of(text: str) -> float:
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text)) * (-1 if text[:1] == "-" else 1)


def moment(at: datetime) -> str:
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone: write datetime.now(timezone.utc), for example")
    return at.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment_of(text: str) -> datetime:
    found = re.fullmatch(r"(.{19})(?:\.(\d{1,9}))?(?:Z|([+-]\d\d:\d\d))", text)
    if found is None:
        raise ValueError(f"{text!r} is not a time")
    return datetime.fromisoformat(f"{found[1]}.{(found[2] or '')[:6]:0<6}{found[3] or '+00:00'}")


def encode(value: Any) -> bytes:
    """The JSON form of a value; ValueError, TypeError or RecursionError where it has none."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _whole(text: str) -> Any:
    try:
        return int(text)
    except ValueError:  # more digits than Python reads as an int: one payload must not spoil an answer
        return decimal.Decimal(text)


def decode(data: Union[bytes, str]) -> Any:
    return json.loads(data, parse_int=_whole)


def sendable(text: str) -> str:
    """A text as the server takes it, without NUL and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()
