"""The database of the web views, in SQLite and in MySQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from starlette.testclient import TestClient

from focuscrawl.errors import StoreError
from focuscrawl.stores.database_urls import database_at, sqlite_url
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_store import AlarmRule
from focuscrawl.web.articles import reader_marks
from focuscrawl.web.crawls import crawl_processes
from focuscrawl.web.database import web_database
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.web_site import WebSite
from tests.stores import record_examples
from tests.web.conftest import PASSWORD, add_users, client_of, fill, log_in, site_over

ENTRY = record_examples.numbered(1)
_NEXT = """
from sqlalchemy import Column, String

from focuscrawl.stores.sql.migrations.repeatable_steps import add_column

revision, down_revision = "0005", "0004"


def upgrade() -> None:
    add_column("web_users", Column("mail", String(64), server_default="无"))
"""


@pytest.fixture
def site(mysql_web_url: str, store_url: str, tmp_path: Path) -> Iterator[WebSite]:
    """A site with users in MySQL."""
    fill(store_url, [ENTRY])
    with closing(WebDatabase(mysql_web_url)) as database:
        database.create()
        site = WebSite(database_at(store_url), store_url, database, tmp_path)
        add_users(site)
        yield site


@pytest.fixture
def administrator(site: WebSite) -> Iterator[TestClient]:
    """A client of an administrator."""
    with client_of(site) as client:
        log_in(client, Role.ADMINISTRATOR)
        yield client


def test_only_its_owner_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "accounts.sqlite"
    with closing(WebDatabase(sqlite_url(path))) as database:
        database.create()
        assert path.stat().st_mode & 0o777 == 0o600


@pytest.fixture(params=["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WebDatabase]:
    """A database with users in either kind."""
    if request.param == "mysql":
        site: WebSite = request.getfixturevalue("site")
        yield site.database
        return
    with closing(site_over("sqlite:///none", tmp_path).database) as database:
        add_users(WebSite(None, "", database, tmp_path))  # type: ignore[arg-type]
        yield database


def _run(database: WebDatabase, *statements: str) -> list[Any]:
    def run(connection: Connection) -> list[Any]:
        *first, last = statements
        for statement in first:
            connection.exec_driver_sql(statement)
        return [*connection.exec_driver_sql(last)]

    return database.run_now(run)


@pytest.mark.parametrize("version", ["none", "0004"])
def test_a_database_of_an_earlier_version_is_upgraded_and_keeps_its_rows(
    version: str, database: WebDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _run(database, "SELECT name, role, password_hash FROM web_users ORDER BY name")
    if version == "none":
        gone = ["DROP TABLE web_schema", "DROP TABLE web_known_addresses"]
        _run(database, *gone, "SELECT 1")
        database.create()
    assert _run(database, "SELECT * FROM web_schema") == [("0004",)]
    revisions = tmp_path / "revisions"
    copytree(web_database.SCHEMA.revisions, revisions)
    (revisions / "versions" / "v0005_mail.py").write_text(_NEXT, encoding="utf-8")
    newer = web_database.SCHEMA._replace(version=5, revisions=revisions)
    with monkeypatch.context() as patch:
        patch.setattr(web_database, "SCHEMA", newer)
        for _ in range(2):
            database.create()
    assert _run(database, "SELECT * FROM web_schema") == [("0005",)]
    after = _run(database, "SELECT name, role, password_hash, mail FROM web_users ORDER BY name")
    assert after == [(*row, "无") for row in before]
    assert _run(database, "SELECT count(*) FROM web_known_addresses") == [(0,)]
    # For the version before, it is a newer one.
    with pytest.raises(StoreError, match=r"has schema version 5, .* up to 4; update focuscrawl"):
        database.create()


def test_jobs_of_a_scrapyd_count_as_ended_and_processes_go_on(database: WebDatabase) -> None:
    _run(
        database,
        "UPDATE web_schema SET version_num = '0001'",
        "ALTER TABLE web_processes ADD COLUMN job VARCHAR(64) NOT NULL DEFAULT ''",
        "INSERT INTO web_processes"
        " (spider, arguments, identity, log, started_by, started_at, stops, job) VALUES"
        " ('maize', '{}', '', '', 'operator', '2026-03-05 06:00:00.000', 0, '6487ec'),"
        " ('list', '{}', '', '', 'operator', '2026-03-05 06:00:00.000', 0, '')",
        "SELECT 1",
    )
    for _ in range(2):
        database.create()
    assert [one.spider for one in database.run_now(crawl_processes.living)] == ["list"]
    (job,) = [one for one in database.run_now(crawl_processes.newest) if one.spider == "maize"]
    assert job.ended_at == job.started_at
    # A new row needs no job.
    database.run_now(crawl_processes.begin, Author("operator", ""), "maize", {})


def test_likes_of_an_earlier_version_count_for_suggestions(database: WebDatabase) -> None:
    _run(
        database,
        "UPDATE web_schema SET version_num = '0002'",
        "ALTER TABLE web_article_likes DROP COLUMN is_forgotten",
        "ALTER TABLE web_kept_articles DROP COLUMN is_forgotten",
        "INSERT INTO web_article_likes (name, url_md5, at) VALUES"
        " ('reader', 'MD5', '2026-03-05 06:00:00.000')".replace("MD5", ENTRY.url_md5),
        "SELECT 1",
    )
    for _ in range(2):
        database.create()
    assert database.run_now(reader_marks.taste_of, "reader").marked == (ENTRY.url_md5,)
    database.run_now(reader_marks.forget_taste, "reader")
    taste = database.run_now(reader_marks.taste_of, "reader")
    assert (taste.marked, taste.own) == ((), {ENTRY.url_md5})


def test_rules_of_an_earlier_version_stay_and_those_about_words_can_be_made(
    database: WebDatabase,
) -> None:
    author, rule = Author("operator", ""), AlarmRule(kind="failed", crawl="采集")  # type: ignore[arg-type]
    database.run_now(alarm_store.add_rule, author, rule, "")
    columns = ("words", "site", "kinds", "with_changed", "position")
    _run(
        database,
        "UPDATE web_schema SET version_num = '0003'",
        *(f"ALTER TABLE web_alarm_rules DROP COLUMN {name}" for name in columns),
        "DROP TABLE web_alarm_arrivals",
        "DROP TABLE web_alarm_hits",
        "SELECT 1",
    )
    for _ in range(2):
        database.create()
    words = AlarmRule(kind="words", words="干旱")  # type: ignore[arg-type]
    database.run_now(alarm_store.add_rule, author, words, "", 7)
    old, new = database.run_now(alarm_store.all_rules)
    assert (old.crawl, old.words, old.with_changed, new.words, new.position) == (
        "采集", "", False, "干旱", 7,
    )  # fmt: skip


def test_a_table_without_a_column_is_noticed_at_the_start(database: WebDatabase) -> None:
    _run(database, "ALTER TABLE web_users DROP COLUMN created_at", "SELECT 1")
    with pytest.raises(StoreError, match=r"'web_users' .*without the column 'created_at'"):
        database.create()


def test_the_revisions_lead_to_the_version_of_the_program() -> None:
    heads = ScriptDirectory(str(web_database.SCHEMA.revisions)).get_heads()
    assert heads == [f"{web_database.SCHEMA.version:04}"]


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
        "/search?tag=甲": "新的标题",
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
