"""Enqueue in a transaction of your own: a task exists exactly if it commits.

Outlast's tables stand in the database of the transaction, and its role may execute ``outlast_enqueue``. Any driver of
PostgreSQL, MySQL or MariaDB will do that has the interface of PEP 249 and takes ``%s`` for a parameter. psycopg2 and
PyMySQL are tested, with rows that are tuples or dictionaries. The database of psycopg, pg8000, mysqlclient, and the
connectors of MySQL and MariaDB is known as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Mapping, Optional, Protocol, Sequence, Union

from . import _wire
from .models import Draft, body

_MYSQL = {"pymysql", "MySQLdb", "mysql", "mariadb"}
_POSTGRESQL = {"psycopg", "psycopg2", "pg8000"}


class Cursor(Protocol):
    """What is used of a cursor."""

    def execute(self, operation: str, parameters: Sequence[Any], /) -> Any: ...

    def fetchone(self) -> Any: ...


@dataclass(frozen=True)
class Enqueued:
    """A task as it was enqueued. ``existing`` says that it was there already: by its id or its dedupe key."""

    id: str
    existing: bool


def enqueue(
    cursor: Cursor,
    task: Union[str, Draft],
    payload: Any = None,
    *,
    database: Optional[str] = None,
    schema: Optional[str] = None,
) -> Enqueued:
    """Hands a task in: a draft, or a type and a payload. It starts within a second of the commit.

    A payload of bytes goes as it is. ``database`` is "postgresql" or "mysql", which is for MariaDB too; it is needed
    where the cursor is not one of the driver itself. ``schema`` (of MySQL the database) is where Outlast's tables are,
    if not where the connection looks. Leave autocommit off, which is the default of drivers: MySQL and MariaDB refuse
    a call outside of a transaction. What is refused is an error of the driver; roll back then.
    """
    draft = Draft(type=task) if isinstance(task, str) else task
    given = draft.payload if payload is None else payload
    data = given if given is None or isinstance(given, bytes) else _wire.encode(given)
    text = _wire.encode(body(replace(draft, payload=None))).decode()
    if _is_mysql(cursor, database):
        cursor.execute(f"CALL {_prefix(schema, '`')}outlast_enqueue(%s, %s)", (text, data))
        row = cursor.fetchone()
        while getattr(cursor, "nextset", bool)():  # the end of the call
            pass
    else:
        statement = f"SELECT id::text, existing FROM {_prefix(schema, chr(34))}outlast_enqueue(%s::json, %s::bytea)"
        cursor.execute(statement, (text, data))
        row = cursor.fetchone()
    id, existing = (row["id"], row["existing"]) if isinstance(row, Mapping) else row[:2]
    return Enqueued(str(id), bool(existing))


def _is_mysql(cursor: Cursor, database: Optional[str]) -> bool:
    roots = {of.__module__.partition(".")[0] for of in type(cursor).__mro__}
    if database == "mysql" or database is None and roots & _MYSQL:
        return True
    if database == "postgresql" or database is None and roots & _POSTGRESQL:
        return False
    raise ValueError(f'the database of {type(cursor)} is not known: give database="postgresql" or database="mysql"')


def _prefix(schema: Optional[str], quote: str) -> str:
    return "" if schema is None else quote + schema.replace(quote, quote * 2).replace("%", "%%") + quote + "."
