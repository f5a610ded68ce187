"""The facade for asyncio."""

from __future__ import annotations

import asyncio
import logging
import unittest
from typing import Any, Dict, List

import outlast
from outlast.aio import AsyncClient, AsyncContext, AsyncWorker

from .fake import Fake, problem
from .test_worker import Clock


class Aio(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        self.fake = Fake()
        self.addCleanup(self.fake.close)

    async def test_client(self) -> None:
        client = AsyncClient(self.fake.client())
        made = await asyncio.gather(*(client.enqueue("greet", n) for n in range(5)))
        self.assertEqual(sorted(task.payload for task in made), [0, 1, 2, 3, 4])
        self.assertEqual((await client.get(made[0].id)).type, "greet")

    async def test_worker(self) -> None:
        """More handlers are in steps that need the executor than it has threads."""
        worker = AsyncWorker(self.fake.client(), concurrency=50)
        everybody, entered = asyncio.Event(), []

        async def charge() -> str:
            entered.append(1)
            if len(entered) == 50:
                everybody.set()
            await everybody.wait()
            return await asyncio.to_thread(lambda: "charged")

        @worker.task("order")
        async def order(context: AsyncContext) -> Any:
            return await context.step("charge", charge)

        @worker.task("odd")
        async def odd(context: AsyncContext) -> Any:
            if context.payload == "snooze":
                await context.sleep("a while", 60)
            raise KeyError("x")

        ids = [self.fake.give("order") for _ in range(50)]
        running = asyncio.create_task(worker.run())
        for id in ids:
            self.assertEqual((await asyncio.to_thread(self.fake.ending, id))["result"], "charged")
        odd_ones = [self.fake.give("odd", "snooze"), self.fake.give("odd")]
        ends = [await asyncio.to_thread(self.fake.ending, id) for id in odd_ones]
        self.assertEqual([end["outcome"] for end in ends], ["snoozed", "failed"])
        worker.stop()
        await running

    async def test_what_is_no_coroutine(self) -> None:
        """The attempt fails, and its slot is free again."""
        worker = AsyncWorker(self.fake.client(), concurrency=1)

        async def without_context() -> None:
            pass

        async def fine(context: AsyncContext) -> str:
            return "fine"

        handlers: Dict[str, Any] = {"plain": lambda context: "done", "short": without_context, "fine": fine}
        for name, handler in handlers.items():
            worker.task(name)(handler)
        ids = [self.fake.give(name) for name in handlers]
        running = asyncio.create_task(worker.run())
        plain, short, last = [await asyncio.to_thread(self.fake.ending, id) for id in ids]
        self.assertEqual((plain["error"]["type"], short["error"]["type"], last.get("result")), ("TypeError", "TypeError", "fine"))
        self.assertIn("it must be an `async def`", plain["error"]["message"])
        worker.stop()
        await running

    async def test_canceled(self) -> None:
        worker, clock, cleaned = AsyncWorker(self.fake.client()), Clock(), []
        clock.drives(worker.worker)
        self.fake.faults["/v1/workers/poll"] = [lambda body: clock.go_on(11)]

        @worker.task("long")
        async def long(context: AsyncContext) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0)
                cleaned.append(context.id)

        id = self.fake.give("long")
        self.fake.statuses[id] = "canceled"
        running = asyncio.create_task(worker.run())
        self.assertEqual((await asyncio.to_thread(self.fake.ending, id))["outcome"], "canceled")
        self.assertEqual(cleaned, [id])
        running.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await running

    async def test_the_loop_ends(self) -> None:
        """As asyncio.run does it: all that runs is canceled."""
        worker, begun = AsyncWorker(self.fake.client()), asyncio.Event()
        handlers: List["asyncio.Task[Any]"] = []

        @worker.task("long")
        async def long(context: AsyncContext) -> None:
            handlers.append(asyncio.current_task() or asyncio.create_task(asyncio.sleep(0)))
            begun.set()
            await asyncio.Event().wait()

        id = self.fake.give("long")
        running = asyncio.create_task(worker.run())
        await begun.wait()
        running.cancel()
        handlers[0].cancel()
        with self.assertRaises(asyncio.CancelledError):
            await running
        self.assertEqual(self.fake.ending(id)["outcome"], "released")

    async def test_no_token(self) -> None:
        self.fake.always["/v1/workers/poll"] = problem(401, "unauthenticated")
        worker = AsyncWorker(self.fake.client())
        worker.task("x")(lambda context: asyncio.sleep(0))
        with self.assertRaises(outlast.DeniedError):
            await worker.run()


if __name__ == "__main__":
    unittest.main()
