"""Lists of articles: the newest, those with a tag, those that a search finds, related ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import Connection

from focuscrawl.errors import ArgumentError
from focuscrawl.search.search_query import Query, read_query
from focuscrawl.search.search_results import (
    EVERYWHERE,
    ListedArticle,
    Place,
    Related,
    Scope,
    newest_first,
)
from focuscrawl.text.character_folding import normal_characters
from focuscrawl.web.articles import article_edits, reader_marks
from focuscrawl.web.articles.reader_marks import ArticleCounts
from focuscrawl.web.articles.shown_articles import (
    LONGEST_TAG,
    ShownArticle,
    corrected,
    from_found,
    from_listed,
)
from focuscrawl.web.web_site import WebSite

PER_PAGE, _PAGES = 20, 10
MOST = PER_PAGE * _PAGES
"""Maximum number of articles that a search lists; only so many are ranked by their texts."""
_KEPT, _RELATED = 30, 8
_COMMA = re.compile("[,，]")
# More are read than shown, since editors may have hidden some.
_READ, _ON_FRONT, _IN_SECTION = 16, 8, 5


class ListQuery(BaseModel):
    """The query of a list; ``after`` continues a list of the newest articles."""

    q: str = ""
    site: str = Field("", max_length=255)
    series: str = Field("", max_length=700)
    tag: str = Field("", max_length=LONGEST_TAG)
    since: date | None = None
    until: date | None = None
    least: float = Field(0.0, ge=0.0, le=1.0)
    page: int = Field(1, ge=1, le=_PAGES)
    after: str = Field("", pattern=r"^((\d{4}-\d\d-\d\d)?\.[0-9a-f]{32})?$")

    @property
    def scope(self) -> Scope:
        """The scope for the store."""
        names = self.site or None, self.series or None, self.tag or None
        return Scope(*names, self.since, self.until, self.least)

    @property
    def words(self) -> str:
        """The words to search for."""
        return self.q.strip()

    @property
    def has_filters(self) -> bool:
        """Whether there is more to it than words."""
        return self.scope != EVERYWHERE

    @property
    def kept(self) -> dict[str, str]:
        """The values that a saved search keeps."""
        return {
            name: str(value).strip()
            for name, value in self.model_dump(exclude={"page", "after"}).items()
            if value and str(value).strip()
        }


@dataclass(frozen=True, slots=True)
class ArticleListPage:
    """A page of a list, the query values of the next one, and how many were found, where known."""

    articles: list[ShownArticle]
    following: dict[str, Any] | None = None
    number: int | None = None
    is_all: bool = True


async def page_of(site: WebSite, query: ListQuery, *, is_editor: bool = False) -> ArticleListPage:
    """Return a page of the articles that a query asks for."""
    if query.words:
        return await _found(site, query, is_editor)
    if query.tag:
        return await _tagged(site, query, is_editor)
    return await _newest(site, query, is_editor)


async def newest_of(site: WebSite, query: ListQuery, limit: int) -> list[ShownArticle]:
    """Return the newest of the articles that a query asks for, best matches or not."""
    if query.words:
        found = await _search(site, query.words, query.scope)
    elif query.tag:
        found = await _with_tag(site, query)
    else:
        found = await _list(site, query.scope, None)
    shown = await for_readers(site, found)
    if query.tag and not query.words:
        shown = [one for one in shown if query.tag in one.tags]
    return sorted(shown, key=lambda one: newest_first(one.place), reverse=True)[:limit]


async def _found(site: WebSite, query: ListQuery, is_editor: bool) -> ArticleListPage:
    found = await _search(site, query.words, query.scope)
    is_all = len(found) < MOST
    if query.page == 1:
        known = {one.url_md5 for one in found}
        found = [*await _corrected_to(site, query, known), *found]
    if not is_editor:
        hidden = await site.database.run(article_edits.hidden_among, [one.url_md5 for one in found])
        found = [one for one in found if one.url_md5 not in hidden]
    part, following = _sliced(found, query.page)
    part = await _with_tags(site, part)
    shown = await for_readers(site, part, read_query(query.words), is_editor=is_editor)
    if query.tag:
        # Editors may have removed it.
        shown = [one for one in shown if query.tag in one.tags]
    return ArticleListPage(shown, following, len(found), is_all=is_all)


async def _search(site: WebSite, words: str, scope: Scope) -> list[ShownArticle]:
    async def read() -> list[ShownArticle]:
        return [from_found(one) for one in await site.store.search(words, MOST, scope=scope)]

    return await site.article_lists.get(("search", words, scope), read)


async def _with_tags(site: WebSite, found: Sequence[ShownArticle]) -> list[ShownArticle]:
    """Add authors and tags, in which a search looks, too."""
    known = {
        one.url_md5: one for one in await listed_with(site, [entry.url_md5 for entry in found])
    }
    return [
        replace(one, author=known[one.url_md5].author, tags=known[one.url_md5].tags)
        if one.url_md5 in known
        else one
        for one in found
    ]


async def _corrected_to(site: WebSite, query: ListQuery, known: set[str]) -> list[ShownArticle]:
    """Return the articles that have the words since an editor corrected them, and only since."""
    worded = await site.database.run(article_edits.worded_by_editors)
    wanted = read_query(query.words)
    keys = [
        key
        for key, entry in worded.items()
        if key not in known
        and _has_words(wanted, f"{entry.title} {entry.summary} {' '.join(entry.tags or ())}")
    ]
    listed = await site.store.listed(keys[:MOST]) if keys else []
    return [from_listed(one) for one in listed if _is_within(one, query)]


def _has_words(query: Query, text: str) -> bool:
    return all(query.is_in(piece, normal_characters(text)) for piece in query.pieces)


def _is_within(article: ListedArticle, query: ListQuery) -> bool:
    day = article.published
    return (
        query.site in ("", article.site)
        and query.series in ("", article.series)
        and (query.since is None or (day is not None and day >= query.since))
        and (query.until is None or (day is not None and day <= query.until))
    )


async def _tagged(site: WebSite, query: ListQuery, is_editor: bool) -> ArticleListPage:
    listed = await _with_tag(site, query)
    shown = await for_readers(site, listed, is_editor=is_editor)
    # Editors may have removed the tag.
    shown = [one for one in shown if query.tag in one.tags]
    part, following = _sliced(shown, query.page)
    return ArticleListPage(part, following, len(shown), is_all=len(listed) < MOST)


async def _with_tag(site: WebSite, query: ListQuery) -> list[ShownArticle]:
    added = await site.database.run(article_edits.tagged_by_editors, query.tag)
    found = await site.article_lists.get(
        ("tag", query.scope), lambda: _stored_with_tag(site, query.scope)
    )
    known = {one.url_md5 for one in found}
    more = await site.store.listed([key for key in added if key not in known]) if added else []
    every = [*found, *(from_listed(one) for one in more if _is_within(one, query))]
    return sorted(every, key=lambda one: newest_first(one.place), reverse=True)


async def _stored_with_tag(site: WebSite, scope: Scope) -> list[ShownArticle]:
    tag = scope.tag or ""
    if re.search(r"[^\W_]", tag):
        listed = await site.store.listed(await site.store.headed(tag, MOST, scope=scope))
    else:
        # No word that the index has.
        listed = await site.store.newest(MOST, scope=scope)
    return [from_listed(one) for one in listed]


async def _newest(site: WebSite, query: ListQuery, is_editor: bool) -> ArticleListPage:
    listed = await _list(site, query.scope, _place(query.after))
    shown = await for_readers(site, listed[:PER_PAGE], is_editor=is_editor)
    if len(listed) <= PER_PAGE:
        return ArticleListPage(shown)
    day, key = listed[PER_PAGE - 1].place
    return ArticleListPage(shown, {"after": f"{day or ''}.{key}"})


async def _list(site: WebSite, scope: Scope, after: Place | None) -> list[ShownArticle]:
    if scope.series and not scope.site:
        # The index over the days of a site serves for its series.
        owner = {series: host for host, series in (await choices(site))[1]}
        scope = replace(scope, site=owner.get(scope.series), tag=None)

    async def read() -> list[ShownArticle]:
        found = await site.store.newest(_KEPT, scope=scope, after=after)
        return [from_listed(one) for one in found]

    return await site.article_lists.get(("newest", scope, after), read)


def _place(after: str) -> Place | None:
    if not after:
        return None
    day, _, key = after.partition(".")
    try:
        return (date.fromisoformat(day) if day else None), key
    except ValueError as error:
        raise ArgumentError(f"after = {after!r}: {error}") from error


def _sliced(
    found: Sequence[ShownArticle], page: int
) -> tuple[list[ShownArticle], dict[str, Any] | None]:
    start, end = (page - 1) * PER_PAGE, page * PER_PAGE
    has_more = len(found) > end and page < _PAGES
    return list(found[start:end]), {"page": page + 1} if has_more else None


async def choices(site: WebSite) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the sites with articles, and the series, each with its site."""

    async def read() -> tuple[list[str], list[tuple[str, str]]]:
        return await site.store.sites(), await site.store.series()

    return await site.article_lists.get("choices", read)


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
        (await _list(site, EVERYWHERE, None))[:_READ],
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
