"""What every store promises, alike for all kinds, with real servers."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from focuscrawl.items import FILE, Article, RereadArticle, check_code
from focuscrawl.stored_records import KeptArticle
from focuscrawl.stores.database_urls import Database
from focuscrawl.stores.store_protocol import RefusedRecordsError, Written
from focuscrawl.stores.store_urls import make_stores
from tests.stores.conftest import KINDS, Opener
from tests.stores.record_examples import NOW, SITE, article, everything, gone, incomplete, quote

STORE_KINDS = KINDS
LATER = NOW + timedelta(days=1)
FIRST = check_code(article(1).url)


async def the_article(store: Database) -> Article:
    (found,) = await everything(store.articles())
    return found


async def test_what_is_written_comes_back_equal(store: Database, opened: Opener) -> None:
    numbers = [Decimal("0.1"), Decimal("123456789012.125"), Decimal("2E+3"), Decimal("-0.000001")]
    given = article(quotes=[quote(price_low=n, price_high=n, price_change=n) for n in numbers])
    assert await store.write([given]) == Written(new=1)
    assert await the_article(await opened()) == given


async def test_numbers_are_rounded_alike_without_exponents_and_idle_zeros(store: Database) -> None:
    odd = {
        "price_low": Decimal(1) / 3,
        "price_high": Decimal("2E+3"),
        "price_change": Decimal("1.500"),
    }
    given = article(quotes=[quote(**odd)])
    await store.write([given])
    (read,) = (await the_article(store)).quotes
    assert [str(getattr(read, name)) for name in odd] == ["0.333333", "2000", "1.5"]
    assert await store.write([given]) == Written(unchanged=1)


async def test_a_repeat_changes_nothing(store: Database, opened: Opener) -> None:
    batch = [article(1), article(2, quotes=[]), incomplete(3)]
    assert await store.write(batch) == Written(new=3)
    before = await everything(store.articles())
    again = [replace(entry, fetched_at=LATER) for entry in batch]
    written = await (await opened()).write(again)
    assert written == Written(unchanged=3)
    assert written.outcomes == ("unchanged",) * 3
    assert await everything(store.articles()) == before


async def test_a_change_replaces_the_article_as_a_whole(store: Database) -> None:
    changed = article()
    await store.write([changed])
    changes: list[dict[str, Any]] = [
        {"text": "全新"},
        {"title": "新"},
        {"quotes": []},
        {"quotes": [quote(flag="odd")]},
    ]
    for days, change in enumerate(changes, 1):
        changed = replace(changed, fetched_at=NOW + timedelta(days), **change)
        assert await store.write([changed]) == Written(changed=1), change
        assert await the_article(store) == changed
        known = (await store.known([FIRST]))[FIRST]
        assert (known.first_seen, known.content_md5) == (NOW, changed.content_md5)
        assert len(await everything(store.quotes())) == len(changed.quotes)


async def test_an_article_without_prices_is_told_from_one_without_quotes(
    store: Database, opened: Opener
) -> None:
    without = article(quotes=None)
    for given, is_read, written in (
        (without, False, Written(new=1)),
        (replace(without, fetched_at=LATER), False, Written(unchanged=1)),
        (article(quotes=[]), True, Written(changed=1)),
        (article(), True, Written(changed=1)),
        (without, False, Written(changed=1)),
    ):
        assert await store.write([given]) == written
        again = await opened()
        assert (await the_article(again)).quotes == given.quotes
        assert (await again.known([FIRST]))[FIRST].has_prices_read is is_read
        (summary,) = await everything(again.summaries())
        assert (summary.has_prices_read, summary.first_seen) == (is_read, NOW)
        assert len(await everything(again.quotes())) == len(given.quotes or ())


async def test_what_is_not_content_is_updated_and_counts_as_unchanged(store: Database) -> None:
    given = article()
    await store.write([given])
    changes: list[tuple[dict[str, Any], int]] = [
        ({"stamp": "2026-03-05"}, 0),
        ({"validators": {}}, 0),
        ({"page_urls": ["http://demo.example/x"]}, 0),
        ({"published": None}, 1),
        ({"site": "another"}, 1),
    ]
    for days, (change, amended) in enumerate(changes, 1):
        given = replace(given, fetched_at=NOW + timedelta(days), **change)
        written = await store.write([given])
        assert (written, written.touched) == (Written(unchanged=1, amended=amended), amended), (
            change
        )
        assert await the_article(store) == given
        again = replace(given, fetched_at=NOW + timedelta(days, hours=1))
        assert await store.write([again]) == Written(unchanged=1)
        assert await the_article(store) == given


@pytest.mark.parametrize(
    ("held", "pages"),
    [
        (article(), []),
        (incomplete(page_urls=["a", "b"]), ["http://demo.example/1.htm"]),
    ],
    ids=["no page of a whole one", "less of a part"],
)
async def test_an_incomplete_article_never_destroys_what_is_held(
    store: Database, held: Article, pages: list[str]
) -> None:
    await store.write([held])
    half = article(
        title="x",
        text="half",
        quotes=[],
        stamp="new",
        published=None,
        validators={},
        page_urls=pages,
        missing_urls=["http://demo.example/failed"],
        fetched_at=LATER,
    )
    assert await store.write([half]) == Written(unchanged=1, amended=1)
    assert await the_article(store) == replace(held, missing_urls=half.missing_urls)
    (unfinished,) = await store.unfinished(SITE)
    assert (unfinished.stamp, unfinished.content_md5) == (held.stamp, held.content_md5)
    assert not unfinished.is_complete
    (summary,) = await everything(store.summaries())
    assert (summary.is_complete, summary.missing_urls) == (False, half.missing_urls)
    assert await store.write([half]) == Written(unchanged=1)
    whole = article(fetched_at=LATER)
    assert await store.write([whole]) == Written(unchanged=1, amended=1)
    assert await the_article(store) == whole
    assert await store.unfinished(SITE) == []


@pytest.mark.parametrize("held", [incomplete(), article(page_urls=["http://demo.example/1.htm"])])
async def test_an_incomplete_article_of_more_pages_replaces(store: Database, held: Article) -> None:
    await store.write([held])
    longer = incomplete(page_urls=["a", "b"], text="longer")
    assert await store.write([longer]) == Written(changed=1)
    assert await the_article(store) == longer


async def test_a_batch_may_hold_an_article_whole_and_in_part(store: Database) -> None:
    batch = [article(), incomplete(text="x"), gone(), incomplete(text="x")]
    written = await store.write(batch)
    assert written.outcomes == ("new", "amended", "gone", "changed")
    assert written == Written(new=1, changed=1, unchanged=1, gone=1, amended=1)
    assert await the_article(store) == replace(article(), missing_urls=incomplete().missing_urls)
    assert len(await store.unfinished(SITE)) == 1


async def test_an_incomplete_article_is_unfinished_until_completed(store: Database) -> None:
    """A change that came after a failed page is a change."""
    await store.write([incomplete(1), article(2)])
    (unfinished,) = await store.unfinished(SITE)
    assert (unfinished.url_md5, unfinished.is_complete) == (FIRST, False)
    assert await store.unfinished("another") == []
    assert await store.write([article(1, text="whole")]) == Written(changed=1)
    assert await store.unfinished(SITE) == []
    await store.write([incomplete(1, text="half")])
    assert await store.write([article(1, text="neu")]) == Written(changed=1)


async def test_a_gone_article_keeps_its_text_but_not_its_quotes_in_reports(store: Database) -> None:
    await store.write([article(1), article(2)])
    assert await store.write([gone(1), gone(1), gone(9)]) == Written(gone=1, unchanged=2)
    assert await store.write([gone(1)]) == Written(unchanged=1)
    assert (await store.known([FIRST]))[FIRST].is_gone
    assert {q.article_url for q in await everything(store.quotes())} == {article(2).url}
    assert [entry.url for entry in await store.listed_since(SITE, None)] == [article(2).url]
    assert {a.url for a in await everything(store.articles())} == {article(1).url, article(2).url}
    assert [s.is_gone for s in await everything(store.summaries())].count(True) == 1


async def test_a_link_to_nothing_has_failed_until_there_is_an_article(store: Database) -> None:
    dead = replace(gone(1), title="第1期", published=date(2026, 3, 4))
    assert await store.write([dead]) == await store.write([dead]) == Written(failed=1)
    (summary,) = await everything(store.summaries())
    assert summary.is_dead_link
    assert (summary.title, summary.published) == ("第1期", date(2026, 3, 4))
    known = (await store.known([FIRST]))[FIRST]
    assert (known.is_gone, known.is_read) == (True, False)
    assert await store.unfinished(SITE) == await store.listed_since(SITE, None) == []
    assert (await store.write([dead, article(1)])).outcomes == ("failed", "new")
    assert await the_article(store) == article(1)
    assert await store.write([dead]) == Written(gone=1)
    assert not (await everything(store.summaries()))[0].is_dead_link


async def test_an_unread_article_is_incomplete_until_it_is_read_or_gone(store: Database) -> None:
    waiting = incomplete(1, page_urls=[], text="", validators={}, quotes=[])
    assert await store.write([waiting]) == Written(incomplete=1)
    assert [known.url for known in await store.unfinished(SITE)] == [waiting.url]
    assert await store.write([article(1)]) == Written(new=1)
    other = incomplete(2, page_urls=[], text="", validators={}, quotes=[])
    assert (await store.write([other, gone(2)])).outcomes == ("incomplete", "gone")
    assert [one.is_dead_link for one in await everything(store.summaries())] == [False, True]
    file = incomplete(3, page_urls=[], text="", validators={FILE: ["PDF", ""]}, quotes=[])
    assert (await store.write([file, gone(3)])).outcomes == ("new", "gone")


@pytest.mark.parametrize("back", [article(), incomplete(), article(text="neu")])
async def test_a_gone_article_that_comes_back_is_changed(store: Database, back: Article) -> None:
    await store.write([article(1)])
    await store.write([gone(1)])
    assert await store.write([back]) == Written(changed=1)
    assert not (await store.known([FIRST]))[FIRST].is_gone
    expected = replace(article(1), text=back.text, missing_urls=back.missing_urls)
    assert await the_article(store) == expected


async def test_an_article_read_again_changes_nothing_that_is_newer(store: Database) -> None:
    def read_again(text: str) -> RereadArticle:
        given = article(1, text=text, quotes=[quote(entity="别的")])
        return RereadArticle(**{one.name: getattr(given, one.name) for one in fields(given)})

    await store.write([article(1, text="new")])
    assert await store.write([read_again("old")]) == Written(incomplete=1)
    assert (await the_article(store)).text == "new"
    assert await store.write([read_again("new")]) == Written(changed=1)
    assert [one.entity for one in (await the_article(store)).quotes or ()] == ["别的"]
    await store.write([gone(1)])
    assert await store.write([read_again("new")]) == Written(unchanged=1)
    assert (await store.known([FIRST]))[FIRST].is_gone


async def test_the_last_of_several_records_of_one_article_stands(store: Database) -> None:
    last = article(1, text="last", fetched_at=LATER)
    written = await store.write([article(1), article(1, text="mid"), gone(1), last])
    assert written.outcomes == ("new", "changed", "gone", "changed")
    assert await the_article(store) == last
    assert (await store.known([FIRST]))[FIRST].first_seen == NOW
    assert await store.write([last]) == Written(unchanged=1)
    assert await store.write([article(1, text="x"), gone(1)]) == Written(changed=1, gone=1)
    assert (await store.known([FIRST]))[FIRST].is_gone


async def test_known_returns_all_that_decides_on_asking_again(store: Database) -> None:
    await store.write([article(1)])
    known = await store.known([FIRST, check_code("http://demo.example/never")])
    assert list(known) == [FIRST]
    found, given = known[FIRST], article(1)
    for name in (
        "url url_md5 title content_md5 published stamp is_complete page_urls validators"
    ).split():
        assert getattr(found, name) == getattr(given, name), name
    assert not found.is_gone
    assert await store.known([]) == {}


async def test_many_are_known_at_once(store: Database) -> None:
    await store.write([article(n, quotes=[]) for n in range(1200)])
    requested = [check_code(article(n).url) for n in range(1200)]
    assert len(await store.known(requested)) == 1200
    assert len(await everything(store.summaries())) == 1200


async def test_articles_of_a_site_are_listed_page_by_page(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Undated ones come first; since a day there are none, but those of the day itself."""
    monkeypatch.setattr("focuscrawl.stores.sql.sql_reader.SMALL", 3)
    days = [*[date(2026, 3, 3 + n % 2) for n in range(10)], *[None] * 7]
    batch = [incomplete(n, published=day, quotes=[]) for n, day in enumerate(days)]
    whole = article(98, published=date(2026, 3, 9))
    await store.write([*batch, whole, article(99, site="another")])
    expected = sorted((a.published or date.min, a.url_md5) for a in batch)
    unfinished = await store.unfinished(SITE)
    assert [(k.published or date.min, k.url_md5) for k in unfinished] == expected
    *listed, last = await store.listed_since(SITE, None)
    assert [(k.published or date.min, k.url_md5) for k in listed] == expected
    assert last.url == whole.url
    assert len(await store.listed_since(SITE, date(2026, 3, 4))) == 6


async def test_quotes_come_by_date_article_and_position(store: Database) -> None:
    days = [None, date(2026, 1, 2), date(2025, 1, 2), None, date(2026, 1, 2)]
    batch = [
        article(n, quotes=[quote(date=d, text_start=i) for i, d in enumerate(days)]) for n in "ab"
    ]
    await store.write(batch)
    found = [
        (q.quote.date or date.min, check_code(q.article_url), q.quote.text_start)
        for q in await everything(store.quotes())
    ]
    assert len(found) == 10
    assert found == sorted(found)
    since = await everything(store.quotes(date(2026, 1, 2)))
    assert [q.quote.date for q in since] == [date(2026, 1, 2)] * 4
    assert (since[0].site, since[0].article_title[:4]) == (SITE, "玉米价格")


async def test_long_streams_are_whole_and_in_order(store: Database) -> None:
    many = [quote(text_start=n, date=date(2026, 1, 1) + timedelta(n % 3)) for n in range(450)]
    await store.write([article(n, quotes=many) for n in range(10)])
    found = await everything(store.quotes())
    keys = [(q.quote.date, check_code(q.article_url), q.quote.text_start) for q in found]
    assert len(set(keys)) == 4500
    assert keys == sorted(keys, key=lambda key: (key[0], key[1], key[2]))
    articles = await everything(store.articles())
    assert [a.url_md5 for a in articles] == sorted(a.url_md5 for a in articles)
    assert all(a.quotes == many for a in articles)


async def test_summaries_come_by_date_undated_first(store: Database) -> None:
    days = [date(2026, 3, 5), None, date(2026, 3, 3), None]
    await store.write([article(n, published=day) for n, day in enumerate(days)])
    await store.write([incomplete(9, published=date(2026, 3, 9), text="")])
    found = await everything(store.summaries())
    keys = [(s.published or date.min, check_code(s.url)) for s in found]
    assert keys == sorted(keys)
    assert (found[-1].is_complete, found[-1].missing_urls) == (False, incomplete(9).missing_urls)
    assert [s.has_text for s in found] == [True] * 4 + [False]


async def test_state_is_kept_and_replaced(store: Database, opened: Opener) -> None:
    assert await store.get_state("demo.list/$x") is None
    await store.set_state("demo.list/$x", {"a.b": 1})
    await store.set_state("demo.list/$x", {"$c": ["玉米", None], "": {}})
    assert await (await opened()).get_state("demo.list/$x") == {"$c": ["玉米", None], "": {}}


async def test_odd_text_from_the_web_is_kept(store: Database) -> None:
    odd = ["a\x00b", "😀𠮷", "\ud83d", "'; DROP TABLE articles; --", "%s %(x)s"]
    given = [
        article(
            number,
            title=text,
            text=text,
            stamp=text,
            validators={text: [text]},
            page_urls=[text],
            quotes=[quote(span=text, entity=text)],
        )
        for number, text in enumerate(odd)
    ]
    assert await store.write(given) == Written(new=5)
    found = {a.url: a for a in await everything(store.articles())}
    for one, text in zip(given, odd, strict=True):
        read = found[one.url]
        shown = text.replace("\x00", "\ufffd").replace("\ud83d", "\ufffd")
        assert (read.title, read.text, read.quotes[0].span) == (shown, shown, shown)
        assert (read.validators, read.page_urls) == ({shown: [shown]}, [shown])
    assert await store.write(given) == Written(unchanged=5)


async def test_bad_records_do_not_lose_the_others(store: Database) -> None:
    bad = [
        article("bad", quotes=[quote(price_low=Decimal("1E+12"))]),
        article("nan", quotes=[quote(price_change=Decimal("NaN"))]),
        article("none", title=None),
    ]
    with pytest.raises(RefusedRecordsError, match=r"bad\.htm") as caught:
        await store.write([article(1), *bad, article(2)])
    assert list(caught.value.refused) == [1, 2, 3]
    assert caught.value.written == Written(new=2)
    assert caught.value.written.outcomes == ("new", None, None, None, "new")
    assert "\n" not in str(caught.value)
    assert len(await everything(store.articles())) == 2


def test_a_store_works_in_one_event_loop_after_another(store_url: str) -> None:
    """To open or to close it twice is harmless."""
    (store,) = make_stores(store_url)

    async def once() -> Written:
        await store.open()
        await store.open()
        try:
            return await store.write([article()])
        finally:
            await store.close()
            await store.close()

    assert asyncio.run(once()) == Written(new=1)
    assert asyncio.run(once()) == Written(unchanged=1)


async def test_the_event_loop_goes_on_while_a_store_works(store: Database) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    await store.write([article(n) for n in range(300)])
    ticking.cancel()
    assert ticks > 20


async def test_articles_are_found_with_quotes_in_their_order(
    store: Database, opened: Opener
) -> None:
    first = article(1, quotes=[quote(text_start=number) for number in range(12)])
    second, unread = article(2, quotes=[]), article(3, quotes=None)
    await store.write([first, second, unread, gone(2)])
    again = await opened()
    found = await again.articles_of([second.url_md5, first.url_md5, unread.url_md5, "0" * 32])
    assert found == {
        entry.url_md5: KeptArticle(
            article=entry, first_seen=NOW, gone_at=NOW if entry is second else None
        )
        for entry in (first, second, unread)
    }
    assert await again.articles_of([]) == {}
