"""Entries that are stored under another address."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from focuscrawl.items import check_code
from focuscrawl.sites.changing_addresses import changed_addresses
from focuscrawl.sites.page_reading import ListEntry
from focuscrawl.stored_records import KnownArticle

DAY = date(2026, 3, 5)


def entries(form: str, count: int = 4) -> list[ListEntry]:
    return [ListEntry(form.format(n=n), f"第{n}期", DAY, "") for n in range(count)]


def stored(form: str, day: date = DAY) -> list[KnownArticle]:
    return [
        KnownArticle(
            url=entry.url,
            url_md5=check_code(entry.url),
            title=entry.title,
            content_md5="",
            published=day,
            stamp="",
            is_complete=True,
            is_gone=False,
            page_urls=[],
            validators={},
            first_seen=datetime(2026, 3, 5, tzinfo=UTC),
        )
        for entry in entries(form)
    ]


def problem(new: list[ListEntry], known: list[KnownArticle]) -> str:
    found = list(changed_addresses(new, known))
    assert len(found) < 2
    assert not any(one.loses_articles for one in found)
    return found[0].sentence if found else ""


def test_the_parameters_that_change_are_named() -> None:
    sentence = problem(
        entries("http://h/a?id={n}&t=8&r=1{n}"), stored("http://h/a?id={n}&t=7&r=2{n}")
    )
    assert sentence == (
        "4 of 4 new entries have title and date of a stored article with another address, such as "
        "http://h/a?id=0&t=8&r=10 and http://h/a?id=0&t=7&r=20; if r and t change at every run, write "
        "ignore_parameters: [r, t] in the profile"
    )


def test_another_path_is_told_without_parameters() -> None:
    sentence = problem(entries("http://h/b/{n}"), stored("http://h/a/{n}"))
    assert sentence.endswith("the site may have given its articles other addresses")


def test_a_list_without_dates_is_compared_by_titles() -> None:
    new = [replace(entry, published=None) for entry in entries("http://h/a?id={n}&t=8")]
    assert "[t]" in problem(new, stored("http://h/a?id={n}&t=7"))


def test_real_news_is_not_taken_for_old() -> None:
    new = entries("http://h/a?id={n}&t=8")
    assert problem(new, stored("http://h/a?id={n}&t=7", date(2026, 3, 4))) == ""
    assert problem(new[:2], stored("http://h/a?id={n}&t=7")) == ""
    assert problem(new, []) == ""
