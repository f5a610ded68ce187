"""Handlers run without a server, and what a context does."""

from __future__ import annotations

import threading
import unittest
from datetime import datetime, timedelta, timezone
from typing import Any, List

import outlast
from outlast import Context, testing
from outlast.attempt import StepError

NOW = datetime(2030, 1, 1, tzinfo=timezone.utc)


class Attempts(unittest.TestCase):
    def test_verdicts(self) -> None:
        def order(context: Context) -> Any:
            context.progress({"at": 1})
            if context.payload.get("bad"):
                raise outlast.GiveUp(*filter(None, [context.payload["text"]])) from KeyError("number")
            if context.attempt == 1:
                raise TimeoutError("no answer")
            return {"attempt": context.attempt, "payload": context.payload}

        first = testing.run(order, {"n": (1, 2)})
        self.assertEqual((first.outcome, first.error["type"], first.progress), ("failed", "TimeoutError", {"at": 1}))
        second = testing.run(order, {"n": (1, 2)}, attempt=2)
        self.assertEqual((second.outcome, second.result), ("succeeded", {"attempt": 2, "payload": {"n": [1, 2]}}))
        for text, message in ((None, "'number'"), ("no such order", "no such order: 'number'")):
            dead = testing.run(order, {"bad": True, "text": text})
            self.assertEqual((dead.outcome, dead.error["type"], dead.error["message"]), ("dead", "KeyError", message))
        self.assertEqual(testing.run(lambda context: {1, 2}).error["code"], "bad_result")

    def test_verdicts_pass_except_exception(self) -> None:
        def swallows(context: Context) -> None:
            try:
                raise outlast.Snooze(5)
            except Exception:
                pass

        self.assertEqual(testing.run(swallows).retry_after, 5)

    def test_a_time_that_is_over(self) -> None:
        """The server takes no negative one."""
        for wish in (outlast.Snooze(-0.001), outlast.RetryAfter(timedelta(seconds=-1))):

            def late(context: Context) -> None:
                raise wish

            self.assertEqual(testing.run(late).retry_after, 0)

    def test_stopped(self) -> None:
        def long(context: Context) -> None:
            context.wait(3600)

        outcomes = {reason: testing.run(long, stop=reason).outcome for reason in ("canceled", "stopping", "lease_lost", "timeout")}
        self.assertEqual(outcomes, {"canceled": "canceled", "stopping": "released", "lease_lost": "released", "timeout": "failed"})
        self.assertEqual(testing.run(lambda context: "done", stop="canceled").outcome, "succeeded")

    def test_on_stop(self) -> None:
        seen: List[str] = []

        def handler(context: Context) -> None:
            context.on_stop(lambda: seen.append("late"))

        testing.run(handler, stop="canceled")
        self.assertEqual(seen, ["late"])

    def test_on_stop_that_fails(self) -> None:
        """It is called by a thread of the worker, which goes on."""
        context = Context(outlast.Task("x", "y"), received=0, lease=1, record=lambda item: None)
        seen: List[str] = []
        context.on_stop(context.check)
        context.on_stop(lambda: seen.append("next"))
        with self.assertLogs("outlast.task"):
            context.stop("canceled")
        self.assertEqual(seen, ["next"])


class Steps(unittest.TestCase):
    def test_a_failed_step_is_done_again(self) -> None:
        tries: List[int] = []

        def do() -> int:
            tries.append(1)
            if len(tries) < 2:
                raise ConnectionError("gone")
            return 5

        def handler(context: Context) -> Any:
            try:
                context.step("call", do)
            except ConnectionError:
                pass
            return context.step("call", do)

        verdict = testing.run(handler)
        self.assertEqual((verdict.result, [(step.name, step.occurrence, step.result) for step in verdict.steps]), (5, [("call", 1, 5)]))

    def test_two_of_one_name_at_once(self) -> None:
        def handler(context: Context) -> None:
            context.step("a", lambda: context.step("a", lambda: 1))

        verdict = testing.run(handler)
        self.assertEqual((verdict.error["category"], verdict.error["code"], verdict.error["type"]), ("bug", "invalid", "step"))

    def test_side_by_side(self) -> None:
        both = threading.Barrier(2)

        def handler(context: Context) -> None:
            other = threading.Thread(target=context.step, args=("a", lambda: both.wait(60)))
            other.start()
            context.step("b", lambda: both.wait(60))
            other.join()

        self.assertEqual({step.name for step in testing.run(handler).steps}, {"a", "b"})

    def test_large(self) -> None:
        verdict = testing.run(lambda context: context.step("a", lambda: "x" * (64 << 10)))
        self.assertEqual((verdict.error["code"], verdict.steps), ("bad_result", []))

    def test_undo(self) -> None:
        def handler(context: Context) -> None:
            context.step("charge", lambda: 7, undo=outlast.Compensation("refund", {"all": True}))

        self.assertEqual(testing.run(handler).steps[0].compensation, outlast.Compensation("refund", {"all": True}))

    def test_sleep(self) -> None:
        def handler(context: Context) -> str:
            context.sleep("a while", timedelta(days=3))
            return "awake"

        first = testing.run(handler, now=NOW)
        self.assertEqual((first.outcome, round(first.retry_after or 0)), ("snoozed", 3 * 86400))
        later = testing.run(handler, now=NOW + timedelta(days=1), steps=first.steps)
        self.assertEqual((later.outcome, round(later.retry_after or 0), len(later.steps)), ("snoozed", 2 * 86400, 1))
        self.assertEqual(testing.run(handler, now=NOW + timedelta(days=3), steps=first.steps).result, "awake")

    def test_signals(self) -> None:
        def handler(context: Context) -> Any:
            return context.await_signal("approval", timedelta(days=7), every=60)

        first = testing.run(handler, now=NOW)
        self.assertEqual((first.outcome, first.retry_after), ("snoozed", 60))
        again = testing.run(handler, now=NOW + timedelta(days=7, seconds=-30), steps=first.steps)
        self.assertEqual(round(again.retry_after or 0), 30)
        self.assertEqual(testing.run(handler, steps=[*first.steps, testing.signal("approval", {"by": "Ada"})]).result, {"by": "Ada"})
        late = testing.run(handler, now=NOW + timedelta(days=7, minutes=1), steps=first.steps)
        self.assertEqual((late.outcome, late.error["category"], late.error["type"]), ("failed", "permanent", "signal"))

    def test_outside_of_a_lease(self) -> None:
        context = Context(outlast.Task("x", "y"), received=0, lease=1, record=lambda item: None)
        with self.assertRaises(StepError):
            context.sleep("a", 5)


if __name__ == "__main__":
    unittest.main()
