"""Pages of articles: the front page, lists and searches, one article, and its related ones."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from functools import partial
from itertools import islice
from urllib.parse import urljoin, urlsplit
from uuid import NAMESPACE_URL, UUID, uuid5

from pydantic import BaseModel, Field
from selectolax.lexbor import LexborHTMLParser
from sqlalchemy import Connection
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from focuscrawl.errors import ArgumentError
from focuscrawl.network.address_rules import (
    is_private_name,
    is_public,
    literal_address,
    normal_host,
    reference,
)
from focuscrawl.search.article_suggestions import (
    LikeIndex,
    Suggestion,
    TextIndex,
    distinct_tags,
    merged,
)
from focuscrawl.search.search_query import read_query
from focuscrawl.search.search_results import ListedArticle, WholeArticle
from focuscrawl.web.accounts.account_pages import author_of
from focuscrawl.web.accounts.change_log import Author, log_change, newest_changes
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.articles import article_lists, reader_marks
from focuscrawl.web.articles.article_edits import (
    MOST_TAGS,
    NONE,
    Correction,
    correct,
    retag,
)
from focuscrawl.web.articles.article_lists import (
    MOST,
    by_keys,
    for_readers,
    listed_with,
)
from focuscrawl.web.articles.read_texts import marked_read
from focuscrawl.web.articles.reader_marks import ArticleCounts, Taste
from focuscrawl.web.articles.shown_articles import (
    LONGEST_SUMMARY,
    LONGEST_TAG,
    LONGEST_TEXT,
    LONGEST_TITLE,
    ShownArticle,
    corrected,
    from_listed,
    line,
    paragraphs,
)
from focuscrawl.web.atom_feed import FeedEntry, feed_response
from focuscrawl.web.error_pages import existing
from focuscrawl.web.message_catalogue import message
from focuscrawl.web.page_rendering import language_of, page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import checked, local_path, with_query
from focuscrawl.web.search_pages import SearchQuery, newest_of, reword
from focuscrawl.web.security_headers import HEADERS
from focuscrawl.web.web_site import WebSite, origin_of, site_of
from focuscrawl.web.worker_threads import WorkerThreads

_log = logging.getLogger(__name__)
_KEY = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class OpenedArticle:
    """An article as stored and as shown."""

    stored: WholeArticle
    correction: Correction
    shown: ShownArticle


async def front_page(request: Request) -> Response:
    """Show the newest, most read and most liked articles, the sections, and what is suggested."""
    site = site_of(request)
    lists = await article_lists.front_lists(site, await sections_of(site))
    return page(
        request, "articles/front.html", {"lists": lists, "suggested": await _suggested(request)}
    )


async def suggestions_page(request: Request) -> Response:
    """Show the articles suggested to a reader, or that they are still looked for."""
    return page(request, "articles/for_you.html", {"suggested": await _suggested(request)})


async def _suggested(request: Request) -> list[ShownArticle] | None:
    visitor = request.state.visitor
    if not visitor.may(Permission.KEEP):
        return []
    return await suggested(site_of(request), visitor.name)


async def reset_suggestions(request: Request) -> Response:
    """Let suggestions draw on later likes and reading lists only."""
    name = request.state.visitor.name
    await site_of(request).database.run(reader_marks.forget_taste, name)
    return RedirectResponse("/articles", status_code=303)


async def article_page(request: Request) -> Response:
    """Show an article."""
    opened = await opened_article(request)
    site, visitor = site_of(request), request.state.visitor
    stored = opened.stored
    values = {
        "article": opened.shown,
        "stored": stored,
        "title": opened.correction.title or line(stored.title, LONGEST_TITLE),
        "summary": opened.correction.summary or _lead(stored),
        "paragraphs": paragraphs(stored.text),
        "is_cut": len(stored.text) > LONGEST_TEXT,
        "own": await site.database.run(reader_marks.own_marks, visitor.name, stored.url_md5),
        "related": await article_lists.known_related(site, stored.url) if stored.series else [],
        "pictures": pictures_of(stored),
        "has_prices": not stored.series and await site.store.has_quotes(stored.url_md5),
    }
    response = page(request, "articles/article.html", values)
    return marked_read(request, response, stored.url_md5, is_counted=True)


def _lead(article: WholeArticle) -> str:
    """Return the summary, empty if it is the beginning of the text."""
    is_repeated = "".join(article.text.split()).startswith("".join(article.summary.split()))
    return "" if is_repeated else line(article.summary, LONGEST_SUMMARY)


async def related_page(request: Request) -> Response:
    """Show the articles related to one, and what they share with it."""
    opened = await opened_article(request)
    stored = opened.stored
    found = await article_lists.related(site_of(request), stored.url) if stored.series else []
    values = {"article": opened.shown, "related": found}
    return page(request, "articles/related.html", values)


async def pictures_page(request: Request) -> Response:
    """Show the pictures of an article, which the browser loads from their sites."""
    opened = await opened_article(request)
    pictures = pictures_of(opened.stored)
    values = {"article": opened.shown, "pictures": pictures}
    response = page(request, "articles/pictures.html", values)
    response.headers[POLICY] = policy_for(pictures)
    return response


async def kept_file(request: Request) -> Response:
    """Return a file that was kept of an article, to be saved and never shown; 404 if it is not one."""
    stored, digest = (await opened_article(request)).stored, request.path_params["digest"]
    folder = site_of(request).files or site_of(request).data / "files"
    paths = folder.glob(f"{digest}.*") if digest in stored.files else ()
    # One that is being written has two suffixes.
    path = existing(next((one for one in paths if one.stem == digest), None))
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


async def opened_article(request: Request) -> OpenedArticle:
    """Return the article of an address; raises 404 if there is none, or none for this reader."""
    key, site = request.path_params["url_md5"], site_of(request)
    stored = existing(await site.store.whole(key) if _KEY.fullmatch(key) else None)
    corrections, counts = await site.database.run(article_lists.additions, [key])
    correction = corrections.get(key, NONE)
    if correction.is_hidden and not request.state.visitor.may(Permission.EDIT):
        raise HTTPException(404)
    shown = corrected(from_listed(stored), correction, counts.get(key, ArticleCounts()))
    return OpenedArticle(stored, correction, shown)


# Pages where editors hide, tag and correct an article.

_BETWEEN_TAGS = re.compile(r"\s*[,，、;；\n]\s*")
_CHANGES, _LONGEST_TAG = 50, 100
_MOST_AT_ONCE = 200
_WITH_STATE = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{16})")


class EditForm(BaseModel):
    """The form of a correction; ``state`` identifies the one it showed."""

    state: str
    is_hidden: bool = False
    title: str = Field("", max_length=LONGEST_TITLE)
    summary: str = Field("", max_length=LONGEST_SUMMARY)
    tags: str = Field("", max_length=MOST_TAGS * _LONGEST_TAG)


async def edit_page(request: Request) -> Response:
    """Show what is corrected of an article, and the log of it."""
    opened = await opened_article(request)
    site, stored = site_of(request), opened.stored
    values = {
        "article": opened.shown,
        "stored": stored,
        "is_corrected": opened.correction != NONE,
        "state": opened.correction.state,
        "filled": _filled(stored, opened.correction),
        "changes": await site.database.run(newest_changes, _CHANGES, None, stored.url),
        "longest": {"title": LONGEST_TITLE, "summary": LONGEST_SUMMARY},
    }
    return page(request, "articles/edit.html", values)


async def edit(request: Request) -> Response:
    """Correct an article."""
    opened = await opened_article(request)
    values = {name: str(value) for name, value in (await request.form()).items()}
    form = checked(EditForm, values)
    asked = _filled(opened.stored, NONE)
    new = Correction(
        is_hidden=form.is_hidden,
        title=_changed(form.title, asked["title"]),
        summary=_changed(form.summary, asked["summary"]),
        tags=_changed_tags(form.tags, asked["tags"]),
    )
    return await _corrected(request, opened, form.state, new)


async def withdraw(request: Request) -> Response:
    """Withdraw a correction, so that the article is as the crawl stored it."""
    opened = await opened_article(request)
    form = checked(EditForm, {"state": str((await request.form()).get("state", ""))})
    return await _corrected(request, opened, form.state, NONE)


async def _corrected(
    request: Request, opened: OpenedArticle, state: str, new: Correction
) -> Response:
    key, url = opened.stored.url_md5, opened.stored.url
    await site_of(request).database.run(correct, author_of(request), key, url, state, new)
    await reword(site_of(request), [key])
    return RedirectResponse(f"/articles/{key}", status_code=303)


def _filled(stored: WholeArticle, correction: Correction) -> dict[str, str]:
    """Return what the fields of the form show."""
    tags = stored.tags if correction.tags is None else correction.tags
    return {
        "title": correction.title or line(stored.title, LONGEST_TITLE - 1),
        "summary": correction.summary or line(stored.summary, LONGEST_SUMMARY - 1),
        "tags": "，".join(tags),
    }


def _changed(given: str, asked: str) -> str | None:
    """Return a text in one line, None if it is the stored one or empty."""
    text = " ".join(given.split())
    return None if text in ("", " ".join(asked.split())) else text


def _changed_tags(given: str, asked: str) -> tuple[str, ...] | None:
    tags = _checked_tags(given)
    return None if tags == _tags(asked) else tags


def _checked_tags(given: str) -> tuple[str, ...]:
    tags = _tags(given)
    if len(tags) > MOST_TAGS or any(len(tag) > _LONGEST_TAG for tag in tags):
        raise ArgumentError(f"tags: at most {MOST_TAGS}, of {_LONGEST_TAG} characters each")
    return tags


def _tags(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for tag in _BETWEEN_TAGS.split(text.strip()) if tag))


async def edit_many(request: Request) -> Response:
    """Add tags to articles of a list and remove others, or withdraw all corrections of them.

    Tags are added to whatever another editor gave meanwhile; withdrawing is refused then (409).
    """
    form, site = await request.form(), site_of(request)
    chosen = form.getlist("shown" if form.get("every") else "article")
    matches = filter(None, (_WITH_STATE.fullmatch(str(one)) for one in chosen))
    states = {match[1]: match[2] for match in matches}
    if not 0 < len(states) <= _MOST_AT_ONCE:
        raise ArgumentError(f"choose 1 to {_MOST_AT_ONCE} articles")
    articles = await site.store.listed([*states])
    run, author, action = site.database.run, author_of(request), str(form.get("action"))
    if action == "withdraw":
        await run(_withdraw_many, author, articles, states)
    elif action == "tag":
        added, removed = (_checked_tags(str(form.get(name, ""))) for name in ("added", "removed"))
        if not added and not removed:
            raise ArgumentError("give tags to add or to remove")
        await run(retag, author, articles, added, removed)
    else:
        raise ArgumentError(f"action = {action!r}: tag or withdraw")
    await reword(site, [*states])
    return RedirectResponse(local_path(str(form.get("next", "/search"))), status_code=303)


def _withdraw_many(
    connection: Connection,
    author: Author,
    articles: Sequence[ListedArticle],
    states: Mapping[str, str],
) -> None:
    for one in articles:
        correct(connection, author, one.url_md5, one.url, states[one.url_md5], NONE)


# Pages for what readers keep: likes, the reading list, saved searches and their feeds.

_ENTRIES = 30


async def like(request: Request) -> Response:
    """Like an article, or like it no longer."""
    return await _mark(request, _like)


def _like(connection: Connection, author: Author, article: WholeArticle, is_liked: bool) -> None:
    if reader_marks.set_like(connection, author.name, article.url_md5, is_liked):
        action = "article.like" if is_liked else "article.unlike"
        log_change(connection, author, action, article.url)


async def keep(request: Request) -> Response:
    """Add an article to the reading list, or remove it."""
    return await _mark(request, _keep)


def _keep(connection: Connection, author: Author, article: WholeArticle, is_kept: bool) -> None:
    # Not in the log of changes: what somebody wants to read is nobody else's business.
    reader_marks.set_kept(connection, author.name, article.url_md5, is_kept)


async def _mark(request: Request, change: Callable[..., None]) -> Response:
    opened = await opened_article(request)
    form = await request.form()
    action = str(form.get("action"))
    if action not in ("add", "remove"):
        raise ArgumentError(f"action = {action!r}: add or remove")
    run, author = site_of(request).database.run, author_of(request)
    await run(change, author, opened.stored, action == "add")
    return RedirectResponse(f"/articles/{opened.stored.url_md5}", status_code=303)


async def own_page(request: Request) -> Response:
    """Show the reading list, the liked articles and the saved searches."""
    site, name = site_of(request), request.state.visitor.name
    kept, liked = await site.database.run(reader_marks.own_lists, name)
    values = {
        "kept": await article_lists.by_keys(site, kept),
        "liked": await article_lists.by_keys(site, liked),
        "searches": await site.database.run(reader_marks.searches_of, name),
        "base": origin_of(request),
    }
    return page(request, "articles/own.html", values)


async def save_search(request: Request) -> Response:
    """Save a search."""
    query = checked(
        SearchQuery, {name: str(value) for name, value in (await request.form()).items()}
    )
    if not query.kept:
        raise ArgumentError("there is nothing to save; give words, a site, a series, a tag or days")
    if query.q:
        # Refuses what no search would take.
        await newest_of(site_of(request), query, 1)
    name = request.state.visitor.name
    await site_of(request).database.run(reader_marks.save_search, name, query.kept)
    return RedirectResponse("/mine#searches", status_code=303)


async def change_search(request: Request) -> Response:
    """Give a saved search another address, or delete it."""
    run, name = site_of(request).database.run, request.state.visitor.name
    number, action = request.path_params["number"], str((await request.form()).get("action"))
    if not await run(reader_marks.has_search, name, number):
        raise HTTPException(404)
    if action == "renew":
        await run(reader_marks.renew_address, name, number)
    elif action == "delete":
        await run(reader_marks.delete_search, name, number)
    else:
        raise ArgumentError(f"action = {action!r}: renew or delete")
    return RedirectResponse("/mine#searches", status_code=303)


async def feed(request: Request) -> Response:
    """Return a saved search as a feed; its address is the secret."""
    site = site_of(request)
    token = request.path_params["token"]
    search = existing(await site.database.run(reader_marks.search_at, token))
    query, base = checked(SearchQuery, dict(search.query)), origin_of(request)
    listed = with_query(f"{base}/search", **search.query)
    entries = [
        FeedEntry(
            key=UUID(one.url_md5),
            title=one.plain_title,
            summary=one.plain_summary,
            author=one.author or one.site,
            address=f"{base}{one.address}" if one.address else listed,
            updated=_updated(one.published, search.saved_at),
            tags=one.tags,
        )
        for one in await newest_of(site, query, _ENTRIES)
    ]
    title = f"{' · '.join(search.query.values())} · {message('site.name', language_of(request))}"
    key = uuid5(NAMESPACE_URL, f"focuscrawl search {search.number} {search.saved_at}")
    return feed_response(key, title, listed, search.saved_at, entries)


def _updated(day: date | None, saved_at: datetime) -> datetime:
    return datetime.combine(day, time.min, UTC) if day else saved_at


# Routes of the pages of articles.

ROUTES = (
    PageRoute("/articles", front_page, Permission.READ),
    PageRoute("/articles/for-you", suggestions_page, Permission.KEEP),
    PageRoute("/articles/edit", edit_many, Permission.EDIT, ("POST",)),
    PageRoute("/articles/feeds/{token}.atom", feed, Permission.PUBLIC),
    PageRoute("/articles/{url_md5}", article_page, Permission.READ),
    PageRoute("/articles/{url_md5}/related", related_page, Permission.READ),
    PageRoute("/articles/{url_md5}/pictures", pictures_page, Permission.READ),
    PageRoute("/articles/{url_md5}/files/{digest}", kept_file, Permission.READ),
    PageRoute("/articles/{url_md5}/like", like, Permission.KEEP, ("POST",)),
    PageRoute("/articles/{url_md5}/keep", keep, Permission.KEEP, ("POST",)),
    PageRoute("/articles/{url_md5}/edit", edit_page, Permission.EDIT),
    PageRoute("/articles/{url_md5}/edit", edit, Permission.EDIT, ("POST",)),
    PageRoute("/articles/{url_md5}/withdraw", withdraw, Permission.EDIT, ("POST",)),
    PageRoute("/mine", own_page, Permission.KEEP),
    PageRoute("/mine/suggestions", reset_suggestions, Permission.KEEP, ("POST",)),
    PageRoute("/mine/searches", save_search, Permission.KEEP, ("POST",)),
    PageRoute("/mine/searches/{number:number}", change_search, Permission.KEEP, ("POST",)),
)


# Pictures of articles: by link, and loaded from their site on a page of their own only.


POLICY = "Content-Security-Policy"
MOST_PICTURES = 40
_LONGEST_HTML, _LONGEST_LINK = 2_000_000, 2000
# Sites that load pictures when they are scrolled to have a blank one in src.
_SOURCES = ("data-original", "data-src", "src")
_HOST = re.compile(r"[a-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by its address, and what its site says that it shows."""

    address: str
    text: str

    @property
    def origin(self) -> str:
        """Scheme and host, as in a content security policy."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"


def pictures_of(article: WholeArticle) -> list[Picture]:
    """Return the first pictures of an article, each once; none of a private host."""
    if "<img" not in article.html.lower():
        return []
    found: dict[str, Picture] = {}
    for node in LexborHTMLParser(article.html[:_LONGEST_HTML]).css("img"):
        attributes = node.attributes
        links = (reference(attributes.get(name) or "") for name in _SOURCES)
        address = _public(article.url, next(filter(None, links), ""))
        if address and len(found) < MOST_PICTURES:
            found.setdefault(address, Picture(address, line(attributes.get("alt") or "")))
    return [*found.values()]


def _public(base: str, link: str) -> str:
    """Return the address of a link at a public host, otherwise '': a reader's own network is none."""
    try:
        parts = urlsplit(urljoin(base, link[:_LONGEST_LINK]))
        host, port = normal_host(parts.hostname or ""), parts.port
    except ValueError:
        return ""
    literal = literal_address(host)
    is_reachable = is_public(literal) if literal else not is_private_name(host)
    # Nothing but a host may get into the policy.
    if not (link and parts.scheme in ("http", "https") and is_reachable and _HOST.fullmatch(host)):
        return ""
    return parts._replace(netloc=f"{host}:{port}" if port else host, fragment="").geturl()


def policy_for(pictures: Sequence[Picture]) -> str:
    """Return the content security policy of a page that loads pictures, and nothing else, elsewhere."""
    origins = " ".join(dict.fromkeys(one.origin for one in pictures))
    return HEADERS[POLICY].replace("img-src 'self'", f"img-src 'self' {origins}")


# Default sections of the front page, and articles suggested to a reader.


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
