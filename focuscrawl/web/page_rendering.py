"""Rendering of pages from templates."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from focuscrawl.web.message_catalogue import (
    LANGUAGES,
    Language,
    best_language,
    glossary,
    message,
    said,
)
from focuscrawl.web.query_values import web_link, with_query, with_value
from focuscrawl.web.web_site import site_of

LANGUAGE_COOKIE = "language"
_templates = Environment(
    loader=PackageLoader("focuscrawl.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters["web_link"] = web_link
_templates.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "sort_keys": True}


def language_of(request: Request) -> Language:
    """Return the language that a visitor has chosen, or that the browser prefers."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    for language in LANGUAGES:
        if chosen == language:
            return language
    return best_language(request.headers.get("accept-language", ""))


def page(
    request: Request, template: str, values: Mapping[str, Any], status: int = 200
) -> HTMLResponse:
    """Return the page of a template.

    Templates have ``t`` (texts), ``said`` (sentences of crawls), ``term`` (texts that the glossary explains), ``visitor``, ``assets``, ``language``, ``here`` (this address) and
    ``address`` (an address with other values in its query), ``with_value`` (an address with one
    more value), in addition to the given values.
    """
    language = language_of(request)
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    shared = {
        "t": partial(message, language=language),
        "said": partial(said, language=language),
        "term": partial(_term, language=language),
        "language": language,
        "visitor": request.state.visitor,
        "has_users": request.state.has_users,
        "assets": site_of(request).assets,
        "path": request.url.path,
        "here": here,
        "address": with_query,
        "with_value": with_value,
    }
    return HTMLResponse(_templates.get_template(template).render(shared | dict(values)), status)


def _term(key: str, language: Language) -> Markup:
    """Return a text that leads to its explanation, past htmx, which would stay at the top; it shows it, too."""
    link = '<a class="term" href="/help#{0}" title="{1}" hx-boost="false">{2}</a>'
    return Markup(link).format(key, glossary()[key][language], message(key, language))


async def help_page(request: Request) -> HTMLResponse:
    """Show the explanations of all words of the glossary."""
    language = language_of(request)
    words = {key: texts[language] for key, texts in glossary().items()}
    return page(request, "help.html", {"words": words})


_templates.filters["time"] = lambda time: (
    time.astimezone().strftime("%Y-%m-%d %H:%M") if time else ""
)
_templates.filters["day"] = lambda time: time.astimezone().date().isoformat()
