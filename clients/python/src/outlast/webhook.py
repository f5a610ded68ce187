"""Receivers of pushed tasks: is a request really from Outlast, and which run of which task is it?"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
import urllib.parse
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Callable, List, Mapping, Optional

from . import _wire


class WebhookError(Exception):
    """The request is not good: answer 401, and do nothing."""


@dataclass(frozen=True)
class Push:
    """A request that Outlast has made."""

    id: str
    """Of the task, the same at every attempt: whoever remembers it does nothing twice."""
    claim: int
    """Grows with every run: of two requests the larger one is newer. 0 from other senders."""
    attempt: int
    max_attempts: Optional[int]
    type: str
    key: str
    deadline: Optional[datetime]
    sent_at: int
    """Unix time of the signature."""
    body: bytes

    def json(self) -> Any:
        """The payload."""
        return _wire.decode(self.body)


class Verifier:
    """Checks signatures of Standard Webhooks.

    Give it the secret, ``whsec_`` and 24 to 64 bytes in base64; while a secret is being changed, give it both. A request
    is too old, or too far ahead, beyond ``tolerance`` seconds.
    """

    def __init__(self, *secrets: str, tolerance: float = 300.0, now: Callable[[], float] = time.time) -> None:
        if not secrets:
            raise ValueError("give a secret")
        self._secrets = [_secret(text) for text in secrets]
        self._tolerance, self._now = tolerance, now

    def verify(self, body: bytes, headers: Mapping[str, str]) -> Push:
        """Returns what the request is. ``body`` is what came, byte for byte; names of headers may have any case."""
        given = {name.lower(): value for name, value in headers.items()}
        try:
            id, stamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        except KeyError as missing:
            raise WebhookError(f"the header {missing} is missing") from None
        if not (stamp.isascii() and stamp.isdigit() and len(stamp) <= 12):
            raise WebhookError("webhook-timestamp is no Unix time")
        if not self._signed(f"{id}.{stamp}.".encode() + body, signatures):
            raise WebhookError("no signature fits")
        if abs(self._now() - int(stamp)) > self._tolerance:
            raise WebhookError("the request is too old or too new")
        return _push(id, int(stamp), body, given)

    def _signed(self, text: bytes, signatures: str) -> bool:
        good = False
        for secret in self._secrets:
            want = base64.b64encode(hmac.new(secret, text, hashlib.sha256).digest())
            for one in signatures.split():
                version, _, value = one.partition(",")
                good |= version == "v1" and hmac.compare_digest(want, value.encode())
        return good


def _push(id: str, stamp: int, body: bytes, headers: Mapping[str, str]) -> Push:
    limit = _number(headers, "outlast-max-attempts")
    deadline = headers.get("outlast-deadline")
    try:
        return Push(
            id=id,
            claim=_number(headers, "outlast-claim"),
            attempt=_number(headers, "outlast-attempt"),
            max_attempts=limit or None,
            type=urllib.parse.unquote(headers.get("outlast-task-type", "")),
            key=urllib.parse.unquote(headers.get("outlast-key", "")),
            deadline=_wire.moment_of(deadline) if deadline else None,
            sent_at=stamp,
            body=body,
        )
    except ValueError as broken:
        raise WebhookError(str(broken)) from None


def _number(headers: Mapping[str, str], name: str) -> int:
    try:
        return int(headers.get(name, "0"))
    except ValueError:
        raise WebhookError(f"the header {name} is no number") from None


def _secret(text: str) -> bytes:
    try:
        if not text.startswith("whsec_"):
            raise ValueError
        secret = base64.b64decode(text[len("whsec_") :], validate=True)
        if not 24 <= len(secret) <= 64:
            raise ValueError
        return secret
    except (ValueError, binascii.Error):
        raise ValueError("a secret is whsec_ and 24 to 64 bytes in base64") from None


def sign(secret: str, id: str, timestamp: int, body: bytes) -> str:
    """The value of Webhook-Signature, for tests of receivers."""
    digest = hmac.new(_secret(secret), f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


__all__: List[str] = ["Push", "Verifier", "WebhookError", "sign"]
