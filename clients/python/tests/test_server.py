"""Client and worker against a real server."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from datetime import datetime, timedelta, timezone
from typing import Any, List

import outlast
from outlast import Context, Draft, Follow, Worker

from .server import ServerCase, draft, here


class Real(ServerCase):
    def work(self, **handlers: Any) -> Worker:
        """A worker in this process, until the test ends."""
        worker = Worker(self.client, queues=[self.queue], lease=60)
        for type, handler in handlers.items():
            worker.register(type, handler)
        thread = threading.Thread(target=worker.run, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(worker.stop)
        return worker

    def draft(self, type: str, payload: Any = None, **more: Any) -> Draft:
        return draft(type, payload, queue=self.queue, **more)

    def test_from_enqueue_to_result(self) -> None:
        def flaky(context: Context) -> Any:
            if context.attempt < 3:
                raise ConnectionResetError("the shop hung up")
            return [context.attempt, context.time_left() is not None]

        def check(context: Context) -> None:
            raise outlast.GiveUp() from ValueError("an order has no number")

        self.work(greet=lambda context: {"text": f"Hello {context.payload}"}, flaky=flaky, check=check)
        greeted = self.client.run(self.draft("greet", "Ada"), timeout=60)
        self.assertEqual((greeted.state, greeted.result), ("succeeded", {"text": "Hello Ada"}))
        flaked = self.ends(self.client.enqueue(self.draft("flaky", timeout=600)).id)
        self.assertEqual(flaked.result, [3, True])
        attempts = self.client.attempts(flaked.id)
        self.assertEqual([one.outcome for one in attempts], ["failed", "failed", "succeeded"])
        self.assertEqual((attempts[0].category, attempts[0].type), ("network", "ConnectionResetError"))
        dead = self.ends(self.client.enqueue(self.draft("check")).id, "dead")
        assert dead.last_error is not None
        self.assertEqual((dead.dead_reason, dead.last_error.type), ("rejected", "ValueError"))

    def test_all_fields(self) -> None:
        at = datetime.now(timezone.utc) + timedelta(hours=1)
        given = self.draft(
            "later", {"n": 1}, run_at=at, priority=9, key="k", share_key="s", dedupe_key="d", dedupe_window=60, max_attempts=2,
            timeout=5, deadline=at + timedelta(hours=1), metadata={"a": "b"}, fallback=Follow("f"), on_success=Follow("g"), on_dead=Follow("h"),
        )  # fmt: skip
        first, again = self.client.enqueue(given), self.client.enqueue(given)
        self.assertEqual((first.existing, again.existing, first.id == again.id), (False, True, True))
        got = self.client.get(first.id)
        same = ("type", "payload", "queue", "priority", "key", "share_key", "dedupe_key", "max_attempts", "timeout", "metadata", "run_at", "deadline")
        self.assertEqual({name: getattr(got, name) for name in same}, {name: getattr(given, name) for name in same})
        with self.assertRaises(outlast.ConflictError) as caught:
            self.client.enqueue(self.draft("later", {"n": 2}, dedupe_key="d"))
        self.assertEqual((caught.exception.code, caught.exception.existing), ("dedupe_conflict", first.id))
        with self.assertRaises(outlast.InvalidError) as wrong:
            self.client.enqueue(self.draft("", priority=11))
        self.assertIn("priority", [field.path for field in wrong.exception.fields])
        moved = self.client.reschedule(first.id, delay=timedelta(days=1))
        self.assertTrue(moved.run_at and moved.run_at > at)
        self.assertEqual(self.client.cancel(first.id).state, "canceled")
        with self.assertRaises(outlast.ConflictError) as ended:
            self.client.retry(first.id)
        self.assertEqual(ended.exception.state, "canceled")
        with self.assertRaises(outlast.NotFoundError):
            self.client.get(outlast.new_id())

    def test_batch(self) -> None:
        results = self.client.enqueue_batch([self.draft("later", n) for n in range(3)] + [self.draft("later", priority=11)])
        self.assertEqual([result.status for result in results], [201, 201, 201, 400])
        self.assertIsInstance(results[3].error, outlast.InvalidError)
        with self.assertRaises(outlast.InvalidError):
            self.client.enqueue_batch([self.draft("later"), self.draft("later", priority=11)], atomic=True)

    def test_steps_sleep_and_signal(self) -> None:
        done: List[str] = []

        def order(context: Context) -> Any:
            context.step("charge", lambda: done.append("charge"), undo=outlast.Compensation("refund", 1))
            context.sleep("a while", 1.2)
            approval = context.await_signal("approval", 600, every=1)
            for _ in range(2):
                context.step("mail", lambda: done.append("mail"))
            if context.attempt == 1:
                raise TimeoutError("once")
            raise outlast.GiveUp(approval["why"])

        self.work(order=order, refund=lambda context: done.append("refund"))
        id = self.client.enqueue(self.draft("order")).id
        self.assertFalse(self.client.signal(id, "approval", {"why": "undo it"}).repeated)
        self.assertTrue(self.client.signal(id, "approval", {"why": "undo it"}).repeated)
        self.assertEqual(self.ends(id, "dead").attempt, 2)
        self.until(lambda: "refund" in done)
        self.assertEqual(done, ["charge", "mail", "mail", "refund"])
        self.assertEqual({"snoozed", "failed", "dead"}, {one.outcome for one in self.client.attempts(id)})

    def test_cancel(self) -> None:
        began = threading.Event()

        def long(context: Context) -> None:
            began.set()
            context.wait(600)

        worker = Worker(self.client, queues=[self.queue], lease=3)
        worker.register("long", long)
        thread = threading.Thread(target=worker.run, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(worker.stop)
        id = self.client.enqueue(self.draft("long")).id
        began.wait()
        self.client.cancel(id)
        self.ends(id, "canceled")

    def test_what_the_server_refuses(self) -> None:
        def deep(context: Context) -> Any:
            value: Any = None
            for _ in range(100):
                value = [value]
            return value

        self.work(deep=deep, fine=lambda context: "fine")
        ids = [result.id for result in self.client.enqueue_batch([self.draft(type) for type in ("deep", "fine") * 5])]
        for bad, good in zip(ids[::2], ids[1::2]):
            failure = self.ends(bad, "dead").last_error
            assert failure is not None
            self.assertEqual((failure.code, failure.category), ("bad_result", "permanent"))
            self.assertIn("nested", failure.message)
            self.assertEqual(self.ends(good).crashes, 0)

    def test_group(self) -> None:
        self.work(member=lambda context: None, report=lambda context: context.payload)
        group = self.client.create_group(Follow("report", queue=self.queue), label="March")
        for _ in range(2):  # as after a crash
            drafts = [self.draft("member", id=outlast.member_id(group.id, name), group=group.id) for name in "abc"]
            self.assertTrue(all(result.id for result in self.client.enqueue_batch(drafts)))
        self.client.close_group(group.id)
        done = self.until(lambda: self.client.get_group(group.id).callback_task)
        self.assertEqual(self.ends(done).payload["succeeded"], 3)

    def test_killed(self) -> None:
        """The task of a worker that is killed runs again, at no attempt; its step is not done again."""
        with tempfile.TemporaryDirectory() as folder:
            first = self.python(here("program.py"), "killed", "2")
            id = self.client.enqueue(draft("until", os.path.join(folder, "go"))).id
            self.until(lambda: self.client.get(id).steps)
            first.kill()
            self.python(here("program.py"), "second", "60")
            open(os.path.join(folder, "go"), "w").close()
            done = self.ends(id)
        self.assertEqual((done.attempt, done.result), (1, f"begun by {first.pid}"))
        self.assertGreaterEqual(done.crashes, 1)

    def test_terminated_while_it_works(self) -> None:
        """It ends what it has in hand, and then ends well."""
        with tempfile.TemporaryDirectory() as folder:
            process = self.python(here("program.py"), "terminated", "60")
            id = self.client.enqueue(draft("until", os.path.join(folder, "go"))).id
            self.until(lambda: self.client.get(id).steps)
            process.send_signal(signal.SIGTERM)
            open(os.path.join(folder, "go"), "w").close()
            self.assertEqual(process.wait(), 0)
        self.assertEqual(self.client.get(id).state, "succeeded")

    def test_terminated_while_it_polls(self) -> None:
        process = self.python(here("program.py"), "idle", "60")
        self.ends(self.client.enqueue(draft("until", __file__)).id)  # then it polls
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 0)

    def test_stops_lose_nothing(self) -> None:
        """Workers are stopped while tasks come. A task that is lost on the way would wait for its lease, and crash."""
        ids: List[str] = []
        for _ in range(20):
            worker = Worker(self.client, queues=[self.queue], lease=60)
            worker.register("fine", lambda context: "fine")
            thread = threading.Thread(target=worker.run, daemon=True)
            thread.start()
            self.until(lambda: worker._interrupt._socket)  # it has sent its poll
            coming = threading.Thread(target=lambda: ids.append(self.client.enqueue(self.draft("fine")).id))
            coming.start()
            worker.stop()
            coming.join()
            thread.join()
        self.work(fine=lambda context: "fine")
        for id in ids:
            done = self.ends(id)
            self.assertEqual((done.crashes, done.attempt), (0, 1))
