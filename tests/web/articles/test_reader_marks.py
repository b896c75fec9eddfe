"""Who counts as a reader, and the marks by which a read counts once."""

from __future__ import annotations

from datetime import date

from focuscrawl.web.articles.reader_marks import count_read, is_reader, read_mark
from focuscrawl.web.database.web_tables import read_marks
from focuscrawl.web.web_site import WebSite

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
A, B = "a" * 32, "b" * 32


PROGRAMS = (
    "",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; Baiduspider/2.0)",
    "Sogou web spider/4.0",
    "curl/8.14",
    "python-requests/2.32",
    "focuscrawl (focused crawler for Chinese-language sites)",
)


def test_programs_are_no_readers() -> None:
    assert is_reader({"user-agent": FIREFOX})
    assert [agent for agent in PROGRAMS if is_reader({"user-agent": agent})] == []
    for name, value in (("sec-purpose", "prefetch;prerender"), ("purpose", "prefetch")):
        assert not is_reader({"user-agent": FIREFOX, name: value})


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
