"""A worker with threads, without a package. Its argument says what it does wrong:

    nothing  it is right
    deaf     it extends leases, and does not listen to what the answers say
    hasty    it believes the clocks, starts whatever comes, and leaves at once when it is told to
"""

import json
import math
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone

SERVER = os.environ["OUTLAST_SERVER"]
LEASE, GRACE = (int(os.environ[f"OUTLAST_KIT_{name}"]) for name in ("LEASE", "GRACE"))
DEAF, HASTY = (sys.argv[1] == name for name in ("deaf", "hasty"))
NAME = f"{sys.argv[1]}-{os.getpid()}"
TYPES = ["echo", "fail", "reject", "snooze", "bad", "slow"]
SLOTS = 4

lock = threading.Condition()
held = {}  # by id and claim
stopping = threading.Event()


class Held:
    def __init__(self, task, since):
        self.task, self.since, self.stop, self.gone = task, since, None, False


def post(path, body=None):
    headers = {"Authorization": "Bearer " + os.environ["OUTLAST_TOKEN"], "Content-Type": "application/json"}
    request = urllib.request.Request(SERVER + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as refusal:
        if refusal.code in (401, 403):
            os._exit(1)
        if refusal.code == 400:
            raise
        time.sleep(float(refusal.headers.get("Retry-After", 0)))
        raise ConnectionError(refusal)


def tell(one, event):
    request = urllib.request.Request(f"{SERVER}/kit/{event}/{one.task['id']}/{one.task['claim']}", b"")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def run(one):
    kind = one.task["type"]
    tell(one, "started")
    if kind == "fail":
        raise RuntimeError(one.task["payload"])
    if kind == "reject":
        return {"outcome": "dead", "error": {"message": "nobody can do it"}}
    if kind == "snooze":
        return {"outcome": "snoozed", "retry_after": "5s"}
    if kind == "slow":
        while tell(one, "working") != "end":
            time.sleep(0.1)
            if one.stop:
                tell(one, "stopped")
                return {"outcome": one.stop, "error": {"message": "stopped"}}
    result = math.nan if kind == "bad" else one.task["payload"]
    json.dumps(result, allow_nan=False)
    return {"outcome": "succeeded", "result": result}


def bad_result(failure):
    return {"outcome": "failed", "error": {"message": str(failure), "category": "permanent", "code": "bad_result"}}


def attempt(one):
    try:
        end = run(one)
    except ValueError as failure:
        end = bad_result(failure)
    except Exception as failure:
        end = {"outcome": "failed", "error": {"message": str(failure)}}
    settle(one, end)


def settle(one, end):
    tell_end(one, end)
    with lock:
        del held[one.task["id"], one.task["claim"]]
        lock.notify_all()


def tell_end(one, end):
    while not one.gone:
        try:
            post("/v1/workers/settle", {"results": [{"id": one.task["id"], "claim": one.task["claim"], **end}]})["results"]
            return
        except urllib.error.HTTPError as refusal:
            end = bad_result(refusal)
        except Exception as failure:
            print("settle:", failure)
            time.sleep(0.05)


def keep_leases():
    while True:
        time.sleep(LEASE / 10)
        now = time.monotonic()
        with lock:
            mine = [one for one in held.values() if not one.gone]
        for one in mine:
            if now > one.since + LEASE and not DEAF:
                one.stop = one.stop or "released"
        due = [one for one in mine if now > one.since + LEASE / 3]
        if not due:
            continue
        try:
            items = [{"id": one.task["id"], "claim": one.task["claim"]} for one in due]
            results = post("/v1/workers/extend", {"items": items, "lease": f"{LEASE}s"})["results"]
        except Exception as failure:
            print("extend:", failure)
            continue
        for one, result in zip(due, results):
            one.since = now
            if DEAF or result["status"] == "ok":
                continue
            one.stop = "canceled" if result["status"] == "canceled" else "released"
            one.gone = result["status"] != "canceled"


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def take(task, asked):
    one = Held(task, asked)
    with lock:
        held[task["id"], task["claim"]] = one
    if HASTY and moment(task["lease_until"]) < datetime.now(timezone.utc):
        one.stop = "released"
    elif not HASTY and (stopping.is_set() or time.monotonic() > asked + LEASE):
        threading.Thread(target=settle, args=(one, {"outcome": "released"})).start()
        return
    if "attempt_ends" in task and not HASTY:
        left = (moment(task["attempt_ends"]) - moment(task["lease_until"])).total_seconds() + LEASE
        timer = threading.Timer(left, lambda: setattr(one, "stop", one.stop or "failed"))
        timer.daemon = True
        timer.start()
    threading.Thread(target=attempt, args=(one,), daemon=True).start()


def leave(*_):
    if HASTY:
        os._exit(0)
    stopping.set()


signal.signal(signal.SIGTERM, leave)
threading.Thread(target=keep_leases, daemon=True).start()
while not stopping.is_set():
    with lock:
        if not lock.wait_for(lambda: len(held) < SLOTS, 0.1):
            continue
    asked = time.monotonic()
    body = {"worker": NAME, "types": TYPES, "max": SLOTS - len(held), "wait": f"{LEASE * 300}ms", "lease": f"{LEASE}s"}
    try:
        for task in post("/v1/workers/poll", body)["tasks"]:
            take(task, asked)
    except Exception as failure:
        print("poll:", failure)
        time.sleep(0.05)
end = time.monotonic() + GRACE
with lock:
    lock.wait_for(lambda: not held, GRACE)
    for one in held.values():
        one.stop = "released"
    lock.wait_for(lambda: not held)
