"""Default sections of the front page, and articles suggested to a reader.

No page waits for them: both are found in a thread of their own and kept for ten minutes. They draw on
the newest articles, and on each reader's marks, of which nobody else sees more than a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from focuscrawl.errors import ArgumentError
from focuscrawl.search.article_suggestions import (
    LikeIndex,
    Suggestion,
    TextIndex,
    distinct_tags,
    merged,
)
from focuscrawl.search.search_query import read_query
from focuscrawl.web.articles import reader_marks
from focuscrawl.web.articles.article_lists import MOST, by_keys, for_readers, listed_with
from focuscrawl.web.articles.reader_marks import Taste
from focuscrawl.web.articles.shown_articles import LONGEST_TAG, ShownArticle, from_listed
from focuscrawl.web.web_site import WebSite
from focuscrawl.web.worker_threads import WorkerThreads

_workers = WorkerThreads(1, "suggestions")
_RECENT, _PART, _LIKES, _LONGEST_TEXT = 3000, 500, 50_000, 2000
_SECTIONS, _LEAST_IN_SECTION = 6, 3
# More are found than shown, since editors may hide some.
_FOUND, _SHOWN = 24, 8


@dataclass(frozen=True, slots=True)
class RecentArticles:
    """The newest articles: the texts by key, and the keys of those with each tag of a section."""

    texts: dict[str, str]
    sections: dict[str, list[str]]


async def sections_of(site: WebSite) -> Mapping[str, Sequence[str] | None]:
    """Return the keywords of the sections of the front page: those set, else tags of the articles.

    The tags come with their articles, the newest first. There are none until they have been read.
    """
    if site.sections:
        return dict.fromkeys(site.sections)
    recent = site.recent_articles.ready("articles", partial(_read_recent, site))
    return recent.sections if recent else {}


async def _read_recent(site: WebSite) -> RecentArticles:
    found: list[ShownArticle] = []
    after = None
    for _ in range(_RECENT // _PART):
        part = await site.store.newest(_PART, after=after)
        found += await for_readers(site, [from_listed(one) for one in part])
        if len(part) < _PART:
            break
        after = part[-1].place
    return await _workers.run(_recent, found)


def _recent(articles: list[ShownArticle]) -> RecentArticles:
    tagged = [list(filter(_is_word, one.tags)) for one in articles]
    folded = [{*map(str.casefold, tags)} for tags in tagged]
    sections: dict[str, list[str]] = {}
    for tag in distinct_tags(tagged, _SECTIONS, _LEAST_IN_SECTION):
        same = (one for one, tags in zip(articles, folded, strict=True) if tag.casefold() in tags)
        sections[tag] = [one.url_md5 for one in islice(same, MOST)]
    return RecentArticles({one.url_md5: _text(one) for one in articles}, sections)


def _is_word(tag: str) -> bool:
    """Return whether articles with a tag can be searched for."""
    try:
        read_query(tag)
    except ArgumentError:
        return False
    return len(tag) <= LONGEST_TAG


def _text(article: ShownArticle) -> str:
    text = f"{article.plain_title} {' '.join(article.tags)} {article.plain_summary}"
    return text[:_LONGEST_TEXT]


async def suggested(site: WebSite, name: str) -> list[ShownArticle] | None:
    """Return the articles suggested to a user, each with its reasons; None while they are looked for.

    There are none for a user who has marked nothing since the last reset.
    """
    taste = await site.database.run(reader_marks.taste_of, name)
    if not taste.marked:
        return []
    found = site.suggestions.ready((name, taste.state), partial(_find, site, taste))
    if found is None:
        return None
    reasons = {one.key: one for one in found}
    shown = await for_readers(site, await listed_with(site, [*reasons]))
    return [
        replace(one, shared_words=reason.words, alike_readers=reason.readers)
        for one in shown[:_SHOWN]
        for reason in [reasons[one.url_md5]]
    ]


async def _find(site: WebSite, taste: Taste) -> list[Suggestion]:
    texts, likes = await site.recent_articles.get("indexes", partial(_index, site))
    marked = [_text(one) for one in await by_keys(site, taste.marked)]
    return await _workers.run(_suggest, texts, likes, marked, taste)


async def _index(site: WebSite) -> tuple[TextIndex, LikeIndex]:
    recent = await site.recent_articles.get("articles", partial(_read_recent, site))
    likes = await site.database.run(reader_marks.newest_likes, _LIKES)
    return await _workers.run(lambda: (TextIndex(recent.texts), LikeIndex(likes)))


def _suggest(
    texts: TextIndex, likes: LikeIndex, marked: list[str], taste: Taste
) -> list[Suggestion]:
    found = texts.like(marked, taste.own, _FOUND), likes.like(taste.liked, taste.own, _FOUND)
    return merged(found)[:_FOUND]
