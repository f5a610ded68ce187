"""A real server for tests, of the binary that OUTLAST_TEST_BINARY names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List

import outlast
from outlast import Client, Task

BINARY = os.environ.get("OUTLAST_TEST_BINARY", "")
PATIENCE = 40.0  # only a fault takes so long
SOON = {"max_attempts": 4, "backoff": {"kind": "fixed", "initial": "100ms"}, "breaker": "none", "budget": "none"}


class Server:
    def __init__(self, *flags: str, **env: str) -> None:
        args = [BINARY, "serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--log-format", "json", *flags]
        self.process = subprocess.Popen(args, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env={**os.environ, **env}, text=True)
        self.url, said = "", []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            said.append(line)
            self.url = json.loads(line).get("url", "") if line.startswith("{") else ""
            if self.url:
                break
        assert self.url, "".join(said)
        self.reader = threading.Thread(target=self.process.stderr.read, daemon=True)  # else it would block
        self.reader.start()
        self.client = Client(self.url, token="")

    def close(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.wait()
        self.reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()


@unittest.skipUnless(BINARY, "OUTLAST_TEST_BINARY names no server")
class ServerCase(unittest.TestCase):
    flags: List[str] = []
    env: Dict[str, str] = {}
    server: Server
    client: Client

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server(*cls.flags, **cls.env)
        cls.client = cls.server.client

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.close()

    def setUp(self) -> None:
        self.queue = self.id().rsplit(".", 1)[-1]
        self.client.transport.call("PUT", f"/v1/queues/{self.queue}", b"{}")

    def python(self, *args: str, **env: str) -> subprocess.Popen[str]:
        """Starts a program, which is killed when the test ends."""
        given = {**os.environ, "OUTLAST_SERVER": self.server.url, "PYTHONDONTWRITEBYTECODE": "1", **env}
        started = subprocess.Popen([sys.executable, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=given)

        def end() -> None:
            started.kill()
            started.wait()
            assert started.stdout is not None
            started.stdout.close()

        self.addCleanup(end)
        return started

    def until(self, what: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while True:
            found = what()
            if found:
                return found
            self.assertLess(time.monotonic(), end, "it did not come so")
            time.sleep(0.02)

    def ends(self, id: str, state: str = "succeeded") -> Task:
        task = self.client.wait(id, timeout=PATIENCE)
        self.assertEqual(task.state, state, task)
        return task


def here(name: str) -> str:
    return str(Path(__file__).parent / name)


def draft(type: str, payload: Any = None, **more: Any) -> outlast.Draft:
    return outlast.Draft(type, payload, retry=SOON, **more)


__all__ = ["BINARY", "PATIENCE", "Server", "ServerCase", "draft", "here"]
