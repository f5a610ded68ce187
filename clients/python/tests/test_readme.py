"""All that the README says runs."""

from __future__ import annotations

import base64
import re
import secrets
import signal
import tempfile
from pathlib import Path
from typing import Dict

import outlast

from .server import ServerCase

README = Path(__file__).parent.parent / "README.md"
SECRET = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


class Readme(ServerCase):
    flags = ["--allow-target", "127.0.0.0/8", "--target-secret-env", "127.0.0.1=WEBHOOK_SECRET"]
    env = {"WEBHOOK_SECRET": SECRET}

    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in blocks().items():
            (self.folder / name).write_text(text)

    def run_program(self, name: str) -> str:
        process = self.python(str(self.folder / name))
        text, _ = process.communicate()
        self.assertEqual(process.returncode, 0, text)
        return text

    def test_all_are_run(self) -> None:
        self.assertEqual(sorted(blocks()), ["aio.py", "enqueue.py", "receiver.py", "test_order.py", "transaction.py", "worker.py"])
        self.assertEqual(README.read_text().count("```python"), 6)

    def test_worker_and_enqueue(self) -> None:
        worker = self.python(str(self.folder / "worker.py"))
        lines = self.run_program("enqueue.py").splitlines()
        self.assertTrue(lines[0].endswith(" False"), lines)
        self.assertEqual(lines[1], "False True")
        self.assertTrue(lines[2].startswith("201 ") and lines[3].startswith("400 "), lines)
        self.assertEqual(lines[4], "succeeded {'text': 'Hello Zoe'}")
        order = self.client.run("order", timeout=60)
        self.assertEqual(order.result, f"{order.id}/charge")
        worker.send_signal(signal.SIGTERM)
        text, _ = worker.communicate()
        self.assertEqual(worker.returncode, 0, text)
        self.assertIn(f"greet {lines[0].split()[0]}: attempt 1", text)

    def test_aio(self) -> None:
        self.assertEqual(self.run_program("aio.py"), "Hello Kim, from a coroutine\n")

    def test_receiver(self) -> None:
        receiver = self.python(str(self.folder / "receiver.py"), WEBHOOK_SECRET=SECRET)
        assert receiver.stdout is not None
        port = receiver.stdout.readline().split()[-1]
        target = outlast.Target(url=f"http://127.0.0.1:{port}/")
        id = self.client.enqueue(outlast.Draft(payload={"n": 1}, target=target)).id
        self.ends(id)
        said = next(line for line in receiver.stdout if "POST" not in line)
        self.assertEqual(said, f"{id} 1 {{'n': 1}}\n")

    def test_test(self) -> None:
        self.assertIn("Ran 2 tests", self.run_program("test_order.py"))


def blocks() -> Dict[str, str]:
    return {name: text for text, name in re.findall(r"```python\n(# (\w+\.py)\n.*?)```", README.read_text(), re.S)}


