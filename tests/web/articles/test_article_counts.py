"""Counts of reads and likes."""

from __future__ import annotations

from datetime import date

import pytest

from focuscrawl.web.articles.article_counts import (
    ArticleCounts,
    count_read,
    counts_of,
    is_reader,
    most,
    read_mark,
    set_like,
)
from focuscrawl.web.database.web_tables import read_marks
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
A, B = "a" * 32, "b" * 32


@pytest.mark.parametrize(
    "agent",
    [
        "",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Mozilla/5.0 (compatible; Baiduspider/2.0)",
        "Sogou web spider/4.0",
        "curl/8.14",
        "python-requests/2.32",
        "focuscrawl (focused crawler for Chinese-language sites)",
    ],
)
def test_programs_are_no_readers(agent: str) -> None:
    assert not is_reader({"user-agent": agent})


def test_a_page_fetched_in_advance_is_not_read() -> None:
    assert is_reader({"user-agent": FIREFOX})
    for name, value in (("sec-purpose", "prefetch;prerender"), ("purpose", "prefetch")):
        assert not is_reader({"user-agent": FIREFOX, name: value})


def test_a_reader_counts_once_a_day(site: WebSite) -> None:
    run = site.database.run_now
    for reader in ("x", "x", "y"):
        run(count_read, A, reader, b"key")
    run(count_read, B, "x", b"key")
    assert run(counts_of, [A, B, "c" * 32]) == {A: ArticleCounts(2, 0), B: ArticleCounts(1, 0)}
    assert run(most, "reads", 5) == [A, B]
    assert run(most, "reads", 1) == [A]


def test_marks_of_earlier_days_are_deleted(site: WebSite) -> None:
    old = read_mark(A, "x", date(2026, 3, 4), b"key")

    def write(connection):  # type: ignore[no-untyped-def]
        connection.execute(read_marks.insert().values(mark=old, day=date(2026, 3, 4)))
        count_read(connection, A, "x", b"key")
        return connection.scalars(read_marks.select()).all()

    (left,) = site.database.run_now(write)
    assert left != old


def test_a_mark_depends_on_article_reader_day_and_secret() -> None:
    marks = {
        read_mark(key, reader, date(2026, 3, day), secret)
        for key in (A, B)
        for reader in ("127.0.0.1", "127.0.0.2")
        for day in (1, 2)
        for secret in (b"1", b"2")
    }
    assert len(marks) == 16


def test_likes_count_once_and_are_taken_back(site: WebSite) -> None:
    add_users(site)
    run = site.database.run_now
    for name, is_liked in (("reader", True), ("reader", True), ("editor", True), ("editor", False)):
        run(set_like, name, A, is_liked)
    run(set_like, "editor", A, False)
    assert run(counts_of, [A]) == {A: ArticleCounts(0, 1)}
    assert run(most, "likes", 5) == [A]
    run(set_like, "reader", A, False)
    assert run(most, "likes", 5) == []
