"""Records of a run over one series, and when missing numbers are due."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from focuscrawl.articles.article_page import PageParts
from focuscrawl.articles.article_series import NumberSeries, due_after
from focuscrawl.articles.number_walk import WalkRules
from focuscrawl.articles.soft_404_detection import MissingPages
from focuscrawl.articles.url_patterns import UrlPattern
from focuscrawl.items import MissingNumber

NOW = datetime(2026, 3, 5, 4, tzinfo=UTC)
PATTERN = UrlPattern("http://Host.test/article/{n}.htm")


def missing(number: int, tries: int, due: timedelta) -> MissingNumber:
    return MissingNumber(
        url=PATTERN.url(number),
        site=PATTERN.site,
        series=PATTERN.text,
        number=number,
        reason="HTTP 404",
        tries=tries,
        tried_at=NOW - timedelta(days=9),
        due_at=NOW + due,
    )


def series(held: set[int], known: list[MissingNumber]) -> NumberSeries:
    rules = WalkRules(stop_after=2, reach=0, read_ahead=9)
    by_number = {one.number: one for one in known}
    return NumberSeries(PATTERN, rules, MissingPages(PATTERN), held, by_number, NOW)


def test_gaps_between_tries_grow_to_two_months() -> None:
    days = [round((due_after(tries, NOW) - NOW) / timedelta(days=1)) for tries in range(1, 12)]
    assert days == [1, 2, 4, 8, 16, 32, 64, 64, 64, 64, 64]
    assert due_after(10**6, NOW) == due_after(7, NOW)
    # The next day's run may begin a bit earlier.
    assert due_after(1, NOW) < NOW + timedelta(days=1)


def test_a_run_retries_what_is_due_and_keeps_what_it_learns() -> None:
    due, resting = timedelta(0), timedelta(minutes=1)
    run = series({1, 5}, [missing(2, 1, due), missing(3, 4, resting), missing(4, 3, due)])
    assert [run.walk.next() for _ in range(5)] == [2, 4, 6, 7, None]
    (found,) = run.found(2, NOW)
    assert (found.number, found.found_at, found.tries, found.reason) == (2, NOW, 2, "HTTP 404")
    (again,) = run.missing(4, "soft 404", NOW)
    assert (again.tries, again.reason, again.tried_at) == (4, "soft 404", NOW)
    assert (again.due_at, again.found_at) == (due_after(4, NOW), None)
    assert run.missing(6, "sent home", NOW) == []
    (settled,) = run.found(7, NOW)
    assert (settled.number, settled.tries, settled.reason) == (6, 1, "sent home")
    assert (settled.url, settled.site) == ("http://Host.test/article/6.htm", "host.test")
    assert run.retried == 2


def test_an_article_is_kept_under_the_url_of_its_number() -> None:
    reading = PageParts(title="甲", tags=["乙"], published=date(2026, 3, 1), body_text="丙", extra={"a": 1})  # fmt: skip
    article = series(set(), []).article(8, reading, NOW)
    assert article.url == "http://Host.test/article/8.htm"
    assert (article.series, article.number, article.site) == (PATTERN.text, 8, "host.test")
    assert (article.title, article.tags, article.body_text, article.extra) == ("甲", ["乙"], "丙", {"a": 1})  # fmt: skip
    assert (article.published, article.fetched_at) == (date(2026, 3, 1), NOW)
