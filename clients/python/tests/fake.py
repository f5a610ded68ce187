"""Plays a server for tests, and the faults of one."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from outlast import Client, new_id

PATIENCE = 60.0  # only a fault takes so long


class Answer:
    """An answer in place of the usual one."""

    def __init__(self, status: int, data: Union[bytes, Dict[str, Any]] = b"", headers: Optional[Dict[str, str]] = None) -> None:
        self.status, self.headers = status, headers or {}
        self.body = data if isinstance(data, bytes) else json.dumps(data).encode()


def problem(status: int, code: str, headers: Optional[Dict[str, str]] = None, **more: Any) -> Answer:
    return Answer(status, {"status": status, "code": code, "title": code, **more}, headers)


class Lost:
    """The request is worked on, and its answer is lost."""


class Ignored:
    """The connection breaks before the request is worked on."""


def _is_closed(connection: socket.socket) -> bool:
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except OSError:
        return True


Fault = Union[Answer, Lost, Ignored, None, Callable[[Dict[str, Any]], Union[Answer, Lost, Ignored, None]]]


class Fake:
    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.calls: List[Tuple[str, Any, Dict[str, str]]] = []
        self.faults: Dict[str, List[Fault]] = {}
        self.always: Dict[str, Fault] = {}
        self.tasks: Dict[str, Any] = {}
        self.due: List[Dict[str, Any]] = []
        self.endings: Dict[Tuple[str, int], Dict[str, Any]] = {}
        self.statuses: Dict[str, str] = {}  # of extensions and settlements, by task
        self.steps: List[Dict[str, Any]] = []
        self.wakes: List[socket.socket] = []
        self.late: List[Dict[str, Any]] = []  # given to a poll that nobody waits for any more
        self.clients: List[Client] = []
        self.skew = timedelta()  # of this server's clock
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                fake.serve(self)

            do_POST = do_GET

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        for client in self.clients:
            client.close()
        with self.changed:
            for wake in self.wakes:
                wake.send(b".")
        self.server.shutdown()
        self.server.server_close()

    def client(self, **options: Any) -> Client:
        made = Client(self.url, token="", **options)
        self.clients.append(made)
        return made

    def give(self, type: str, payload: Any = None, *, wake: bool = True, **fields: Any) -> str:
        """Makes a task due, and returns its id."""
        task = {"id": new_id(), "type": type, "attempt": 1, "claim": 7, "payload": payload, **fields}
        with self.changed:
            self.due.append(task)
            if wake:
                for one in self.wakes:
                    one.send(b".")
        return str(task["id"])

    def until(self, what: Callable[[], Any]) -> Any:
        """Waits until something is so."""
        end = time.monotonic() + PATIENCE
        with self.changed:
            found = what()
            while not found:
                assert time.monotonic() < end, "it did not come so"
                self.changed.wait(0.01)
                found = what()
            return found

    def ending(self, id: str) -> Dict[str, Any]:
        """Waits until a task has ended."""
        found = self.until(lambda: [one for (of, _), one in self.endings.items() if of == id])
        return dict(found[0])

    def called(self, path: str) -> List[Any]:
        with self.changed:
            return [body for at, body, _ in self.calls if at.split("?")[0] == path]

    def about(self, path: str, id: str) -> List[Any]:
        """What was sent to a path about a task."""
        return [one for body in self.called(path) for one in body.get("items", body.get("results")) if one["id"] == id]

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        length = int(request.headers.get("Content-Length") or 0)
        body = json.loads(request.rfile.read(length)) if length else None
        path = request.path.split("?")[0]
        with self.changed:
            self.calls.append((request.path, body, dict(request.headers)))
            self.changed.notify_all()
            faults = self.faults.get(path)
            fault = faults.pop(0) if faults else self.always.get(path)
        if callable(fault):
            fault = fault(body)
        if isinstance(fault, Ignored):
            request.close_connection = True
            return
        if isinstance(fault, Answer):
            answer = fault
        else:
            answer = self.work(path, body, request)
            if isinstance(fault, Lost):
                request.close_connection = True
                return
        request.send_response_only(answer.status)
        for name, value in answer.headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(answer.body)))
        request.end_headers()
        request.wfile.write(answer.body)

    def work(self, path: str, body: Any, request: BaseHTTPRequestHandler) -> Answer:
        if path == "/v1/workers/poll":
            return self.poll(body, request)
        with self.changed:
            try:
                if path == "/v1/workers/extend":
                    return Answer(200, {"results": [self.extended(one) for one in body["items"]]})
                if path == "/v1/workers/settle":
                    return Answer(200, {"results": [self.settled(one) for one in body["results"]]})
                if path == "/v1/workers/steps":
                    self.steps += body["items"]
                    return Answer(200, {"results": [{"id": one["id"], "status": "ok"} for one in body["items"]]})
                if path == "/v1/tasks":
                    new = body["id"] not in self.tasks
                    self.tasks.setdefault(body["id"], {"type": "http", **body, "state": "pending"})
                    return Answer(201 if new else 200, self.tasks[body["id"]])
                id = path.split("/")[3]
                return Answer(200, self.tasks[id]) if id in self.tasks else problem(404, "not_found")
            finally:
                self.changed.notify_all()

    def poll(self, body: Any, request: BaseHTTPRequestHandler) -> Answer:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            with self.changed:
                self.wakes.append(ours)
                due = bool(self.due)
            gone = False
            if not due:
                ready, _, _ = select.select([theirs, request.connection], [], [], float(body["wait"][:-1]))
                gone = request.connection in ready and _is_closed(request.connection)
            with self.changed:
                self.wakes.remove(ours)
                given = [*self.late] if gone else self.due[: body["max"]]
                self.due = self.due[len(given) :] if not gone else self.due
                for task in given:
                    task.setdefault("lease_until", self.after(float(body["lease"][:-1])))
                return Answer(200, {"tasks": given})

    def after(self, seconds: float) -> str:
        at = datetime.now(timezone.utc) + self.skew + timedelta(seconds=seconds)
        return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def extended(self, item: Dict[str, Any]) -> Dict[str, Any]:
        return {"id": item["id"], "status": self.statuses.get(item["id"], "ok")}

    def settled(self, item: Dict[str, Any]) -> Dict[str, Any]:
        status = self.statuses.get(item["id"], "ok").replace("canceled", "ok")
        if status == "ok":
            first = self.endings.setdefault((item["id"], item["claim"]), item)
            status = "ok" if first == item else "stale_claim"
        return {"id": item["id"], "status": status}
