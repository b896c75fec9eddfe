"""The database of the web views, in SQLite and in MySQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from focuscrawl.errors import StoreError
from focuscrawl.stores.database_urls import database_at, sqlite_url
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.web_site import WebSite
from tests.conftest import mysql_connection
from tests.stores import record_examples
from tests.web.conftest import PASSWORD, add_users, client_of, fill, log_in

ENTRY = record_examples.numbered(1)


@pytest.fixture
def administrator(mysql_url: str, store_url: str, tmp_path: Path) -> Iterator[TestClient]:
    """A client of an administrator, over a database whose server has another encoding by default."""
    name = mysql_url.rpartition("/")[2]
    with mysql_connection(mysql_url, database=None) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARSET latin1")
    fill(store_url, [ENTRY])
    database = WebDatabase(mysql_url)
    database.create()
    site = WebSite(database_at(store_url), store_url, database, tmp_path)
    add_users(site)
    with closing(database), client_of(site) as client:
        log_in(client, Role.ADMINISTRATOR)
        yield client


def test_only_its_owner_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "accounts.sqlite"
    with closing(WebDatabase(sqlite_url(path))) as database:
        database.create()
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "url",
    ["nonsense", "foo://u:secret@h/x", "mysql://u:secret@h/x", "mysql+pymysql://u:secret@h:x/y"],
)
def test_a_url_that_cannot_be_used(url: str) -> None:
    with pytest.raises(StoreError, match="FOCUSCRAWL_WEB_DATABASE is no URL") as error:
        WebDatabase(url)
    assert "secret" not in str(error.value)


@pytest.mark.server
def test_chinese_texts_in_mysql(administrator: TestClient) -> None:
    page = f"/articles/{ENTRY.url_md5}"
    state = re.search(r'name="state"[^>]* value="([^"]*)"', administrator.get(f"{page}/edit").text)
    assert state
    forms = [
        (f"{page}/edit", {"state": state[1], "title": "新的标题", "tags": "甲,乙"}),
        (f"{page}/like", {"action": "add"}),
        ("/mine/searches", {"q": "玉米"}),
        ("/alarms/rules", {"kind": "price", "commodity": "玉米", "region": "山东"}),
        ("/users", {"name": "王", "role": "reader", "password": PASSWORD}),
    ]
    for path, form in forms:
        assert administrator.post(path, data=form).status_code == 303, path
    for path, text in {
        "/articles/search?tag=甲": "新的标题",
        "/mine": "玉米",
        "/alarms": "山东",
        "/users": "王",
        "/log": "新的标题",
    }.items():
        assert text in administrator.get(path).text, path


@pytest.mark.server
def test_a_name_in_mysql_is_the_stored_one(administrator: TestClient) -> None:
    for name in ("READER", "ｒeader", "rèader"):
        form = {"name": name, "password": PASSWORD}
        assert administrator.post("/login", data=form).status_code == 401, name
    # MySQL ignores blanks at the end.
    assert administrator.post("/login", data={"name": "reader ", "password": PASSWORD})
    assert '<a href="/account">reader</a>' in administrator.get("/account").text
