"""A remote worker of Outlast, with nothing but the standard library.

    worker = Worker("http://127.0.0.1:7070", types={"greet": greet})
    worker.run()

A handler is a function of the payload and the task. What it returns is kept as
the result; what it raises is a failure, which the policy of the task retries.
Retry, Snooze, Dead and Drop steer.
"""

import json
import os
import queue
import re
import signal
import socket
import threading
import time
import traceback
import urllib.error
import urllib.request


class Retry(Exception):
    """The attempt failed; the next one starts after so many seconds."""

    def __init__(self, seconds, message="try again"):
        super().__init__(message)
        self.seconds = seconds


class Snooze(Exception):
    """Run again after so many seconds. It is no failure and costs no attempt."""

    def __init__(self, seconds):
        super().__init__("snoozed")
        self.seconds = seconds


class Dead(Exception):
    """Ends the task now as a dead letter."""


class Drop(Exception):
    """Ends the task now as canceled: it is no longer wanted."""


class Refused(Exception):
    """The server refuses a request, and would do so again."""


class Task:
    """One attempt of a task."""

    def __init__(self, fields):
        self.id, self.claim, self.type = fields["id"], fields["claim"], fields["type"]
        self.attempt, self.payload = fields["attempt"], fields.get("payload")
        self.metadata = fields.get("metadata", {})
        self.progress = None  # any JSON; shown with the task
        self.stopped = threading.Event()  # canceled, or not this worker's any more: come back


class Worker:
    """Fetches tasks, runs them in threads, and says how they ended."""

    def __init__(self, server, types, queues=("default",), concurrency=4, lease=30.0, name=None, token=None, release=None):
        self.server, self.types, self.queues = server.rstrip("/"), types, list(queues)
        self.concurrency, self.lease, self.token = concurrency, lease, token
        self.release = release or os.environ.get("OUTLAST_RELEASE", "")  # of the program, for statistics
        self.name = name or f"py-{re.sub('[^A-Za-z0-9.-]', '-', socket.gethostname())[:40]}-{os.getpid()}"
        self.stopping, self.idle = threading.Event(), threading.Event()
        self.slots = threading.Semaphore(concurrency)
        self.held, self.lock = {}, threading.Lock()
        self.ended = queue.Queue()

    def run(self):
        """Works until stop() is called or a signal comes; running attempts may finish."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: self.stop())
        helpers = [threading.Thread(target=self._extend), threading.Thread(target=self._settle)]
        for helper in helpers:
            helper.start()
        try:
            self._poll()
        finally:
            self.stopping.set()
            for _ in range(self.concurrency):  # all attempts have ended
                self.slots.acquire()
            self.idle.set()
            self.ended.put(None)
            for helper in helpers:
                helper.join()

    def stop(self):
        self.stopping.set()

    def _poll(self):
        pause, release = 0.1, {"release": self.release} if self.release else {}
        while not self.stopping.is_set():
            if not self.slots.acquire(timeout=0.2):
                continue
            free = 1
            while free < self.concurrency and self.slots.acquire(blocking=False):
                free += 1
            tasks = []
            try:
                # A short wait, since a signal cannot interrupt it.
                tasks = self._call("poll", {
                    "worker": self.name, **release, "queues": self.queues, "types": sorted(self.types),
                    "max": free, "wait": "2s", "lease": f"{self.lease}s",
                }, 30)["tasks"]
                pause = 0.1
            except OSError:
                self.stopping.wait(pause)  # the server is away; it will be back
                pause = min(2 * pause, 5)
            finally:
                for _ in range(free - len(tasks)):
                    self.slots.release()
            for fields in tasks:
                task = Task(fields)
                with self.lock:
                    self.held[task.id] = task
                threading.Thread(target=self._attempt, args=(task,)).start()

    def _attempt(self, task):
        try:
            result = {"outcome": "succeeded", "result": self.types[task.type](task.payload, task)}
        except Retry as wish:
            result = {"outcome": "failed", "retry_after": f"{wish.seconds}s", "error": self._error(wish)}
        except Snooze as wish:
            result = {"outcome": "snoozed", "retry_after": f"{wish.seconds}s"}
        except Dead as wish:
            result = {"outcome": "dead", "error": self._error(wish.__cause__ or wish)}
        except Drop as wish:
            result = {"outcome": "canceled", "error": self._error(wish.__cause__ or wish)}
        except BaseException as failure:  # whatever it is, the server is to know
            result = {"outcome": "failed", "error": self._error(failure)}
        with self.lock:
            self.held.pop(task.id, None)
        self.ended.put({"id": task.id, "claim": task.claim, **result})
        self.slots.release()

    @staticmethod
    def _error(failure):
        return {
            "message": str(failure) or type(failure).__name__, "type": type(failure).__name__,
            "stack": "".join(traceback.format_exception(failure))[-8000:],
        }

    def _extend(self):
        """Keeps the leases of what is being worked on, until all of it has ended."""
        while not self.idle.wait(self.lease / 3):
            with self.lock:
                tasks = list(self.held.values())
            if not tasks:
                continue
            items = [{"id": t.id, "claim": t.claim, "progress": t.progress} for t in tasks]
            try:
                answers = self._call("extend", {"items": items, "lease": f"{self.lease}s"}, self.lease / 3)["results"]
            except OSError:
                continue
            for task, answer in zip(tasks, answers):
                if answer["status"] != "ok":
                    task.stopped.set()

    def _settle(self):
        """Tells the server how attempts ended, several at a time."""
        last = False
        while not last:
            results = [self.ended.get()]
            while len(results) < 100 and not self.ended.empty():
                results.append(self.ended.get())
            last = None in results
            results = [r for r in results if r is not None]
            pause, until = 0.1, time.monotonic() + max(self.lease, 30)
            while results and time.monotonic() < until:
                try:
                    self._call("settle", {"results": results}, 30)  # safe to repeat
                    break
                except OSError:
                    time.sleep(pause)
                    pause = min(2 * pause, 5)

    def _call(self, path, body, timeout):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(f"{self.server}/v1/workers/{path}", json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code in (429, 502, 503, 504):
                raise OSError(f"the server is busy: {refusal.code}") from refusal
            raise Refused(refusal.read().decode(errors="replace")) from refusal
        except ValueError as broken:  # half an answer
            raise OSError("the answer broke off") from broken
