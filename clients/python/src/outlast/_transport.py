"""Calls of the HTTP API: connections, time limits, repeats."""

from __future__ import annotations

import email.utils
import http.client
import logging
import os
import random
import selectors
import socket
import ssl
import threading
import time
import urllib.parse
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional

from . import _wire
from .errors import OutlastError, UnavailableError, problem

log = logging.getLogger("outlast")

_MOST_ANSWER = 64 << 20
_CONNECT_TIME = 10.0
_LONGEST_IDLE = 30.0  # of a connection that is used again
_NO_PROBLEM = "internal"  # the code of an answer that is no problem document; of the server it comes with 500 alone


class CertificateError(UnavailableError):
    """The certificate of the server is not good. Nothing was asked."""


@dataclass(frozen=True)
class Answer:
    status: int
    data: Any
    sent: float  # by the monotonic clock, before the request was sent
    received: float


class Interrupt:
    """Ends a call that waits for its answer, without losing the answer.

    Only our half of the connection is closed: the server sees that nobody waits any more
    and answers with what it has, which is still read here.
    """

    def __init__(self) -> None:
        self._lock, self.is_cut = threading.Lock(), False
        self._socket: Optional[socket.socket] = None

    def attach(self, to: Optional[socket.socket]) -> None:
        with self._lock:
            self._socket = to
            self._close()

    def cut(self) -> None:
        with self._lock:
            self.is_cut = True
            self._close()

    def _close(self) -> None:
        if self.is_cut and self._socket is not None:
            try:
                socket.socket.shutdown(self._socket, socket.SHUT_WR)  # that of ssl would lose the answer
            except OSError:
                pass  # it is closed already


def is_passing(error: OutlastError) -> bool:
    """Whether an error may be gone at the next try. A full queue is for the caller to wait for."""
    if isinstance(error, CertificateError) or error.code in ("rate_limited", "queue_full"):
        return False
    return error.status in (0, 429, 502, 503, 504)


def is_refusal(error: OutlastError) -> bool:
    """Whether the server would refuse the same again, or a proxy, to which the body is too long."""
    return error.code in ("invalid", "too_large") or error.status == 413


def is_final(error: OutlastError) -> bool:
    """Whether the server would refuse any such request again. What is no problem document may come from a proxy."""
    if error.status in (401, 403):
        return True
    return 400 <= error.status < 500 and error.status != 408 and error.code != _NO_PROBLEM and not is_passing(error)


def pause(tries: int, error: OutlastError) -> float:
    """Seconds before the next try: a share of an exponential wait, but no less than the server asks for."""
    ceiling: float = min(5.0, 0.1 * 2 ** min(tries - 1, 10))
    return max(random.random() * ceiling, error.retry_after or 0.0)


class Transport:
    """The way to one server. It may be used by many threads, and after a fork."""

    def __init__(self, server: str, token: str, ca_file: Optional[str], timeout: float, tries: int) -> None:
        url = urllib.parse.urlsplit(server)
        if url.scheme not in ("http", "https") or not url.hostname or url.username or url.query or url.fragment:
            raise ValueError(f"{server!r} is not the URL of a server: write it as http://127.0.0.1:7070")
        self._host, self._port, self._base = url.hostname, url.port, url.path.rstrip("/")
        self._tls = ssl.create_default_context(cafile=ca_file) if url.scheme == "https" else None
        self._headers = {"User-Agent": "outlast-python", "Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self.timeout, self._tries = timeout, tries
        self._lock, self._pid = threading.Lock(), os.getpid()
        self._idle: List[http.client.HTTPConnection] = []
        self.clock, self.sleep = time.monotonic, time.sleep

    def call(
        self,
        method: str,
        path: str,
        body: Optional[bytes] = None,
        *,
        query: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        repeat: bool = True,
        interrupt: Optional[Interrupt] = None,
    ) -> Answer:
        """Makes a call; one that may be repeated is, within the time that all tries have together."""
        until = self.clock() + (self.timeout if timeout is None else timeout)
        target = self._base + path + ("?" + urllib.parse.urlencode(query) if query else "")
        for tries in range(1, self._tries + 1):
            try:
                return self._attempt(method, target, body, until, interrupt)
            except OutlastError as error:
                wait = pause(tries, error)
                if not repeat or tries == self._tries or not is_passing(error) or self.clock() + wait >= until:
                    raise
                log.debug("%s %s is tried again in %.3f s: %s", method, path, wait, error)
                self.sleep(wait)
        raise AssertionError("unreachable")

    def close(self) -> None:
        with self._lock:
            for connection in self._idle:
                connection.close()
            self._idle.clear()

    def _attempt(
        self, method: str, target: str, body: Optional[bytes], until: float, interrupt: Optional[Interrupt]
    ) -> Answer:
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        sent = self.clock()
        connection = self._connection()
        keep = False
        try:
            if connection.sock is None:
                connection.timeout = min(_CONNECT_TIME, max(0.001, until - self.clock()))
                connection.connect()
            self._limit(connection, until)
            connection.request(method, target, body, headers)
            if interrupt is not None:
                interrupt.attach(connection.sock)
            response = connection.getresponse()
            data = self._read(connection, response, until)
            keep = not response.will_close
        except (OSError, http.client.HTTPException) as failure:
            raise self._lost(failure) from failure
        finally:
            if interrupt is not None:
                interrupt.attach(None)
                keep = keep and not interrupt.is_cut
            if keep:
                self._give_back(connection)
            else:
                connection.close()
        return self._answer(response, data, sent)

    def _answer(self, response: http.client.HTTPResponse, data: bytes, sent: float) -> Answer:
        good = response.status < 300
        try:
            document = _wire.decode(data) if data or not good else None
            if good:
                return Answer(response.status, document, sent, self.clock())
            raise problem(document, response.status, response.headers.get("X-Request-Id", ""), _retry_after(response))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as broken:
            if good:  # the outcome is not known
                raise UnavailableError("unavailable", f"the answer of {self._host} is no JSON") from broken
            known = response.status in (502, 503, 504)
            raise (UnavailableError if known else OutlastError)(
                "unavailable" if known else _NO_PROBLEM,
                f"the answer is no problem document: {response.status} {response.reason}",
                status=response.status,
                hint="Is this an Outlast server?",
                retry_after=_retry_after(response),
            ) from broken

    def _connection(self) -> http.client.HTTPConnection:
        with self._lock:
            if self._pid != os.getpid():  # the connections are those of the parent
                self._idle, self._pid = [], os.getpid()
            while self._idle:
                connection = self._idle.pop()
                if not _is_stale(connection.sock) and self.clock() - connection.idle_since < _LONGEST_IDLE:  # type: ignore[attr-defined]
                    return connection
                connection.close()
        if self._tls is not None:
            return http.client.HTTPSConnection(self._host, self._port, context=self._tls)
        return http.client.HTTPConnection(self._host, self._port)

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        connection.idle_since = self.clock()  # type: ignore[attr-defined]
        with self._lock:
            self._idle.append(connection)

    def _limit(self, connection: http.client.HTTPConnection, until: float) -> None:
        if connection.sock is not None:  # it is the response's if no other request may follow
            connection.sock.settimeout(max(0.001, until - self.clock()))

    def _read(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse, until: float) -> bytes:
        parts, size = [], 0
        while not response.isclosed():
            self._limit(connection, until)
            part = response.read1(1 << 16)
            size += len(part)
            if size > _MOST_ANSWER or self.clock() > until:
                raise TimeoutError("the answer is too large, or comes too slowly")
            parts.append(part)
            if not part:
                break
        response.close()  # which leaves the connection open
        if response.length:
            raise http.client.IncompleteRead(b"".join(parts), response.length)
        return b"".join(parts)

    def _lost(self, failure: Exception) -> OutlastError:
        where = f"{self._host}:{self._port}" if self._port else self._host
        if isinstance(failure, ssl.SSLCertVerificationError):
            return CertificateError(
                "unavailable",
                f"the certificate of {where} is not good: {failure.verify_message}",
                hint="Name its authority in ca_file or OUTLAST_CA_FILE.",
            )
        return UnavailableError("unavailable", f"no answer from {where}: {failure or type(failure).__name__}")


def _is_stale(sock: Optional[socket.socket]) -> bool:
    """Whether the server has closed an idle connection: then there is something to read."""
    if sock is None:
        return True
    with selectors.DefaultSelector() as ready:
        ready.register(sock, selectors.EVENT_READ)
        return bool(ready.select(0))


def _retry_after(response: http.client.HTTPResponse) -> Optional[float]:
    """The header in seconds; a date counts from the server's own clock."""
    text = response.headers.get("Retry-After")
    try:
        if text is None or text.isdigit():
            return None if text is None else float(text)
        now = email.utils.parsedate_to_datetime(response.headers["Date"])
        return max(0.0, (email.utils.parsedate_to_datetime(text) - now).total_seconds())
    except (ValueError, TypeError):
        return None


def read_token(token: Optional[str], token_file: Optional[str]) -> str:
    """The token that was given, else that of the file, else that of the environment."""
    if token is not None:
        return token.strip()
    file = token_file or os.environ.get("OUTLAST_TOKEN_FILE")
    if not file:
        return os.environ.get("OUTLAST_TOKEN", "").strip()
    with open(file, encoding="utf-8") as opened:
        text = opened.read().strip()
    if not text:
        raise ValueError(f"{file} holds no token")
    return text
