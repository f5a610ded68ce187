"""The shortest worker that seems to work: one loop, one task after the other. Each answer is taken for granted."""

import json
import os
import time
import urllib.request

SERVER, LEASE = os.environ["OUTLAST_SERVER"], os.environ["OUTLAST_KIT_LEASE"]
POLL = {"worker": f"simple-{os.getpid()}", "types": ["echo", "fail", "reject", "snooze", "bad", "slow"], "lease": LEASE + "s", "wait": "1s"}


def post(path, body=None):
    headers = {"Authorization": "Bearer " + os.environ["OUTLAST_TOKEN"], "Content-Type": "application/json"}
    request = urllib.request.Request(SERVER + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def run(task):
    def tell(event):
        return post(f"/kit/{event}/{task['id']}/{task['claim']}")

    tell("started")
    kind = task["type"]
    if kind == "fail":
        raise RuntimeError(task["payload"])
    if kind == "reject":
        return {"outcome": "dead", "error": {"message": "nobody can do it"}}
    if kind == "snooze":
        return {"outcome": "snoozed", "retry_after": "5s"}
    if kind == "bad":
        return {"outcome": "succeeded", "result": float("nan")}
    if kind == "slow":
        while tell("working") != "end":
            time.sleep(0.1)
    return {"outcome": "succeeded", "result": task["payload"]}


while True:
    try:
        for task in json.loads(post("/v1/workers/poll", POLL))["tasks"]:
            try:
                end = run(task)
            except Exception as failure:
                end = {"outcome": "failed", "error": {"message": str(failure)}}
            post("/v1/workers/settle", {"results": [{"id": task["id"], "claim": task["claim"], **end}]})
    except Exception as failure:
        print("trouble:", failure)
        time.sleep(0.1)
