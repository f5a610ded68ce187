"""A remote worker of Outlast, with nothing but the standard library.

    worker = Worker("http://127.0.0.1:7070", types={"greet": greet})
    worker.run()

A handler is a function of the payload and the task. What it returns is kept as
the result: JSON of at most 64 KiB, anything else makes the attempt a permanent
failure. What it raises is a failure, which the policy of the task retries. Retry,
Snooze, Dead and Drop steer.

What a handler returns or raises never harms another task. If a thread of the worker
itself dies, or its token is revoked, the process ends: its tasks run elsewhere when
their leases have ended.
"""

import http.client
import json
import os
import queue
import re
import signal
import socket
import sys
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


class Denied(Refused):
    """The server lets this worker do nothing: its token is not good."""


MOST_RESULT, MOST_PROGRESS = 64 << 10, 4 << 10  # bytes


def encode(value):
    """The JSON form of a value, as the server takes it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def warn(text):
    print(f"outlast worker: {text}", file=sys.stderr, flush=True)


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
        helpers = [threading.Thread(target=self._helper, args=(loop,)) for loop in (self._extend, self._settle)]
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

    @staticmethod
    def _helper(loop):
        """Without its helpers a worker would go on taking tasks that it cannot end."""
        try:
            loop()
        except BaseException as failure:
            traceback.print_exc()
            warn(f"stopped at once, since {loop.__name__.strip('_')} died: {type(failure).__name__}")
            os._exit(1)  # also while handlers run: their leases end, and others take over

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
                tasks = self._call("poll", encode({
                    "worker": self.name, **release, "queues": self.queues, "types": sorted(self.types),
                    "max": free, "wait": "2s", "lease": f"{self.lease}s",
                }), 30)["tasks"]
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
                try:
                    threading.Thread(target=self._attempt, args=(task,)).start()
                except RuntimeError:  # the system has no thread to give
                    self._end(task, encode({"outcome": "released"}))

    def _attempt(self, task):
        try:
            result = self._outcome(task)
        except BaseException as failure:  # even an error that cannot be described
            result = self._unsendable(f"how the attempt ended cannot be told ({type(failure).__name__})")
        self._end(task, result)

    def _end(self, task, result):
        with self.lock:
            self.held.pop(task.id, None)
        self.ended.put((task, result))
        self.slots.release()

    def _outcome(self, task):
        """Runs the handler, and says how the attempt ended: JSON."""
        try:
            return self._succeeded(self.types[task.type](task.payload, task))
        except Retry as wish:
            return encode({"outcome": "failed", "retry_after": f"{wish.seconds}s", "error": self._error(wish)})
        except Snooze as wish:
            return encode({"outcome": "snoozed", "retry_after": f"{wish.seconds}s"})
        except Dead as wish:
            return encode({"outcome": "dead", "error": self._error(wish.__cause__ or wish)})
        except Drop as wish:
            return encode({"outcome": "canceled", "error": self._error(wish.__cause__ or wish)})
        except BaseException as failure:  # whatever it is, the server is to know
            return encode({"outcome": "failed", "error": self._error(failure)})

    def _succeeded(self, value):
        try:
            size = len(encode(value))
        except Exception as failure:  # a datetime, a cycle, NaN, half a surrogate pair
            return self._unsendable(f"the result has no JSON form: {self._text(failure)}")
        if size > MOST_RESULT:
            return self._unsendable(f"the result has {size} bytes; {MOST_RESULT} are the limit")
        return encode({"outcome": "succeeded", "result": value})

    @staticmethod
    def _unsendable(why):
        """Doing the work again would change nothing: the failure is permanent."""
        return encode({"outcome": "failed", "error": {"message": why, "category": "permanent", "code": "bad_result"}})

    @classmethod
    def _error(cls, failure):
        return {
            "message": cls._text(failure), "type": type(failure).__name__,
            "stack": cls._plain("".join(traceback.format_exception(failure))[-8000:]),
        }

    @classmethod
    def _text(cls, failure):
        try:
            return cls._plain(str(failure))[:16000] or type(failure).__name__
        except Exception:
            return f"a {type(failure).__name__} that cannot be printed"

    @staticmethod
    def _plain(text):
        """The server takes neither NUL nor halves of surrogate pairs."""
        return text.replace("\0", "\ufffd").encode(errors="replace").decode()

    def _extend(self):
        """Keeps the leases of what is being worked on, until all of it has ended."""
        while not self.idle.wait(self.lease / 3):
            with self.lock:
                tasks = list(self.held.values())
            if not tasks:
                continue
            try:
                answers = self._extended([{"id": t.id, "claim": t.claim, "progress": self._progress(t)} for t in tasks])
            except OSError:
                continue
            for task, answer in zip(tasks, answers):
                if answer["status"] != "ok":
                    task.stopped.set()

    def _extended(self, items):
        body = {"items": items, "lease": f"{self.lease}s"}
        try:
            return self._call("extend", encode(body), self.lease / 3)["results"]
        except Denied:
            raise
        except Refused as refusal:  # it can only be some progress
            warn(f"no progress is shown: {refusal}")
            for item in items:
                del item["progress"]
            return self._call("extend", encode(body), self.lease / 3)["results"]

    @staticmethod
    def _progress(task):
        try:
            text = encode(task.progress)
        except Exception:  # no JSON, or it changes just now
            return None
        return json.loads(text) if len(text) <= MOST_PROGRESS else None

    def _settle(self):
        """Tells the server how attempts ended, several at a time."""
        last = False
        while not last:
            ended = [self.ended.get()]
            while len(ended) < 100 and not self.ended.empty():
                ended.append(self.ended.get())
            last = None in ended
            ended = [e for e in ended if e is not None]
            if ended:
                self._tell(ended, time.monotonic() + max(self.lease, 30))

    def _tell(self, ended, until):
        """Tells the server. Of what it refuses, only the attempt that is wrong fails."""
        refusal = self._refused(ended, until)
        if refusal is None:
            return
        if len(ended) > 1:
            half = len(ended) // 2
            self._tell(ended[:half], until)
            self._tell(ended[half:], until)
            return
        task, _ = ended[0]
        refusal = self._refused([(task, self._unsendable(f"the server refuses how the attempt ended: {refusal}"))], until)
        if refusal is not None:
            warn(f"task {task.id} runs again when its lease has ended: {refusal}")

    def _refused(self, ended, until):
        """Sends, again and again while the server is away, and returns its refusal, if it is one."""
        items = [b'{"id":"%s","claim":%d,%s' % (task.id.encode(), task.claim, result[1:]) for task, result in ended]
        body, pause = b'{"results":[%s]}' % b",".join(items), 0.1
        while True:
            try:
                self._call("settle", body, 30)  # safe to repeat
                return None
            except Denied:
                raise
            except Refused as refusal:
                return self._text(refusal)
            except OSError as failure:
                if time.monotonic() >= until:
                    warn(f"{len(ended)} tasks run again, since the server cannot be told that they ended: {failure}")
                    return None
                time.sleep(pause)
                pause = min(2 * pause, 5)

    def _call(self, path, body, timeout):
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(f"{self.server}/v1/workers/{path}", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code >= 500 or refusal.code in (408, 429):
                raise OSError(f"the server is busy: {refusal.code}") from refusal
            kind = Denied if refusal.code in (401, 403) else Refused
            raise kind(refusal.read().decode(errors="replace")) from refusal
        except (ValueError, http.client.HTTPException) as broken:  # half an answer
            raise OSError("the answer broke off") from broken
