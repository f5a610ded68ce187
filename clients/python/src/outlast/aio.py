"""Client and worker for asyncio.

They are a facade: each call runs in a thread of the event loop's default executor, and the worker is that of
:mod:`outlast.worker` with its threads. Handlers are coroutines that run on your event loop; one that blocks the loop
blocks the others, but no lease: those are kept by a thread. When a handler is to stop, its coroutine is canceled.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import signal
from datetime import datetime
from functools import partial
from typing import Any, Awaitable, Callable, Coroutine, List, Optional, Sequence, TypeVar, Union, cast

from . import attempt
from ._wire import Seconds
from .client import Client
from .models import Attempt, BatchResult, Compensation, Draft, Follow, Signaled, Task, TaskGroup
from .worker import Worker

R = TypeVar("R")


class AsyncClient:
    """The calls of :class:`outlast.Client`, to be awaited. A call that is canceled goes on in its thread."""

    def __init__(self, client: Optional[Client] = None) -> None:
        self.client = client or Client()

    async def enqueue(self, task: Union[str, Draft], payload: Any = None) -> Task:
        return await asyncio.to_thread(self.client.enqueue, task, payload)

    async def enqueue_batch(self, drafts: Sequence[Draft], *, atomic: bool = False) -> List[BatchResult]:
        return await asyncio.to_thread(partial(self.client.enqueue_batch, drafts, atomic=atomic))

    async def run(self, task: Union[str, Draft], payload: Any = None, *, timeout: Seconds) -> Task:
        return await asyncio.to_thread(partial(self.client.run, task, payload, timeout=timeout))

    async def get(self, id: str) -> Task:
        return await asyncio.to_thread(self.client.get, id)

    async def attempts(self, id: str) -> List[Attempt]:
        return await asyncio.to_thread(self.client.attempts, id)

    async def wait(self, id: str, *, timeout: Seconds) -> Task:
        return await asyncio.to_thread(partial(self.client.wait, id, timeout=timeout))

    async def cancel(self, id: str, *, compensate: bool = False) -> Task:
        return await asyncio.to_thread(partial(self.client.cancel, id, compensate=compensate))

    async def retry(self, id: str) -> Task:
        return await asyncio.to_thread(self.client.retry, id)

    async def reschedule(self, id: str, *, run_at: Optional[datetime] = None, delay: Optional[Seconds] = None) -> Task:
        return await asyncio.to_thread(partial(self.client.reschedule, id, run_at=run_at, delay=delay))

    async def signal(self, id: str, name: str, payload: Any = None) -> Signaled:
        return await asyncio.to_thread(self.client.signal, id, name, payload)

    async def create_group(
        self, callback: Follow, *, label: Optional[str] = None, id: Optional[str] = None
    ) -> TaskGroup:
        return await asyncio.to_thread(partial(self.client.create_group, callback, label=label, id=id))

    async def get_group(self, id: str) -> TaskGroup:
        return await asyncio.to_thread(self.client.get_group, id)

    async def close_group(self, id: str) -> TaskGroup:
        return await asyncio.to_thread(self.client.close_group, id)


class AsyncContext:
    """What a coroutine handler gets; ``sync`` is the context beneath it."""

    def __init__(self, sync: attempt.Context) -> None:
        self.sync, self.task, self.logger = sync, sync.task, sync.logger
        self.id, self.payload, self.attempt = sync.id, sync.payload, sync.attempt
        self.time_left, self.progress = sync.time_left, sync.progress

    async def step(
        self,
        name: str,
        do: Callable[[], Awaitable[R]],
        *,
        undo: Union[None, Compensation, Callable[[R], Compensation]] = None,
    ) -> R:
        """As :meth:`outlast.Context.step`, for a coroutine function."""
        with self.sync.begin(name, undo) as part:
            if part.found:
                return part.found.result  # type: ignore[no-any-return]
            return await asyncio.to_thread(part.keep, await do())

    async def sleep(self, name: str, seconds: Seconds) -> None:
        """As :meth:`outlast.Context.sleep`."""
        await asyncio.to_thread(self.sync.sleep, name, seconds)

    async def await_signal(self, name: str, timeout: Seconds, *, every: Seconds = 10.0) -> Any:
        """As :meth:`outlast.Context.await_signal`."""
        return await asyncio.to_thread(partial(self.sync.await_signal, name, timeout, every=every))


AsyncHandler = Callable[[AsyncContext], Coroutine[Any, Any, Any]]


class AsyncWorker:
    """A worker whose handlers are coroutines. It takes the options of :class:`outlast.Worker`."""

    def __init__(self, client: Optional[Client] = None, **options: Any) -> None:
        self.worker = Worker(client or Client(), **options)
        self._loop: Optional[asyncio.AbstractEventLoop] = None

    def task(self, type: str) -> Callable[[AsyncHandler], AsyncHandler]:
        """Decorates the handler of a type of tasks."""

        def registered(handler: AsyncHandler) -> AsyncHandler:
            self.worker.register(type, lambda context: self._on_loop(handler, context))
            return handler

        return registered

    def stop(self) -> None:
        """Ends run()."""
        self.worker.stop()

    async def run(self) -> None:
        """Works until stop(). Canceled, it stops as stop() does, and then ends."""
        self._loop = asyncio.get_running_loop()
        with concurrent.futures.ThreadPoolExecutor(1, "outlast") as alone:
            running = self._loop.run_in_executor(alone, self.worker.run)
            try:
                await asyncio.shield(running)
            except asyncio.CancelledError:
                self.stop()
                await running
                raise

    async def run_until_signal(self) -> None:
        """Works until SIGTERM or SIGINT comes."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)
        try:
            await self.run()
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)

    def _on_loop(self, handler: AsyncHandler, context: attempt.Context) -> Any:
        """Runs a coroutine on the event loop, and waits in this thread until it has really ended."""
        done: "concurrent.futures.Future[Any]" = concurrent.futures.Future()
        loop = cast(asyncio.AbstractEventLoop, self._loop)

        def cancel(task: "asyncio.Task[Any]") -> None:
            loop.call_soon_threadsafe(task.cancel)

        def finish(task: "asyncio.Task[Any]") -> None:
            if task.cancelled():
                done.set_exception(attempt.Stopped(context.stop_reason or attempt.STOPPING))
            elif task.exception() is not None:
                done.set_exception(task.exception())
            else:
                done.set_result(task.result())

        def start() -> None:
            try:
                task = loop.create_task(_coroutine(handler, AsyncContext(context)))
            except BaseException as failure:
                done.set_exception(failure)
                return
            task.add_done_callback(finish)
            context.on_stop(partial(cancel, task))

        loop.call_soon_threadsafe(start)
        return done.result()


def _coroutine(handler: AsyncHandler, context: AsyncContext) -> Coroutine[Any, Any, Any]:
    made = handler(context)
    if not asyncio.iscoroutine(made):
        raise TypeError(f"the handler of {context.task.type!r} returned no coroutine: it must be an `async def`")
    return made
