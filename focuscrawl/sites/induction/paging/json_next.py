"""Draft of the rule for the next page of a list that the site sends as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from focuscrawl.sites.json_list import counted_on
from focuscrawl.sites.json_paging import Fact, label_of, more_entries, paging_facts
from focuscrawl.sites.page_reading import absolute_url

_PAGE_NAME = re.compile(
    r"p|pn|page|curr?(?:ent)?_?page|page_?(?:no|num|number|index)", re.IGNORECASE
)
_OFFSET_NAME = re.compile(r"offset|start|skip|from", re.IGNORECASE)
# A list may also have the number of its channel.
_IN_PATH = tuple(re.compile(rf"(?<={name}[/_-])\d+(?=[/.]|$)") for name in ("page", "list"))
_FIRST_PAGES = {"page": (0, 1), "offset": (0,)}
_CURSOR_NAMES = ("cursor", "after")


def json_next(data: Any, url: str, count: int) -> tuple[str, str]:
    """Return the rule for the next page, ``""`` without one, and a doubt, if any.

    ``count`` is the number of entries of the page at ``url``.
    """
    counted, doubt = _counted(url)
    facts, more = paging_facts(data), more_entries(data, count)
    following = facts.get("url")
    if counted and not (following and _is_next(following, counted, url, count)):
        return counted, doubt
    if following:
        return following.path, ""
    if not more:
        is_known = facts.keys() & {"more", "last", "total", "pages"}
        return "", "" if is_known else "the URL has no page number, so only this page is read"
    if rule := _by_cursor(facts, url) or _by_number(facts, url):
        return rule, f"list.json.next is a guess, since {more}: {rule}"
    return "", (
        f"only this page is read, although {more}; look in the network tools of a browser for the "
        "request of the second page, and give the URL of the first with the same parameters"
    )


def counted_url(url: str) -> str:
    """Return the URL with ``{page}`` or ``{offset}`` in place of such a number; ``""`` without one."""
    return _counted(url)[0]


def _counted(url: str) -> tuple[str, str]:
    """Return the URL with a place for the number, and a doubt if the number is not that of a first page."""
    found = [*_in_query(url), *_in_path(url)]
    for name, number, rule in found:
        if number in _FIRST_PAGES[name]:
            return rule, ""
    for _, number, rule in found:
        return rule, f"list.json.next counts on from {number}, which may be no page number: {rule}"
    return "", ""


def _in_query(url: str) -> Iterator[tuple[str, int, str]]:
    for name, value in parse_qsl(urlsplit(url).query):
        kind = "page" if _PAGE_NAME.fullmatch(name) else "offset"
        if value.isdecimal() and (kind == "page" or _OFFSET_NAME.fullmatch(name)):
            yield kind, int(value), _with_parameter(url, name, f"{{{kind}}}")


def _in_path(url: str) -> Iterator[tuple[str, int, str]]:
    for pattern in _IN_PATH:
        if found := pattern.search(url):
            yield "page", int(found[0]), f"{url[: found.start()]}{{page}}{url[found.end() :]}"


def _is_next(following: Fact, counted: str, url: str, count: int) -> bool:
    """Return whether the URL that the answer names is that of the next page."""
    return absolute_url(url, str(following.value)) == counted_on(counted, url, count)


def _by_cursor(facts: dict[str, Fact], url: str) -> str:
    cursor = facts.get("cursor")
    if not cursor:
        return ""
    place = f"{{{_condition(facts)}{cursor.path}}}"
    return _with_parameter(url, _cursor_parameter(cursor, url), place)


def _condition(facts: dict[str, Fact]) -> str:
    """Return the beginning of an expression that gives nothing on the last page."""
    for kind, operator in (("more", "!="), ("last", "==")):
        if kind in facts:
            fact = facts[kind]
            if isinstance(fact.value, bool):
                return f"{fact.path} && " if kind == "more" else f"!{fact.path} && "
            # Any number is true in JMESPath.
            return f"{fact.path} {operator} `0` && " if fact.number is not None else ""
    return ""


def _cursor_parameter(cursor: Fact, url: str) -> str:
    """Return the name of the parameter: one of the URL, or ``pageToken`` for ``nextPageToken``."""
    own = re.sub(r"^next[_-]?", "", cursor.key, flags=re.IGNORECASE)
    own = own[:1].lower() + own[1:]
    if label_of(cursor.key) == "endcursor":
        own = "after"
    elif not own:
        own = "page" if cursor.number is not None else "cursor"
    alike = {label_of(cursor.key), label_of(own), *_CURSOR_NAMES}
    given = [name for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)]
    return next((name for name in given if label_of(name) in alike), own)


def _by_number(facts: dict[str, Fact], url: str) -> str:
    for kind, first in (("page", 1), ("offset", 0)):
        if kind in facts and facts[kind].number == first:
            return _with_parameter(url, facts[kind].key, f"{{{kind}}}")
    return ""


def _with_parameter(url: str, name: str, value: str) -> str:
    base = url.partition("#")[0]
    before = re.search(rf"[?&]{re.escape(name)}=", base)
    if not before:
        return f"{base}{'&' if '?' in base else '?'}{name}={value}"
    end = base.find("&", before.end())
    return f"{base[: before.end()]}{value}{base[end:] if end >= 0 else ''}"
