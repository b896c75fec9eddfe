"""Lists of articles: those of the front page, given ones, related ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection

from focuscrawl.errors import ArgumentError
from focuscrawl.search.search_query import Query, read_query
from focuscrawl.search.search_results import Related
from focuscrawl.web.articles import article_edits, reader_marks
from focuscrawl.web.articles.reader_marks import ArticleCounts
from focuscrawl.web.articles.shown_articles import (
    ShownArticle,
    corrected,
    from_found,
    from_listed,
)
from focuscrawl.web.web_site import WebSite

MOST = 200
"""Maximum number of articles of a section among which the most liked are looked for."""
_RELATED = 8
_COMMA = re.compile("[,，]")
# More are read than shown, since editors may have hidden some.
_READ, _ON_FRONT, _IN_SECTION = 16, 8, 5


async def by_keys(
    site: WebSite, url_md5s: Sequence[str], *, is_editor: bool = False
) -> list[ShownArticle]:
    """Return the stored ones of the given articles, in their order."""
    listed = await site.store.listed(url_md5s) if url_md5s else []
    return await for_readers(site, [from_listed(one) for one in listed], is_editor=is_editor)


def read_sections(text: str) -> tuple[str, ...]:
    """Return the keywords of the sections of the front page, from a comma-separated text.

    Raises ArgumentError for a keyword that no article can have.
    """
    keywords = tuple(dict.fromkeys(filter(None, map(str.strip, _COMMA.split(text)))))
    for keyword in keywords:
        try:
            read_query(keyword)
        except ArgumentError as error:
            raise ArgumentError(f"FOCUSCRAWL_WEB_SECTIONS: {error}") from error
    return keywords


@dataclass(frozen=True, slots=True)
class FrontLists:
    """The lists of the front page."""

    newest: list[ShownArticle]
    read: list[ShownArticle]
    liked: list[ShownArticle]
    sections: dict[str, list[ShownArticle]]


async def front_lists(site: WebSite, keywords: Mapping[str, Sequence[str] | None]) -> FrontLists:
    """Return the lists of the front page: the newest, most read and most liked, and sections.

    A section has the articles with a keyword that are liked and read most, then the newest: the given
    ones, in that order, or those of the store that have it in title or tags.
    """
    read, liked = await site.database.run(_most)
    lists = [
        await site.article_lists.get("newest", partial(_newest, site)),
        await listed_with(site, read),
        await listed_with(site, liked),
        *[await _section(site, keyword, keys) for keyword, keys in keywords.items()],
    ]
    every = {one.url_md5: one for listed in lists for one in listed}
    shown = {one.url_md5: one for one in await for_readers(site, [*every.values()])}
    found = [[shown[one.url_md5] for one in part if one.url_md5 in shown] for part in lists]
    sections = {
        keyword: part[:_IN_SECTION]
        for keyword, part in zip(keywords, found[3:], strict=True)
        if part
    }
    newest, most_read, most_liked = (part[:_ON_FRONT] for part in found[:3])
    return FrontLists(newest, most_read, most_liked, sections)


async def _newest(site: WebSite) -> list[ShownArticle]:
    return [from_listed(one) for one in await site.store.newest(_READ)]


def _most(connection: Connection) -> tuple[list[str], list[str]]:
    return (
        reader_marks.most(connection, "reads", _READ),
        reader_marks.most(connection, "likes", _READ),
    )


async def listed_with(site: WebSite, keys: Sequence[str]) -> list[ShownArticle]:
    """Return the stored ones of the given articles, as stored, in their order."""

    async def read() -> list[ShownArticle]:
        return [from_listed(one) for one in await site.store.listed(keys)]

    return await site.article_lists.get(("keys", *keys), read)


async def _section(site: WebSite, keyword: str, given: Sequence[str] | None) -> list[ShownArticle]:
    async def read() -> list[ShownArticle]:
        keys = given or await site.store.headed(keyword, MOST)
        counts = await site.database.run(reader_marks.counts_of, keys)
        best = sorted(keys, key=lambda key: _worth(counts.get(key, ArticleCounts())), reverse=True)
        return [from_listed(one) for one in await site.store.listed(best[:_READ])]

    return await site.article_lists.get(("section", keyword), read)


def _worth(counts: ArticleCounts) -> tuple[int, int]:
    return counts.likes, counts.reads


async def related(site: WebSite, url: str) -> list[ShownArticle]:
    """Return the articles related to a numbered one, and what they share with it."""
    found: list[Related] = await site.related_articles.get(
        url, lambda: site.store.related(url, _RELATED)
    )
    return await for_readers(site, [from_found(one) for one in found])


async def known_related(site: WebSite, url: str) -> list[ShownArticle] | None:
    """Return the related articles if they were looked up recently, otherwise None."""
    found = site.related_articles.known(url)
    return None if found is None else await related(site, url)


async def for_readers(
    site: WebSite,
    articles: Sequence[ShownArticle],
    query: Query | None = None,
    *,
    is_editor: bool = False,
) -> list[ShownArticle]:
    """Return articles with corrections and counts, without hidden ones but for editors."""
    if not articles:
        return []
    keys = [one.url_md5 for one in articles]
    corrections, counts = await site.database.run(additions, keys)
    every = [
        corrected(
            one,
            corrections.get(one.url_md5, article_edits.NONE),
            counts.get(one.url_md5, ArticleCounts()),
            query,
        )
        for one in articles
    ]
    return [one for one in every if is_editor or not one.is_hidden]


def additions(
    connection: Connection, keys: Sequence[str]
) -> tuple[dict[str, article_edits.Correction], dict[str, ArticleCounts]]:
    """Return corrections and counts of articles, those that have any."""
    corrections = article_edits.corrections_of(connection, keys)
    return corrections, reader_marks.counts_of(connection, keys)
