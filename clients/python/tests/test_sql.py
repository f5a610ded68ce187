"""Tasks are enqueued in transactions of PostgreSQL and MariaDB."""

from __future__ import annotations

import importlib
import os
import re
import secrets
import subprocess
import sys
import threading
import unittest
from typing import Any, Callable, List
from urllib.parse import urlsplit, urlunsplit

import outlast
import outlast.sql

from .server import BINARY, Server
from .test_readme import blocks

POSTGRES = os.environ.get("OUTLAST_TEST_POSTGRES", "")
MARIADB = os.environ.get("OUTLAST_TEST_MARIADB", "")


class Base:
    """A database of its own, on the server that the environment names, and a server of Outlast on it."""

    store: str
    server: Server

    def __init__(self) -> None:
        self.name = "outlast_test_" + secrets.token_hex(8)
        self.admin = self.connect("")
        with self.admin.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {self.name}")

    def connect(self, name: str) -> Any:
        raise NotImplementedError

    def close(self, force: str = "") -> None:
        with self.admin.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {self.name}{force}")
        self.admin.close()


class Postgres(Base):
    def __init__(self) -> None:
        super().__init__()
        self.store = urlunsplit(urlsplit(POSTGRES)._replace(path="/" + self.name))

    def connect(self, name: str) -> Any:
        driver = importlib.import_module("psycopg2")
        made = driver.connect(urlunsplit(urlsplit(POSTGRES)._replace(path="/" + name)) if name else POSTGRES)
        made.autocommit = not name
        return made

    def close(self, force: str = " WITH (FORCE)") -> None:
        super().close(force)


class MariaDB(Base):
    def __init__(self) -> None:
        super().__init__()
        self.store = "mysql://" + re.sub(r"tcp\((.*)\)/.*", r"\1/", MARIADB) + self.name

    def connect(self, name: str) -> Any:
        user, host, port = re.fullmatch(r"(.*)@tcp\((.*):(\d+)\)/.*", MARIADB).groups()  # type: ignore[union-attr]
        driver = importlib.import_module("pymysql")
        return driver.connect(host=host, port=int(port), user=user, database=name or None)


@unittest.skipUnless(BINARY and POSTGRES and MARIADB, "OUTLAST_TEST_POSTGRES and OUTLAST_TEST_MARIADB name no servers")
class SQL(unittest.TestCase):
    bases: List[Base]

    @classmethod
    def setUpClass(cls) -> None:
        cls.bases = [Postgres(), MariaDB()]
        for base in cls.bases:
            cls.addClassCleanup(base.close)
            base.server = Server("--store", base.store)
            cls.addClassCleanup(base.server.close)

    def each(self, test: Callable[[Any, Any], None]) -> None:
        for base in self.bases:
            with self.subTest(type(base).__name__):
                connection = base.connect(base.name)
                try:
                    test(connection, base.server.client)
                finally:
                    connection.close()

    def test_a_transaction_decides(self) -> None:
        def test(connection: Any, client: outlast.Client) -> None:
            draft = outlast.Draft("x", {"é": ["\0", 1.5]}, dedupe_key="d", key="k", delay=60, metadata={"a": "é"})
            with connection.cursor() as cursor:
                gone = outlast.sql.enqueue(cursor, draft)
            connection.rollback()
            with self.assertRaises(outlast.NotFoundError):
                client.get(gone.id)
            with connection.cursor() as cursor:
                made = outlast.sql.enqueue(cursor, draft)
                self.assertEqual(outlast.sql.enqueue(cursor, draft), outlast.sql.Enqueued(made.id, True))
            connection.commit()
            self.assertFalse(made.existing)
            found = client.get(made.id)
            self.assertEqual((found.payload, found.key, found.metadata), (draft.payload, "k", {"a": "é"}))
            again = client.enqueue(draft)
            self.assertEqual((again.id, again.existing), (made.id, True))

        self.each(test)

    def test_it_runs(self) -> None:
        def test(connection: Any, client: outlast.Client) -> None:
            worker = outlast.Worker(client)
            worker.task("greet")(lambda ctx: "Hello " + ctx.payload)
            running = threading.Thread(target=worker.run)
            running.start()
            try:
                with connection.cursor() as cursor:
                    made = outlast.sql.enqueue(cursor, "greet", "Ada")
                connection.commit()
                self.assertEqual(client.wait(made.id, timeout=120).result, "Hello Ada")
            finally:
                worker.stop()
                running.join()

        self.each(test)

    def test_refusals_are_those_of_the_driver(self) -> None:
        def test(connection: Any, _: outlast.Client) -> None:
            for draft, field in ((outlast.Draft("x", priority=12), "priority"), (outlast.Draft("x", retry={}), "retry")):
                with connection.cursor() as cursor, self.assertRaisesRegex(Exception, field + ": "):
                    outlast.sql.enqueue(cursor, draft)
                connection.rollback()

        self.each(test)

    def test_bytes_and_schemas(self) -> None:
        for base, schema in zip(self.bases, ("public", self.bases[1].name)):
            connection = base.connect(base.name)
            with connection.cursor() as cursor:
                made = outlast.sql.enqueue(cursor, "x", b"\xff\0%s", schema=schema)
                cursor.execute("SELECT payload FROM outlast_task WHERE queue = 'default' AND type = 'x' ORDER BY id DESC LIMIT 1")
                self.assertEqual(bytes(cursor.fetchone()[0]), b"\xff\0%s", made)
            connection.rollback()
            with connection.cursor() as cursor, self.assertRaisesRegex(Exception, "no such %s"):
                outlast.sql.enqueue(cursor, "x", schema='no such %s"`')
            connection.close()

    def test_rows_that_are_dictionaries(self) -> None:
        def test(connection: Any, _: outlast.Client) -> None:
            module, name, given = ("psycopg2.extras", "RealDictCursor", "cursor_factory") if "psycopg2" in str(type(connection)) else ("pymysql.cursors", "DictCursor", "cursor")
            with connection.cursor(**{given: getattr(importlib.import_module(module), name)}) as cursor:
                made = outlast.sql.enqueue(cursor, outlast.Draft("x", dedupe_key="rows"))
                self.assertEqual(outlast.sql.enqueue(cursor, outlast.Draft("x", dedupe_key="rows")), outlast.sql.Enqueued(made.id, True))
            self.assertRegex(made.id, "^[0-9a-f-]{36}$")
            connection.rollback()

        self.each(test)

    def test_readme(self) -> None:
        base = self.bases[0]
        connection = base.connect(base.name)
        with connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE orders (id integer)")
        process = subprocess.run(
            [sys.executable, "-c", blocks()["transaction.py"]], env={**os.environ, "DATABASE_URL": base.store}, capture_output=True, text=True
        )
        connection.close()
        self.assertRegex(process.stdout, "^[0-9a-f-]{36} False\n$", process.stderr)
        self.assertEqual(base.server.client.get(process.stdout.split()[0]).payload, {"name": "Ada"})


class Wrapped:
    """A cursor that tells nothing of its database."""

    def __init__(self) -> None:
        self.said: List[str] = []

    def execute(self, operation: str, parameters: Any, /) -> None:
        self.said.append(operation % tuple(repr(one) for one in parameters))

    def fetchone(self) -> Any:
        return ("id", 1, "more")


class Unknown(unittest.TestCase):
    def test_the_database_is_named(self) -> None:
        cursor, made = Wrapped(), outlast.sql.Enqueued("id", True)
        with self.assertRaisesRegex(ValueError, 'database="postgresql"'):
            outlast.sql.enqueue(cursor, "x")
        with self.assertRaisesRegex(ValueError, 'database="mysql"'):
            outlast.sql.enqueue(cursor, "x", database="oracle")
        self.assertEqual(outlast.sql.enqueue(cursor, "x", database="mysql", schema="a`%b"), made)
        self.assertEqual(outlast.sql.enqueue(cursor, "x", 1, database="postgresql", schema='a"b'), made)
        self.assertEqual(
            cursor.said,
            [
                """CALL `a``%b`.outlast_enqueue('{"type":"x"}', None)""",
                """SELECT id::text, existing FROM "a""b".outlast_enqueue('{"type":"x"}'::json, b'1'::bytea)""",
            ],
        )


