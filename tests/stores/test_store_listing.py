"""Lists of articles, the newest first, and single articles, alike in SQL databases."""

from __future__ import annotations

from datetime import date, timedelta

from focuscrawl.items import Record, check_code
from focuscrawl.search.search_results import Scope
from focuscrawl.stores.database_urls import Database
from tests.stores.conftest import SQL
from tests.stores.record_examples import NOW, SERIES, SITE, article, gone, incomplete, numbered

STORE_KINDS = SQL

OTHER = "http://o.example/{n}.htm"
FUTURE = date.today() + timedelta(days=9)
MARKED = numbered(1, tags=["Python", '"quoted", 100%_'], published=date(2016, 3, 6))
RECORDS: list[Record] = [
    MARKED,
    numbered(2, published=date(2016, 3, 5), title="标" * 500, description="", body_text="文" * 500),
    numbered(3, published=None, description="", body_text="乱\0码"),
    numbered(4, published=date(2016, 3, 5), tags=["python"]),
    numbered(5, site="o.example", series=OTHER, url=OTHER.format(n=5), published=None),
    numbered(6, published=date(9999, 1, 1)),
    article(1, published=date(2016, 3, 5)),
    article(5, published=FUTURE),
    article(2, published=None, quotes=[]),
    article(3, published=date(2016, 3, 7)),
    gone(3),
    incomplete(4, published=date(2016, 3, 7), text=""),
]


async def test_the_newest_of_all_kinds_page_by_page(store: Database) -> None:
    await store.write(RECORDS)
    every = await store.newest(20)
    # What is dated in the future is last, behind what is undated.
    assert [one.published for one in every[-2:]] == [date(9999, 1, 1), FUTURE]
    places = [(one.published or date.min, one.url_md5) for one in every[:-2]]
    assert places == sorted(places, reverse=True)
    assert {one.url for one in every} == {
        *(entry.url for entry in RECORDS[:6]),
        *(article(n).url for n in (1, 2, 5)),
    }
    for size in (1, 2, 3):
        paged, after = [], None
        while part := await store.newest(size, after=after):
            paged += part
            after = part[-1].place
        assert paged == every


SCOPES = [
    (Scope(site=SITE), {article(n).url for n in (1, 2, 5)}),
    (Scope(site="o.example"), {OTHER.format(n=5)}),
    (Scope(series=OTHER), {OTHER.format(n=5)}),
    (Scope(series=SERIES, since=date(2016, 3, 6)), {MARKED.url, numbered(6).url}),
    (Scope(until=date(2016, 3, 5)), {numbered(n).url for n in (2, 4)} | {article(1).url}),
    (Scope(tag='"quoted", 100%_'), {MARKED.url}),
    (Scope(tag="python"), {numbered(4).url}),
    (Scope(tag="爬"), set()),
    (Scope(site="' or 1=1"), set()),
]


async def test_scopes(store: Database) -> None:
    await store.write(RECORDS)
    for scope, wanted in SCOPES:
        assert {one.url for one in await store.newest(20, scope=scope)} == wanted, scope


async def test_listed_ones_are_in_the_given_order_and_cut(store: Database) -> None:
    await store.write(RECORDS)
    keys = [check_code(url) for url in (numbered(2).url, "http://x/", article(1).url, MARKED.url)]
    cut, listed, short = await store.listed(keys)
    assert (len(cut.title), cut.summary) == (300, "文" * 300)
    assert (short.title, short.summary) == (MARKED.title, MARKED.description)
    assert (short.tags, short.author, short.first_seen) == (tuple(MARKED.tags), "李四", NOW)
    assert (listed.series, listed.tags, listed.site) == ("", (), SITE)
    assert listed.summary == article(1).text
    assert await store.listed([]) == []


async def test_a_whole_article(store: Database) -> None:
    await store.write(RECORDS)
    found = await store.whole(numbered(2).url_md5)
    assert found is not None
    assert (found.title, found.text, found.gone_at) == ("标" * 500, "文" * 500, None)
    broken = await store.whole(numbered(3).url_md5)
    assert broken is not None
    assert broken.text == "乱\0码"
    left = await store.whole(article(3).url_md5)
    assert left is not None
    assert (left.text, left.gone_at) == (article(3).text, NOW)
    assert await store.whole("0" * 32) is None
    assert await store.has_quotes(article(1).url_md5)
    assert not await store.has_quotes(article(2).url_md5)


async def test_sites_and_series(store: Database) -> None:
    assert (await store.sites(), await store.series()) == ([], [])
    await store.write(RECORDS)
    assert await store.sites() == [SITE, "n.example", "o.example"]
    assert await store.series() == [("n.example", SERIES), ("o.example", OTHER)]


async def test_headings_with_words_and_what_related_ones_share(store: Database) -> None:
    await store.write([*RECORDS, numbered(9, title="玉米", tags=["Python"], published=None)])
    assert await store.headed("玉米 python") == [numbered(9).url_md5]
    first = await store.headed("python", 1)
    assert first == [MARKED.url_md5]
    assert await store.headed("python", scope=Scope(tag="python")) == [numbered(4).url_md5]
    related = {one.number: one for one in await store.related(numbered(4).url)}
    assert related[1].shared_tags == ("Python",)
    assert "教程" in related[1].shared_words
    found = await store.search("教程", scope=Scope(since=date(2016, 3, 5), until=date(2016, 3, 5)))
    assert [one.number for one in found] == [4]
