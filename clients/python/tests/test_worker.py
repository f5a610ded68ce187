"""The worker against a server that plays faults."""

from __future__ import annotations

import datetime
import logging
import threading
import time
import unittest
from datetime import timedelta
from typing import Any, Callable, Dict, List, Optional
from unittest import mock

import outlast
from outlast import Context, Worker
from outlast.worker import WorkerError

from .fake import PATIENCE, Answer, Fake, Ignored, Lost, problem

POLL, EXTEND, SETTLE, STEPS = (f"/v1/workers/{name}" for name in ("poll", "extend", "settle", "steps"))
FOREIGN = [Answer(404, b"404 page not found"), Answer(400, {"code": 400, "status": "Failure"}), Answer(405, b"<html>")]
"""What proxies answer while the server is not there."""


class Running:
    """A worker that runs in a thread until the test ends it."""

    def __init__(self, case: unittest.TestCase, fake: Fake, handlers: Dict[str, Any], **options: Any) -> None:
        self.worker = Worker(fake.client(), **options)
        for name, handler in handlers.items():
            self.worker.register(name, handler)
        self.failure: Optional[BaseException] = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        case.addCleanup(self.stop)

    def start(self) -> Running:
        self.thread.start()
        return self

    def _run(self) -> None:
        try:
            self.worker.run()
        except BaseException as failure:
            self.failure = failure

    def stop(self) -> None:
        if self.thread.ident is not None:
            self.worker.stop()
            self.ends()

    def ends(self) -> Optional[BaseException]:
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), "the worker did not end"
        return self.failure


class WorkerCase(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        self.anew()
        self.go = threading.Event()
        self.addCleanup(self.go.set)
        patched = mock.patch("outlast.worker.pause", side_effect=lambda tries, error: error.retry_after or 0.0)
        self.pause = patched.start()
        self.addCleanup(patched.stop)

    def anew(self) -> None:
        self.fake = Fake()
        self.addCleanup(self.fake.close)

    def running(
        self, *, now: bool = True, soon: bool = False, handlers: Optional[Dict[str, Any]] = None, **options: Any
    ) -> Running:
        """Starts a worker. What its first poll brings is to be extended ``soon``: a third of the lease has passed."""
        usual = {"fine": lambda context: "fine", "wait": lambda context: self.go.wait(), **(handlers or {})}
        made = Running(self, self.fake, usual, **options)
        if soon:
            clock = Clock().drives(made.worker)
            self.fake.faults[POLL] = [lambda body: clock.go_on(11)]
        self.addCleanup(self.go.set)  # before the worker is stopped
        return made.start() if now else made


class Endings(WorkerCase):
    def test_result(self) -> None:
        id = self.fake.give("greet", {"name": "Ada"})
        self.running(handlers={"greet": lambda context: {"text": f"Hello {context.payload['name']}"}}, release="5.1")
        self.assertEqual(self.fake.ending(id), {"id": id, "claim": 7, "outcome": "succeeded", "result": {"text": "Hello Ada"}})
        poll = self.fake.called(POLL)[0]
        self.assertEqual((poll["types"], poll["release"], poll["max"]), (["fine", "greet", "wait"], "5.1", 10))

    def test_verdicts(self) -> None:
        def steer(context: Context) -> None:
            try:
                raise {
                    "later": outlast.RetryAfter(90, "not yet"),
                    "snooze": outlast.Snooze(timedelta(minutes=1)),
                    "dead": outlast.GiveUp("no such order"),
                    "drop": outlast.Cancel("nobody wants it"),
                    "fail": ConnectionResetError(104, "the shop hung up"),
                    "own": outlast.TaskFailure("limit", category="throttled", code="429"),
                    "exit": SystemExit(3),
                }[context.payload]
            except ValueError:
                pass

        ids = {kind: self.fake.give("steer", kind) for kind in ("later", "snooze", "dead", "drop", "fail", "own", "exit")}
        self.running(handlers={"steer": steer})
        ends = {kind: self.fake.ending(id) for kind, id in ids.items()}
        outcomes = {kind: end["outcome"] for kind, end in ends.items()}
        self.assertEqual(
            outcomes,
            {"later": "failed", "snooze": "snoozed", "dead": "dead", "drop": "canceled"}
            | {"fail": "failed", "own": "failed", "exit": "failed"},
        )
        self.assertEqual((ends["later"]["retry_after"], ends["snooze"]["retry_after"]), ("90.000000s", "60.000000s"))
        self.assertEqual((ends["fail"]["error"]["type"], ends["fail"]["error"]["code"]), ("ConnectionResetError", "ECONNRESET"))
        self.assertIn("the shop hung up", ends["fail"]["error"]["stack"])
        self.assertEqual((ends["own"]["error"]["category"], ends["own"]["error"]["code"]), ("throttled", "429"))

    def test_what_cannot_be_sent_harms_nobody_else(self) -> None:
        class Mute(Exception):
            def __str__(self) -> str:
                raise ValueError("not a word")

        ring: List[Any] = []
        ring.append(ring)
        kinds: Dict[str, Callable[[], Any]] = {
            "large": lambda: "x" * (64 << 10),
            "type": datetime.datetime.now,
            "cycle": lambda: ring,
            "nan": lambda: float("nan"),
            "text": lambda: "\ud800",
            "mute": lambda: (_ for _ in ()).throw(Mute()),
            "nul": lambda: (_ for _ in ()).throw(ValueError("a\0b\ud800")),
        }
        odd = {kind: self.fake.give("odd", kind) for kind in kinds}
        fine = [self.fake.give("fine") for _ in kinds]
        self.running(handlers={"odd": lambda context: kinds[context.payload]()})
        for id in fine:
            self.assertEqual(self.fake.ending(id)["result"], "fine")
        for kind, id in odd.items():
            end = self.fake.ending(id)
            self.assertEqual((kind, end["outcome"]), (kind, "failed"))
            self.assertEqual(end["error"].get("code") == "bad_result", kind not in ("mute", "nul"), kind)

    def test_a_refused_batch_is_split(self) -> None:
        """Three endings wait behind a first one, and are told together; a proxy finds that too much, and the server takes
        no word of one of them."""
        bad: List[str] = []

        def judge(body: Dict[str, Any]) -> Optional[Answer]:
            if len(body["results"]) > 2:
                return Answer(413, b"<html>")
            if any(one["id"] in bad and one["outcome"] == "succeeded" for one in body["results"]):
                return problem(400, "invalid", detail="results[1].result is nested too deeply")
            return None

        running = self.running(now=False)

        def hold(body: Dict[str, Any]) -> None:
            while running.worker._ended.qsize() < 3:
                time.sleep(0.001)

        self.fake.faults[SETTLE] = [hold]
        self.fake.always[SETTLE] = judge
        first = self.fake.give("fine")
        running.start()
        self.fake.until(lambda: self.fake.about(SETTLE, first))
        ids = [self.fake.give("fine") for _ in range(3)]
        bad.append(ids[1])
        ends = [self.fake.ending(id) for id in ids]
        self.assertEqual([end["outcome"] for end in ends], ["succeeded", "failed", "succeeded"])
        self.assertEqual((ends[1]["error"]["code"], ends[1]["error"]["category"]), ("bad_result", "permanent"))
        self.assertIn("nested too deeply", ends[1]["error"]["message"])

    def test_a_lost_answer_is_asked_for_again(self) -> None:
        ran = []
        self.fake.faults[SETTLE] = [Lost(), Ignored(), problem(503, "unavailable"), Answer(200, b"{"), Answer(200, {"results": []})]
        self.fake.faults[SETTLE] += [*FOREIGN, problem(404, "not_found")]
        id = self.fake.give("count")
        running = self.running(handlers={"count": lambda context: ran.append(1)})
        self.fake.until(lambda: len(self.fake.about(SETTLE, id)) == 10)
        running.stop()
        told = self.fake.about(SETTLE, id)
        self.assertEqual((ran, len(told)), ([1], 10))
        self.assertTrue(all(one == told[0] for one in told))

    def test_a_stale_claim_is_dropped(self) -> None:
        stale = self.fake.give("fine")
        self.fake.statuses[stale] = "stale_claim"
        running = self.running(concurrency=1)
        self.fake.ending(self.fake.give("fine"))
        running.stop()
        self.assertEqual(len(self.fake.about(SETTLE, stale)), 1)

    def test_the_server_asks_to_come_back(self) -> None:
        self.fake.faults[POLL] = [problem(503, "unavailable", {"Retry-After": "0"}), problem(429, "slow_down", {"Retry-After": "0"})]
        self.running()
        self.fake.ending(self.fake.give("fine"))
        self.assertEqual([call.args[1].retry_after for call in self.pause.call_args_list], [0.0, 0.0])

    def test_garbage(self) -> None:
        self.fake.faults[POLL] = [Answer(200, b"<html>"), Answer(200, {"tasks": 3}), Answer(200, b"[]"), Answer(200, {"tasks": [{"id": 5}, None]}), Ignored()]
        self.fake.faults[POLL] += FOREIGN
        self.running()
        self.fake.ending(self.fake.give("fine"))
        huge = b'{"tasks":[{"id":"x","type":"fine","claim":1,"payload":' + b"9" * 5000 + b"}]}"
        self.fake.faults[POLL].append(Answer(200, huge))
        self.fake.ending("x")
        good = self.fake.give("fine")
        with self.fake.changed:
            self.fake.due.insert(0, {"id": "x", "type": "fine", "claim": "y"})
        self.fake.ending(good)

    def test_more_than_was_asked_for(self) -> None:
        ids = [outlast.new_id() for _ in range(2)]
        tasks = [{"id": id, "type": "fine", "claim": 1, "attempt": 1} for id in ids]
        self.fake.faults[POLL] = [Answer(200, {"tasks": tasks})]
        self.running(concurrency=1)
        self.assertEqual([self.fake.ending(id)["outcome"] for id in ids], ["succeeded", "released"])

    def test_one_task_twice(self) -> None:
        ran: List[str] = []

        def count(context: Context) -> None:
            self.go.wait()
            ran.append(context.id)

        task = {"id": outlast.new_id(), "type": "count", "claim": 1, "attempt": 1}
        self.fake.faults[POLL] = [Answer(200, {"tasks": [task, task]})]
        running = self.running(handlers={"count": count})
        self.fake.until(lambda: len(self.fake.called(POLL)) == 2)
        self.go.set()
        self.fake.ending(str(task["id"]))
        running.stop()
        self.assertEqual(ran, [task["id"]])

    def test_no_more_is_polled_than_there_is_room_for(self) -> None:
        for _ in range(3):
            self.fake.give("wait")
        running = self.running(concurrency=3)
        self.fake.until(lambda: len(running.worker._held) == 3)
        before = len(self.fake.called(POLL))
        self.go.set()
        self.fake.until(lambda: len(self.fake.called(POLL)) > before)
        self.assertEqual(self.fake.called(POLL)[0]["max"], 3)
        self.assertLessEqual(max(poll["max"] for poll in self.fake.called(POLL)), 3)


class Leases(WorkerCase):
    def test_a_busy_handler_keeps_its_lease(self) -> None:
        extended = threading.Event()
        self.fake.always[EXTEND] = lambda body: extended.set()

        def busy(context: Context) -> bool:
            context.progress({"done": 1})
            clock.go_on(11)
            while not extended.is_set():
                pass
            return context.stop_reason is None

        id = self.fake.give("busy")
        running = self.running(now=False, handlers={"busy": busy})
        clock = Clock().drives(running.worker)
        running.start()
        self.assertEqual(self.fake.ending(id)["result"], True)
        self.assertEqual(self.fake.about(EXTEND, id)[0]["progress"], {"done": 1})

    def test_a_task_that_comes_too_late_is_not_started(self) -> None:
        id = self.fake.give("late")
        running = self.running(now=False, handlers={"late": lambda context: "it was started"})
        clock = Clock().drives(running.worker)
        self.fake.faults[POLL] = [lambda body: clock.go_on(31)]
        running.start()
        self.assertEqual(self.fake.ending(id)["outcome"], "released")

    def test_progress_that_is_refused(self) -> None:
        """The lease is extended without it."""

        def judge(body: Dict[str, Any]) -> Optional[Answer]:
            return problem(400, "invalid") if any("progress" in item for item in body["items"]) else None

        def long(context: Context) -> None:
            context.progress([])
            clock.go_on(11)
            self.go.wait()

        self.fake.faults[EXTEND] = [FOREIGN[0]]  # which says nothing about it
        self.fake.always[EXTEND] = judge
        id = self.fake.give("long")
        running = self.running(now=False, handlers={"long": long})
        clock = Clock().drives(running.worker)
        running.start()
        self.fake.until(lambda: len(self.fake.about(EXTEND, id)) == 3)
        self.assertEqual([one.get("progress") for one in self.fake.about(EXTEND, id)], [[], [], None])

    def test_what_is_not_settled_yet_is_extended(self) -> None:
        id = self.fake.give("fine")
        self.fake.faults[SETTLE] = [lambda body: self.fake.until(lambda: self.fake.about(EXTEND, id)) and None]
        self.running(soon=True)
        self.assertEqual(self.fake.ending(id)["outcome"], "succeeded")

    def test_canceled(self) -> None:
        def long(context: Context) -> None:
            context.wait(PATIENCE)

        id = self.fake.give("long")
        self.fake.statuses[id] = "canceled"
        self.running(handlers={"long": long}, soon=True)
        self.assertEqual(self.fake.ending(id)["outcome"], "canceled")

    def test_lost_by_the_word_of_the_server(self) -> None:
        reasons: List[Optional[str]] = []

        def long(context: Context) -> None:
            context.stopped.wait(PATIENCE)
            reasons.append(context.stop_reason)

        id = self.fake.give("long")
        self.fake.statuses[id] = "stale_claim"
        running = self.running(handlers={"long": long}, soon=True, concurrency=1)
        self.fake.ending(self.fake.give("fine"))
        running.stop()
        self.assertEqual((reasons, self.fake.about(SETTLE, id)), (["lease_lost"], []))

    def test_measured_from_before_the_poll(self) -> None:
        """The answer of a poll takes 20 s of a lease of 30: it is extended at once, not in ten seconds."""
        clock = Clock()
        id = self.fake.give("wait")
        self.fake.faults[POLL] = [lambda body: clock.go_on(20)]
        running = self.running(now=False)
        clock.drives(running.worker)
        running.start()
        self.fake.until(lambda: self.fake.about(EXTEND, id))

    def test_lost_by_the_clock(self) -> None:
        """Nothing is heard for longer than the lease: the handler is stopped, and the ending is dropped."""
        clock, reasons = Clock(), []

        def long(context: Context) -> None:
            clock.go_on(31)
            context.stopped.wait(PATIENCE)
            reasons.append(context.stop_reason)

        id = self.fake.give("long")
        self.fake.always[EXTEND] = Ignored()
        running = self.running(now=False, handlers={"long": long}, concurrency=1)
        clock.drives(running.worker)
        running.start()
        self.fake.ending(self.fake.give("fine"))
        self.assertEqual((reasons, self.fake.about(SETTLE, id)), (["lease_lost"], []))

    def test_wall_clocks_do_not_matter(self) -> None:
        for years in (-3, 3):
            self.fake.skew = timedelta(days=365 * years)
            extended = threading.Event()

            def seen(body: Dict[str, Any]) -> None:
                extended.set()

            self.fake.always[EXTEND] = seen

            def long(context: Context) -> Any:
                extended.wait(PATIENCE)
                assert context.ends is not None
                now = context.server_now()
                return [context.stop_reason, round(context.ends - context._received), now.year if now else 0]

            id = self.fake.give("long", attempt_ends=self.fake.after(100), lease_until=self.fake.after(30))
            running = self.running(handlers={"long": long}, soon=True)
            result = self.fake.ending(id)["result"]
            year = (datetime.datetime.now(datetime.timezone.utc) + self.fake.skew).year
            self.assertEqual(result[0], None)
            self.assertIn(result[1], (100, 101))  # the two times of the fake are not of one moment
            self.assertIn(result[2], (year, year + 1))
            running.stop()

    def test_the_time_of_an_attempt(self) -> None:
        def long(context: Context) -> None:
            context.wait(PATIENCE)

        at = self.fake.after(30)
        id = self.fake.give("long", lease_until=at, attempt_ends=self.fake.after(0.01))
        self.running(handlers={"long": long})
        end = self.fake.ending(id)
        self.assertEqual((end["outcome"], end["error"]["category"]), ("failed", "timeout"))


class Clock:
    """A monotonic clock that jumps."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead

    def drives(self, worker: Worker) -> Clock:
        self.worker = worker
        worker._clock = worker._transport.clock = self
        return self

    def go_on(self, seconds: float) -> None:
        with self.worker._changed:
            self.ahead += seconds
            self.worker._changed.notify_all()


class Stops(WorkerCase):
    def test_in_the_middle_of_a_poll(self) -> None:
        """The server has leased a task in the same moment: it is handed back at no cost."""
        late = {"id": outlast.new_id(), "type": "fine", "attempt": 1, "claim": 3}
        self.fake.late = [late]
        running = self.running(lease=3600)
        self.fake.until(lambda: self.fake.wakes)
        running.worker.stop()
        self.assertIsNone(running.ends())
        self.assertEqual(self.fake.ending(str(late["id"]))["outcome"], "released")
        self.assertEqual(len(self.fake.called(POLL)), 1)

    def test_running_handlers_may_end(self) -> None:
        id = self.fake.give("wait")
        running = self.running(grace=PATIENCE)
        self.fake.until(lambda: running.worker._held)
        running.worker.stop()
        self.fake.until(lambda: running.worker._polled_last)
        self.go.set()
        self.assertIsNone(running.ends())
        self.assertEqual(self.fake.ending(id)["outcome"], "succeeded")

    def test_after_the_grace(self) -> None:
        """One handler notices and one does not: both tasks are handed back."""
        started = threading.Barrier(3)

        def polite(context: Context) -> None:
            started.wait(PATIENCE)
            context.wait(PATIENCE)

        def deaf(context: Context) -> None:
            started.wait(PATIENCE)
            self.go.wait()

        ids = [self.fake.give("polite"), self.fake.give("deaf")]
        running = self.running(handlers={"polite": polite, "deaf": deaf}, grace=0, release_after=0)
        started.wait(PATIENCE)
        running.worker.stop()
        self.assertIsNone(running.ends())
        self.assertEqual([self.fake.ending(id)["outcome"] for id in ids], ["released", "released"])

    def test_a_dead_part_ends_the_worker(self) -> None:
        for part, breaks in {"poll": "_poll", "extend": "_extend", "settle": "_settle"}.items():
            with self.subTest(part), mock.patch.object(Worker, breaks, side_effect=MemoryError("no room")):
                self.anew()
                self.fake.give("fine" if part == "settle" else "wait")
                failure = self.running(soon=True).ends()
                self.assertIsInstance(failure, WorkerError)
                self.assertIn(f"since {part} died: no room", str(failure))

    def test_a_token_that_is_refused(self) -> None:
        for path, type in ((POLL, "fine"), (SETTLE, "fine"), (EXTEND, "wait"), (STEPS, "step")):
            with self.subTest(path):
                self.anew()
                self.fake.always = {path: problem(401, "unauthenticated", detail="the token is revoked")}
                self.fake.give(type)
                step = {"step": lambda context: context.step("a", lambda: 1)}
                failure = self.running(soon=path == EXTEND, handlers=step).ends()
                self.assertIsInstance(failure, outlast.DeniedError)
                self.assertIn("revoked", str(failure))


    def test_a_poll_that_is_refused(self) -> None:
        for refusal in (problem(400, "invalid"), problem(405, "method_not_allowed"), Answer(401, b"<html>")):
            with self.subTest(refusal.status):
                self.anew()
                self.fake.faults[POLL] = [refusal]
                self.assertIsInstance(self.running().ends(), WorkerError)


class Steps(WorkerCase):
    def test_done_once(self) -> None:
        done: List[str] = []

        def mail() -> int:
            done.append("mail")
            return len(done)

        def order(context: Context) -> Any:
            reserved = context.step("reserve", lambda: done.append("reserve"))
            charge = context.step(
                "charge", lambda: {"key": (1, 2)}, undo=lambda made: outlast.Compensation("refund", made)
            )
            again = [context.step("mail", mail) for _ in range(2)]
            return [reserved, charge, again]

        self.fake.faults[STEPS] = [Lost(), Ignored(), problem(503, "unavailable"), *FOREIGN]
        steps = [{"name": "reserve", "occurrence": 1, "result": "desk"}, {"name": "mail", "occurrence": 1, "result": 5}]
        id = self.fake.give("order", steps=steps)
        self.running(handlers={"order": order})
        self.assertEqual(self.fake.ending(id)["result"], ["desk", {"key": [1, 2]}, [5, 1]])
        self.assertEqual(done, ["mail"])
        kept = [{name: value for name, value in step.items() if name != "started_at"} for step in self.fake.steps]
        charge = {"id": id, "claim": 7, "name": "charge", "occurrence": 1, "result": {"key": [1, 2]}}
        charge["compensation"] = {"type": "refund", "payload": {"key": [1, 2]}}
        self.assertEqual(kept, [charge, charge, {"id": id, "claim": 7, "name": "mail", "occurrence": 2, "result": 1}])

    def test_not_ours_any_more(self) -> None:
        after: List[str] = []

        def order(context: Context) -> None:
            context.step("charge", lambda: 1)
            after.append("came further")

        lost = self.fake.give("order")
        self.fake.faults[STEPS] = [Answer(200, {"results": [{"id": lost, "status": "stale_claim"}]})]
        running = self.running(handlers={"order": order}, concurrency=1)
        self.fake.ending(self.fake.give("fine"))
        running.stop()
        self.assertEqual((after, self.fake.about(SETTLE, lost)), ([], []))

    def test_refused(self) -> None:
        refusals = [problem(400, "invalid", detail="items[0].result is nested too deeply"), Answer(413, b"<html>")]
        self.fake.faults[STEPS] = [*refusals]
        ids = [self.fake.give("order") for _ in refusals]
        self.running(handlers={"order": lambda context: context.step("charge", lambda: 1)})
        self.assertEqual({self.fake.ending(id)["error"]["code"] for id in ids}, {"bad_result"})


if __name__ == "__main__":
    unittest.main()
