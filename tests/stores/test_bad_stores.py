"""Stores that cannot be used: one sentence each, without the password, never a traceback."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from pymongo.errors import BulkWriteError
from sqlalchemy.engine import make_url

from focuscrawl.errors import StoreError, StoreUnavailableError
from focuscrawl.stores.mongo.mongo_errors import translated
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.stores.store_urls import make_stores
from tests.conftest import mysql_connection
from tests.servers.process import free_port
from tests.stores.conftest import StoreOpener, limited_user
from tests.stores.record_examples import article, everything

SECRET = "geheim"


async def refusal(url: str, kind: type[StoreError] = StoreError) -> str:
    (store,) = make_stores(url)
    with pytest.raises(kind) as caught:
        await store.open()
    await store.close()
    assert isinstance(caught.value, StoreUnavailableError) == (kind is StoreUnavailableError)
    message = str(caught.value)
    assert SECRET not in message
    assert "\n" not in message
    return message


@pytest.mark.parametrize("scheme", ["mysql", "mongodb"])
async def test_a_server_that_does_not_answer(scheme: str) -> None:
    url = f"{scheme}://me:{SECRET}@127.0.0.1:{free_port()}/db"
    options = "?serverSelectionTimeoutMS=200" if scheme == "mongodb" else ""
    message = await refusal(url + options, StoreUnavailableError)
    assert "does not answer (" in message
    assert message.endswith("); check that the server runs, and the URL of the store")
    # Without the driver's details.
    assert "(2003" not in message
    assert "imeout" not in message


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("sqlite:////dev/null/x/a.sqlite", "cannot create the folder"),
        ("sqlite:////proc/a.sqlite", "cannot be opened"),
        ("sqlite:///{folder}", "is a folder; name a file"),
        ("sqlite:///{folder}/text.sqlite", "not a SQLite database"),
        (f"mysql://me:{SECRET}@127.0.0.1:1/", "names no database"),
        (f"mongodb://me:{SECRET}@127.0.0.1:1", "names no database"),
        (f"mongodb://me:{SECRET}/x@127.0.0.1:1/db", "%2F"),
    ],
)
async def test_a_place_that_cannot_be_used(tmp_path: Path, url: str, part: str) -> None:
    (tmp_path / "text.sqlite").write_text("x" * 5000)
    assert part in await refusal(url.format(folder=tmp_path))


async def test_the_longest_name_of_a_file(tmp_path: Path, open_store: StoreOpener) -> None:
    await open_store(f"sqlite:///{tmp_path}/{'x' * 193}.sqlite")


async def test_a_store_that_another_program_holds_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("focuscrawl.stores.sql.sql_connections.BUSY_SECONDS", 0)
    (store,) = make_stores(f"sqlite:///{tmp_path}/a.sqlite")
    await store.open()
    other = sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(StoreUnavailableError, match="locked by another program"):
        await store.write([article()])
    other.execute("rollback")
    assert await store.write([article()]) == Written(new=1)
    await store.close()
    other.close()


async def test_wrong_password(mysql_url: str) -> None:
    right = make_url(mysql_url)
    wrong = right.set(password=SECRET).render_as_string(hide_password=False)
    assert "wrong user name or password" in await refusal(wrong)


async def test_a_full_disk_of_the_mysql_server_is_no_refusal(
    mysql_url: str, open_store: StoreOpener
) -> None:
    store = await open_store(mysql_url)
    with mysql_connection(mysql_url) as connection, connection.cursor() as cursor:
        cursor.execute(
            "create trigger full before insert on articles for each row signal sqlstate 'HY000'"
            " set mysql_errno = 1021, message_text = 'The table is full'"
        )
    with pytest.raises(StoreUnavailableError, match="the server's disk is full; free some space"):
        await store.write([article()])
    with mysql_connection(mysql_url) as connection, connection.cursor() as cursor:
        cursor.execute("drop trigger full")
    assert await store.write([article()]) == Written(new=1)


def test_a_full_disk_of_the_mongodb_server_is_no_refusal() -> None:
    error = {"index": 0, "code": 14031, "errmsg": "Not enough disk space"}
    with (
        pytest.raises(StoreUnavailableError, match="the server's disk is full; free some space"),
        translated("mongodb://host/db"),
    ):
        raise BulkWriteError({"writeErrors": [error]})


async def test_a_user_without_rights(mysql_url: str, open_store: StoreOpener) -> None:
    await open_store(mysql_url)
    with limited_user(mysql_url, "") as url:
        missing = make_url(url).set(database="not_there").render_as_string(hide_password=False)
        for place in (url, missing):
            message = await refusal(place)
            assert "no privileges on the database" in message
            assert "wrong user name" not in message
    with limited_user(mysql_url, "SELECT") as url:
        store = await open_store(url)
        with pytest.raises(StoreError, match="grant it ALL"):
            await store.write([article()])


async def test_mongodb_tells_missing_rights_from_a_wrong_password(mongo_auth_url: str) -> None:
    right = mongo_auth_url.replace("//", f"//reader:{SECRET}@")
    assert "lacks privileges" in await refusal(f"{right}/crawl?authSource=admin")
    message = await refusal(f"{right}/crawl")
    assert "wrong user name or password" in message
    assert "authSource=admin" in message


async def test_mongodb_wrong_password(mongo_url: str) -> None:
    wrong = mongo_url.replace("mongodb://", f"mongodb://me:{SECRET}@")
    assert "wrong user name or password" in await refusal(wrong + "?authSource=admin")


async def test_mysql_names_max_allowed_packet_or_takes_50_mb(
    mysql_url: str, open_store: StoreOpener
) -> None:
    store = await open_store(mysql_url)
    large = article("large", text="玉米" * 9_000_000)
    with pytest.raises(RefusedRecordsError, match=r"large\.htm.*max_allowed_packet") as caught:
        await store.write([article(1), large])
    assert caught.value.written == Written(new=1)
    with mysql_connection(mysql_url) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@max_allowed_packet")
        ((before,),) = cursor.fetchall()
        cursor.execute("SET GLOBAL max_allowed_packet = 134217728")
        try:
            await store.open()
            assert await store.write([large]) == Written(new=1)
            assert await store.write([large]) == Written(unchanged=1)
        finally:
            cursor.execute(f"SET GLOBAL max_allowed_packet = {before}")
    assert large in await everything(store.articles())


async def test_a_batch_larger_than_a_packet_is_written_in_parts(mysql_url: str) -> None:
    with mysql_connection(mysql_url, database=None) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT @@GLOBAL.max_allowed_packet")
        ((before,),) = cursor.fetchall()
        cursor.execute("SET GLOBAL max_allowed_packet = 65536")
        try:
            (store,) = make_stores(mysql_url)
            await store.open()
            # Together five times as large as a packet; the last one alone is too large.
            batch = [article(number, text="玉米" * 3000) for number in range(20)]
            large = article("large", text="玉米" * 15_000)
            with pytest.raises(
                RefusedRecordsError, match=r"large\.htm.*max_allowed_packet"
            ) as caught:
                await store.write([*batch, large])
        finally:
            cursor.execute(f"SET GLOBAL max_allowed_packet = {before}")
    assert caught.value.written == Written(new=20)
    assert len(await everything(store.articles())) == 20
    await store.close()


async def test_mongodb_says_how_large_a_document_may_be(
    mongo_url: str, open_store: StoreOpener
) -> None:
    store = await open_store(mongo_url)
    # Texts go to files, lists do not.
    fits, large = (
        article("fits", text="玉" * 6_000_000),
        article("large", page_urls=["x" * 99] * 163_000),
    )
    with pytest.raises(RefusedRecordsError, match=r"large\.htm has \d\d\.\d MB.*16 MB") as caught:
        await store.write([article(1), large, fits])
    assert caught.value.written == Written(new=2)


async def test_mysql_values_that_no_column_takes(mysql_url: str, open_store: StoreOpener) -> None:
    store = await open_store(mysql_url)
    with pytest.raises(RefusedRecordsError, match=r"bad\.htm is refused by mysql") as caught:
        await store.write([article(1), article("bad", site="x" * 300), article(2)])
    assert caught.value.written == Written(new=2)
