"""Two servers, or tabs, that change the same at once: one of them is told so, or both are right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Connection, event
from starlette.exceptions import HTTPException

from focuscrawl.errors import ArgumentError
from focuscrawl.search.search_results import ListedArticle
from focuscrawl.stores.database_urls import sqlite_url
from focuscrawl.web.accounts import account_store, login_limits
from focuscrawl.web.accounts.change_log import Author
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.alarms import alarm_store
from focuscrawl.web.alarms.alarm_store import AlarmRule, RuleKind
from focuscrawl.web.articles.article_edits import NONE, Correction, correct, corrections_of, retag
from focuscrawl.web.articles.read_texts import last_visit, mark_read, read_among
from focuscrawl.web.articles.reader_marks import (
    ArticleCounts,
    Own,
    count_read,
    counts_of,
    own_marks,
    save_search,
    searches_of,
    set_kept,
    set_like,
)
from focuscrawl.web.crawls import crawl_processes, schedule_store
from focuscrawl.web.crawls.crawl_processes import BusyError
from focuscrawl.web.crawls.schedule_pages import SchedulePlan
from focuscrawl.web.database import web_database
from focuscrawl.web.database.web_database import WebDatabase
from focuscrawl.web.database.web_tables import known_addresses, visits
from focuscrawl.web.prices.own_views import OwnViews, own_views, set_pin, set_view

AUTHOR = Author("test", "")
ARTICLE = "a" * 32
PLAN = SchedulePlan(spider="maize", arguments={}, cron="0 1 * * *")
Work = Callable[[Connection], Any]
Works = tuple[Work, Work]


def two_corrections(connection: Connection) -> Works:
    """Return two corrections of the same one."""
    old, first, second = (Correction(title=title) for title in ("old", "first", "second"))
    correct(connection, AUTHOR, ARTICLE, "url", NONE.state, old)

    def correction(new: Correction) -> Work:
        return lambda one: correct(one, AUTHOR, ARTICLE, "url", old.state, new)

    return correction(first), correction(second)


def two_changes_of_a_schedule(connection: Connection) -> Works:
    """Return a change of a schedule, and one of the schedule before it."""
    schedule_store.add_schedule(connection, AUTHOR, PLAN)
    (old,) = schedule_store.all_schedules(connection)

    def change(cron: str) -> Work:
        plan = replace(PLAN, cron=cron)
        return lambda one: schedule_store.change_schedule(one, AUTHOR, old, plan)

    return change("0 2 * * *"), change("0 3 * * *")


def change_and_deletion_of_a_schedule(connection: Connection) -> Works:
    """Return a change of a schedule, and the deletion of the schedule before it."""
    first, _ = two_changes_of_a_schedule(connection)
    (old,) = schedule_store.all_schedules(connection)
    return first, lambda one: schedule_store.delete_schedule(one, AUTHOR, old)


def two_changes_of_a_rule(connection: Connection) -> Works:
    """Return a change of a rule, and one of the rule before it."""
    old_rule, first, second = (
        AlarmRule(kind=RuleKind.FAILED, crawl=crawl) for crawl in ("old", "first", "second")
    )
    alarm_store.add_rule(connection, AUTHOR, old_rule, "")
    (old,) = alarm_store.all_rules(connection)

    def change(rule: AlarmRule) -> Work:
        return lambda one: alarm_store.change_rule(one, AUTHOR, old, rule, "")

    return change(first), change(second)


def change_and_deletion_of_a_rule(connection: Connection) -> Works:
    """Return a change of a rule, and the deletion of the rule before it."""
    first, _ = two_changes_of_a_rule(connection)
    (old,) = alarm_store.all_rules(connection)
    return first, lambda one: alarm_store.delete_rule(one, AUTHOR, old)


def start(connection: Connection) -> int:
    return crawl_processes.begin(connection, AUTHOR, "maize", {})


def two_starts_of_a_crawl(connection: Connection) -> Works:
    """Return the start of a crawl, twice, while another one is running."""
    crawl_processes.begin(connection, AUTHOR, "list", {})
    return start, start


def start_and_giving_up(connection: Connection) -> Works:
    """Return the note that a crawl takes too long to start, and that of its process, which is there only then."""
    number = start(connection)
    values = {"pid": 1, "identity": "", "log": ""}
    return (
        lambda one: crawl_processes.set_ended(one, number, None),
        lambda one: crawl_processes.set_started(one, number, values),
    )


def sign_up(name: str) -> Work:
    return lambda one: account_store.add_user(one, AUTHOR, name, Role.ADMINISTRATOR, "hash")


def first_correction(title: str) -> Work:
    new = Correction(title=title)
    return lambda one: correct(one, AUTHOR, ARTICLE, "url", NONE.state, new)


def two_administrators(connection: Connection) -> Works:
    """Return the removals of the last two administrators."""
    for name in ("one", "other"):
        sign_up(name)(connection)

    def removal(name: str) -> Work:
        return lambda one: account_store.set_disabled(one, AUTHOR, name, True)

    return removal("one"), removal("other")


def removal_of_a_new_administrator(connection: Connection) -> Works:
    """Return the exchange of the only administrator for an editor, and the removal of that one."""
    sign_up("one")(connection)
    account_store.add_user(connection, AUTHOR, "other", Role.EDITOR, "hash")

    def exchange(one: Connection) -> None:
        account_store.set_role(one, AUTHOR, "other", Role.ADMINISTRATOR)
        account_store.set_role(one, AUTHOR, "one", Role.EDITOR)

    return exchange, lambda one: account_store.set_disabled(one, AUTHOR, "other", True)


def doing(*works: Work) -> Callable[[Connection], Works]:
    """Return two works that need nothing to be there."""
    first, second = works
    return lambda _: (first, second)


@pytest.mark.parametrize(
    ("works", "error", "message"),
    [
        (two_corrections, HTTPException, "409"),
        (two_changes_of_a_schedule, HTTPException, "409"),
        (change_and_deletion_of_a_schedule, HTTPException, "409"),
        (two_changes_of_a_rule, HTTPException, "409"),
        (change_and_deletion_of_a_rule, HTTPException, "409"),
        (doing(first_correction("first"), first_correction("second")), HTTPException, "409"),
        (two_starts_of_a_crawl, BusyError, "is running"),
        (doing(start, start), BusyError, "is running"),
        (start_and_giving_up, ArgumentError, "has ended"),
        (two_administrators, ArgumentError, "last administrator"),
        (removal_of_a_new_administrator, ArgumentError, "last administrator"),
        (doing(sign_up("one"), sign_up("one")), ArgumentError, "'one' already"),
        (doing(sign_up("one"), sign_up("ONE")), ArgumentError, "'one' already"),
    ],
)
def test_the_second_is_refused(
    works: Callable[[Connection], Works], error: type[Exception], message: str, url: str
) -> None:
    with two_at_once(works, url, after=1) as (running, _), pytest.raises(error, match=message):
        running.result()


@contextmanager
def two_at_once(
    works: Callable[[Connection], Works], url: str, *, after: int | None = None
) -> Iterator[tuple[Future[None], WebDatabase]]:
    """Do the second at another server before the transaction of the first one ends, or after some of its statements."""
    with (
        closing(WebDatabase(url)) as database,
        closing(WebDatabase(url)) as elsewhere,
        ThreadPoolExecutor(1) as worker,
    ):
        database.create()
        # This also connects, which may take longer than what is waited for below.
        first, second = elsewhere.run_now(works)

        def both(connection: Connection) -> Future[None]:
            others: list[Future[None]] = []
            statements = count(1)

            def begin() -> None:
                if not others:
                    others.append(worker.submit(elsewhere.run_now, second))
                    # If nothing held it up, it would end meanwhile.
                    wait(others, 1)

            def begin_midway(*_: object) -> None:
                if next(statements) == after:
                    begin()

            event.listen(connection, "after_cursor_execute", begin_midway)
            first(connection)
            begin()
            return others[0]

        yield database.run_now(both), database


def keeping(*works: Work) -> Callable[[Connection], Works]:
    """Return two works of a user, who is added, and another one."""

    def make(connection: Connection) -> Works:
        for name in ("one", "other"):
            sign_up(name)(connection)
        return doing(*works)(connection)

    return make


@pytest.fixture(params=["sqlite", pytest.param("mysql", marks=pytest.mark.server)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of either kind."""
    if request.param == "mysql":
        url: str = request.getfixturevalue("mysql_web_url")
        return url
    return sqlite_url(tmp_path / "web.sqlite")


def pin(entity: str) -> Work:
    return lambda one: set_pin(one, "one", entity, True)


def view(title: str, address: str) -> Work:
    return lambda one: set_view(one, "one", title, address)


@pytest.mark.parametrize(
    ("works", "kept"),
    [
        (keeping(pin("长春"), pin("长春")), OwnViews(frozenset({"长春"}))),
        (keeping(pin("长春"), pin("寿光")), OwnViews(frozenset({"长春", "寿光"}))),
        (keeping(view("干", "/a"), view("干", "/b")), OwnViews(views=(("干", "/b"),))),
        (keeping(view("干", "/a"), view("湿", "/b")), OwnViews(views=(("干", "/a"), ("湿", "/b")))),
        (keeping(view("干", "/a"), view("干", "")), OwnViews()),
    ],
)
def test_two_tabs_that_pin_and_save_lose_nothing(
    works: Callable[[Connection], Works], kept: OwnViews, url: str
) -> None:
    with two_at_once(works, url, after=1) as (running, database):
        running.result()
        assert database.run_now(own_views, "one") == kept
        assert database.run_now(own_views, "other") == OwnViews()


def like(name: str, is_liked: bool = True) -> Work:
    return lambda one: set_like(one, name, ARTICLE, is_liked)


def keep(is_kept: bool) -> Work:
    return lambda one: set_kept(one, "one", ARTICLE, is_kept)


def counts_and_marks(connection: Connection) -> tuple[ArticleCounts, Own]:
    found = counts_of(connection, [ARTICLE]).get(ARTICLE, ArticleCounts())
    return found, own_marks(connection, "one", ARTICLE)


@pytest.mark.parametrize(
    ("works", "left"),
    [
        ((like("one"), like("one")), (ArticleCounts(likes=1), Own(is_liked=True))),
        ((like("one"), like("one", False)), (ArticleCounts(), Own())),
        ((keep(True), keep(True)), (ArticleCounts(), Own(is_kept=True))),
        ((keep(True), keep(False)), (ArticleCounts(), Own())),
    ],
)
def test_two_tabs_that_mark_an_article(
    works: Works, left: tuple[ArticleCounts, Own], url: str
) -> None:
    with two_at_once(keeping(*works), url, after=1) as (running, database):
        running.result()
        assert database.run_now(counts_and_marks) == left


def read(reader: str) -> Work:
    return lambda one: count_read(one, ARTICLE, reader, b"key")


@pytest.mark.parametrize(
    ("works", "after", "counted"),
    [
        ((like("one"), like("other")), 3, ArticleCounts(likes=2)),
        ((like("one"), read("user one")), 3, ArticleCounts(likes=1, reads=1)),
        ((read("user one"), read("user other")), 4, ArticleCounts(reads=2)),
        ((read("user one"), read("user one")), 1, ArticleCounts(reads=1)),
    ],
)
def test_each_of_two_readers_is_counted_once(
    works: Works, after: int, counted: ArticleCounts, url: str
) -> None:
    with two_at_once(keeping(*works), url, after=after) as (running, database):
        running.result()
        assert database.run_now(counts_of, [ARTICLE]) == {ARTICLE: counted}


def visit(connection: Connection) -> None:
    last_visit(connection, "one")


def read_text(connection: Connection) -> None:
    mark_read(connection, "one", ARTICLE)


def save(connection: Connection) -> None:
    save_search(connection, "one", {"q": "玉米"})


def log_in(connection: Connection) -> None:
    login_limits.note_success(connection, "one", "127.0.0.1")


def make_feed(connection: Connection) -> None:
    alarm_store.new_feed(connection, Author("one", ""), b"key")


def give_an_alarm(connection: Connection) -> None:
    event = alarm_store.Event(key="failed 1", kind="failed", subject="maize", values={})
    alarm_store.add_alarms(connection, 1, [event])


@pytest.mark.parametrize(
    ("work", "after", "left"),
    [
        (visit, 1, lambda one: one.scalars(visits.select()).all()),
        (read_text, 1, lambda one: read_among(one, "one", None)),
        (save, 1, lambda one: searches_of(one, "one")),
        (log_in, 2, lambda one: one.scalars(known_addresses.select()).all()),
        (make_feed, 1, lambda one: one.scalars(alarm_store.feeds.select()).all()),
        (give_an_alarm, 1, lambda one: alarm_store.newest_alarms(one, 9)),
    ],
)
def test_what_two_tabs_do_first_at_once_is_there_once(
    work: Work, after: int, left: Work, url: str
) -> None:
    with two_at_once(keeping(work, work), url, after=after) as (running, database):
        running.result()
        assert len(database.run_now(left)) == 1


def tag(name: str) -> Work:
    article = ListedArticle(
        url_md5=ARTICLE, url="url", site="site", title="题", summary="", published=None,
        first_seen=datetime.now(UTC),
    )  # fmt: skip
    return lambda one: retag(one, AUTHOR, [article], [name], [])


def test_two_editors_that_tag_an_article_lose_nothing(url: str) -> None:
    with two_at_once(doing(tag("玉米"), tag("小麦")), url, after=1) as (running, database):
        running.result()
        found = database.run_now(corrections_of, [ARTICLE])
        assert found == {ARTICLE: Correction(tags=("玉米", "小麦"))}


def test_an_alarm_that_arrives_while_a_server_starts_has_arrived(url: str) -> None:
    def works(connection: Connection) -> Works:
        give_an_alarm(connection)
        (alarm,) = alarm_store.newest_alarms(connection, 1)
        return (
            lambda one: alarm_store.give_up_unsent(one, "the server ended meanwhile"),
            lambda one: alarm_store.set_sent(one, alarm.number, []),
        )

    with two_at_once(works, url, after=1) as (running, database):
        running.result()
        (alarm,) = database.run_now(alarm_store.newest_alarms, 1)
        assert alarm.sent == []


def test_no_two_passwords_are_tried_where_one_is_left(url: str) -> None:
    until: list[object] = []

    def attempt(connection: Connection) -> None:
        until.append(login_limits.refused_until(connection, "one", "127.0.0.1"))

    def works(connection: Connection) -> Works:
        for _ in range(login_limits.BY_BOTH - 1):
            login_limits.refused_until(connection, "one", "127.0.0.1")
        return attempt, attempt

    with two_at_once(works, url, after=6) as (running, _):
        running.result()
    assert sorted(one is None for one in until) == [False, True]


@pytest.mark.server
def test_one_of_two_that_wait_for_a_lock_gets_it(mysql_web_url: str) -> None:
    is_given_back = Event()

    def take(connection: Connection) -> bool:
        # After the first look at the lock, which is still there then.
        listen = (
            "after_cursor_execute",
            lambda *given: "DELETE" in given[2] and is_given_back.wait(5),
        )
        event.listen(connection, *listen)
        return web_database._take(connection, "key", "other")

    with ExitStack() as stack:
        first, *others = (stack.enter_context(closing(WebDatabase(mysql_web_url))) for _ in "123")
        workers = stack.enter_context(ThreadPoolExecutor(2))
        first.create()
        for one in others:
            one.run_now(account_store.all_users)
        first.run_now(web_database._take, "key", "first")

        def give_back(connection: Connection) -> list[Future[bool]]:
            taking = [workers.submit(one.run_now, take) for one in others]
            wait(taking, 0.5)
            web_database._release(connection, "key", "first")
            is_given_back.set()
            wait(taking, 0.5)
            return taking

        assert sorted(one.result() for one in first.run_now(give_back)) == [False, True]
