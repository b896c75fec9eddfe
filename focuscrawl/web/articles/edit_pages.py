"""Pages where editors hide, tag and correct an article."""

from __future__ import annotations

import re

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.errors import ArgumentError
from focuscrawl.search.search_results import WholeArticle
from focuscrawl.web.accounts.account_pages import author_of
from focuscrawl.web.accounts.change_log import newest_changes
from focuscrawl.web.articles.article_edits import NONE, Correction, correct
from focuscrawl.web.articles.article_pages import OpenedArticle, opened_article
from focuscrawl.web.articles.shown_articles import LONGEST_SUMMARY, LONGEST_TITLE, line
from focuscrawl.web.page_rendering import page
from focuscrawl.web.query_values import checked
from focuscrawl.web.web_site import site_of

_BETWEEN_TAGS = re.compile(r"\s*[,，、;；\n]\s*")
_CHANGES, _TAGS, _LONGEST_TAG = 50, 30, 100


class EditForm(BaseModel):
    """The form of a correction; ``state`` tells which one it showed."""

    state: str
    is_hidden: bool = False
    title: str = Field("", max_length=LONGEST_TITLE)
    summary: str = Field("", max_length=LONGEST_SUMMARY)
    tags: str = Field("", max_length=_TAGS * _LONGEST_TAG)


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
    tags = _tags(given)
    if len(tags) > _TAGS or any(len(tag) > _LONGEST_TAG for tag in tags):
        raise ArgumentError(f"tags: at most {_TAGS}, of {_LONGEST_TAG} characters each")
    return None if tags == _tags(asked) else tags


def _tags(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for tag in _BETWEEN_TAGS.split(text.strip()) if tag))
