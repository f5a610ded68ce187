"""The client against a server that plays faults."""

from __future__ import annotations

import datetime
import os
import tempfile
import unittest
import uuid
from datetime import timedelta, timezone
from typing import Any, Dict, List
from unittest import mock

import outlast
from outlast import Client, Draft, Follow, Target

from .fake import Answer, Fake, Ignored, Lost, problem

TASKS = "/v1/tasks"


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        self.fake = Fake()
        self.addCleanup(self.fake.close)
        self.client = self.fake.client()
        self.rests: List[float] = []
        mock.patch.object(self.client.transport, "sleep", self.rests.append).start()

    def test_a_lost_answer(self) -> None:
        self.fake.faults[TASKS] = [Lost(), Ignored(), Answer(201, b"{")]
        task = self.client.enqueue("greet", {"name": "Ada"})
        sent = self.fake.called(TASKS)
        self.assertEqual((len(sent), {one["id"] for one in sent}), (4, {task.id}))
        self.assertEqual((len(self.fake.tasks), task.existing, task.payload), (1, True, {"name": "Ada"}))
        self.assertEqual((uuid.UUID(task.id).version, uuid.UUID(task.id).variant), (7, uuid.RFC_4122))

    def test_no_server(self) -> None:
        self.fake.always[TASKS] = Ignored()
        with self.assertRaises(outlast.UnavailableError) as caught:
            self.client.enqueue("greet")
        self.assertEqual((len(self.fake.called(TASKS)), caught.exception.code, caught.exception.status), (4, "unavailable", 0))

    def test_what_may_harm_is_not_repeated(self) -> None:
        id = self.client.enqueue("greet").id
        for name in ("cancel", "retry"):
            path = f"{TASKS}/{id}/{name}"
            self.fake.always[path] = Lost()
            with self.assertRaises(outlast.UnavailableError):
                getattr(self.client, name)(id)
            self.assertEqual(len(self.fake.called(path)), 1)

    def test_retry_after(self) -> None:
        dated = {"Date": "Fri, 01 Mar 2019 10:00:00 GMT", "Retry-After": "Fri, 01 Mar 2019 10:00:04 GMT"}
        self.fake.faults[TASKS] = [
            problem(503, "unavailable", {"Retry-After": "7"}),
            Answer(503, b"<html>", dated),
            problem(429, "slow_down", retry_after="1.5s"),
        ]
        self.client.enqueue("greet")
        for rest, least in zip(self.rests, (7, 4, 1.5)):
            self.assertTrue(least <= rest < least + 1, self.rests)
        self.assertEqual(len(self.rests), 3)

    def test_longer_than_there_is_time(self) -> None:
        self.fake.faults[TASKS] = [problem(503, "unavailable", {"Retry-After": "31"})]
        with self.assertRaises(outlast.UnavailableError) as caught:
            self.client.enqueue("greet")
        self.assertEqual((caught.exception.retry_after, self.rests), (31.0, []))

    def test_a_full_queue_is_for_the_caller(self) -> None:
        self.fake.faults[TASKS] = [problem(429, "queue_full", {"Retry-After": "3"})]
        with self.assertRaises(outlast.QueueFullError) as caught:
            self.client.enqueue("greet")
        self.assertEqual((caught.exception.retry_after, len(self.fake.called(TASKS))), (3.0, 1))

    def test_errors(self) -> None:
        wrong = {
            "errors": [{"path": "queue", "message": "must be a name"}],
            "hint": "use letters",
            "detail": "queue must be a name",
            "title": "The request is not valid",
        }
        kinds = {
            "invalid": (400, outlast.InvalidError),
            "too_large": (413, outlast.InvalidError),
            "not_found": (404, outlast.NotFoundError),
            "dedupe_conflict": (409, outlast.ConflictError),
            "denied": (403, outlast.DeniedError),
            "internal": (500, outlast.OutlastError),
            "of_the_future": (418, outlast.OutlastError),
        }
        for code, (status, kind) in kinds.items():
            with self.subTest(code), self.assertRaises(outlast.OutlastError) as caught:
                self.fake.faults[TASKS] = [problem(status, code, {"X-Request-Id": "r1"}, **wrong)]
                self.client.enqueue("greet")
            error = caught.exception
            self.assertIs(type(error), kind)
            self.assertEqual((error.code, error.status, error.request_id, error.hint), (code, status, "r1", "use letters"))
            self.assertEqual(error.fields, (outlast.Field("queue", "must be a name"),))
            self.assertEqual(str(error), f"queue must be a name ({code}). use letters")

    def test_garbage(self) -> None:
        for answer in (Answer(200, b"[1]"), Answer(404, b"<html>"), Answer(301, b"", {"Location": "/"}), Answer(500, b"{}")):
            self.fake.faults[TASKS] = [answer]
            with self.assertRaises(outlast.OutlastError):
                self.client.enqueue("greet")
        self.assertEqual(self.rests, [])

    def test_an_answer_that_drips(self) -> None:
        """Each byte comes in time, and all of them do not."""
        clock, ahead = self.client.transport.clock, [0.0]
        self.client.transport.clock = lambda: clock() + ahead[0]

        def late(body: Dict[str, Any]) -> None:
            ahead[0] += 31

        self.fake.faults[TASKS] = [late]
        with self.assertRaises(outlast.UnavailableError):
            self.client.enqueue("greet")
        self.assertEqual(len(self.fake.called(TASKS)), 1)

    def test_connections(self) -> None:
        """One is used again, but not when the server has closed it, as after a restart."""
        self.client.enqueue("greet")
        first = self.client.transport._idle[0]
        self.client.enqueue("greet")
        self.assertEqual(self.client.transport._idle, [first])
        self.fake.faults[TASKS] = [Answer(503, b"", {"Connection": "close"})]
        self.client.enqueue("greet")
        self.assertNotEqual(self.client.transport._idle, [first])
        sock = self.client.transport._idle[0].sock
        sock.shutdown(2)
        with self.assertRaises(outlast.NotFoundError):  # and not that the connection is broken
            self.client.retry("none")

    def test_all_of_a_draft(self) -> None:
        at = datetime.datetime(2030, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=1)))
        draft = Draft(
            type="greet", payload=0, id=outlast.new_id(), queue="mail", delay=1.5, run_at=at, priority=0, key="k", share_key="s",
            dedupe_key="d", dedupe_window=timedelta(hours=1), policy="p", retry={"max_attempts": 3}, max_attempts=2, timeout=0.25,
            deadline=at, ttl=60, metadata={"a": "b"}, target=Target(url="http://h", headers={"X": "y"}), fallback=Follow("f", payload=[]),
            on_success=Follow(target=Target(group="g", path="/p")), on_dead=Follow("x"), alert={"channels": ["ops"]},
            trace_parent="00-1", group=outlast.new_id(),
        )  # fmt: skip
        self.client.enqueue(draft)
        self.assertEqual(
            self.fake.called(TASKS)[0],
            {
                "type": "greet", "payload": 0, "id": draft.id, "queue": "mail", "delay": "1.500000s", "run_at": "2030-01-02T02:04:05.000000Z",
                "priority": 0, "key": "k", "share_key": "s", "dedupe_key": "d", "dedupe_window": "3600.000000s", "policy": "p",
                "retry": {"max_attempts": 3}, "max_attempts": 2, "timeout": "0.250000s", "deadline": "2030-01-02T02:04:05.000000Z",
                "ttl": "60.000000s", "metadata": {"a": "b"}, "target": {"url": "http://h", "headers": {"X": "y"}},
                "fallback": {"type": "f", "payload": []}, "on_success": {"target": {"group": "g", "path": "/p"}}, "on_dead": {"type": "x"},
                "alert": {"channels": ["ops"]}, "trace_parent": "00-1", "group": draft.group,
            },
        )  # fmt: skip
        with self.assertRaisesRegex(ValueError, "time zone"):
            self.client.enqueue(Draft("greet", run_at=datetime.datetime(2030, 1, 1)))
        with self.assertRaises(ValueError):
            self.client.enqueue("greet", float("nan"))

    def test_waiting(self) -> None:
        """The server is asked again when it has answered before the end, and never sooner."""
        id = self.client.enqueue("greet").id
        path = f"{TASKS}/{id}"
        self.fake.faults[path] = [None, Answer(200, {"id": id, "type": "greet", "state": "dead", "dead_reason": "rejected"})]
        self.assertEqual(self.client.wait(id, timeout=60).dead_reason, "rejected")
        asked = [at for at, _, _ in self.fake.calls if at.startswith(path)]
        self.assertEqual(asked[0], path + "?wait=30.000000s")
        self.assertEqual(len(asked), 2)
        self.assertEqual(self.rests, [])
        self.assertEqual(self.client.wait(id, timeout=0).state, "pending")


class Settings(unittest.TestCase):
    def test_tokens(self) -> None:
        fake = Fake()
        self.addCleanup(fake.close)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("from-file\n")
            file.flush()
            env = {"OUTLAST_SERVER": fake.url, "OUTLAST_TOKEN": "from-env", "OUTLAST_TOKEN_FILE": file.name}
            with mock.patch.dict(os.environ, env):
                made = [Client(), Client(token="given"), Client(token="")]
                del os.environ["OUTLAST_TOKEN_FILE"]
                made.append(Client())
        for client in made:
            client.enqueue("greet")
            client.close()
        sent = [headers.get("Authorization") for _, _, headers in fake.calls]
        self.assertEqual(sent, ["Bearer from-file", "Bearer given", None, "Bearer from-env"])

    def test_urls(self) -> None:
        for url in ("localhost:7070", "ftp://h", "http://", "http://u:p@h", "http://h?x=1"):
            with self.subTest(url), self.assertRaises(ValueError):
                Client(url)

    def test_member_id(self) -> None:
        """The same as Group.Member of Go."""
        self.assertEqual(
            outlast.member_id("018df700-0000-7000-8000-000000000000", "customer 7 ü"), "018df700-0000-7adb-abef-4d67835f8a24"
        )


if __name__ == "__main__":
    unittest.main()
