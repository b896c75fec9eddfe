"""A MariaDB store and another program that gets in its way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pymysql

from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_protocol import Written
from focuscrawl.stores.store_urls import make_stores
from tests.conftest import mysql_connection
from tests.stores.record_examples import everything, page

OTHERS = range(100, 150)
_WAITING = "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"


@contextmanager
def transaction(url: str) -> Iterator[pymysql.cursors.Cursor]:
    """A transaction of another program, committed at the end."""
    with closing(mysql_connection(url)) as connection:
        connection.begin()
        yield connection.cursor()
        connection.commit()


def keys_in(url: str) -> dict[str, str]:
    """Return the keys of the stored pages by URL, in their order."""
    with closing(mysql_connection(url)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT url, `key` FROM pages ORDER BY `key`")
        return dict(cursor.fetchall())


def rename(cursor: pymysql.cursors.Cursor, key: str) -> None:
    # By the key, so that no other row is locked.
    assert cursor.execute("UPDATE pages SET title = 'theirs' WHERE `key` = %s", (key,))


async def until_it_waits(url: str) -> None:
    def is_waiting() -> bool:
        with closing(mysql_connection(url)) as connection, connection.cursor() as cursor:
            cursor.execute(_WAITING)
            (count,) = cursor.fetchone() or (0,)
            return bool(count)

    async with asyncio.timeout(60):
        while not await asyncio.to_thread(is_waiting):  # noqa: ASYNC110 - the server has no event for it
            await asyncio.sleep(0.05)


async def opened(url: str) -> Database:
    (store,) = make_stores(url)
    await store.open()
    return store


async def test_a_deadlock_is_repeated_at_once(mysql_url: str) -> None:
    store = await opened(mysql_url)
    await store.write([page(number) for number in (1, 2, *OTHERS)])
    keys = keys_in(mysql_url)
    first, last = (key for url, key in keys.items() if url in (page(1).url, page(2).url))
    with transaction(mysql_url) as other:
        # The more a transaction has changed, the less likely it is to be undone.
        for number in OTHERS:
            rename(other, keys[page(number).url])
        rename(other, last)
        writing = asyncio.create_task(store.write([page(1, title="a"), page(2, title="b")]))
        await until_it_waits(mysql_url)
        await asyncio.to_thread(rename, other, first)
    assert await writing == Written(changed=2)
    stored = {record.url: record.title for record in await everything(store.pages())}
    assert (stored[page(1).url], stored[page(2).url]) == ("a", "b")
    await store.close()
