"""Draft of the rules for a list that the site sends as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from focuscrawl.errors import ProfileError
from focuscrawl.sites.json_list import date_of, plain_text
from focuscrawl.sites.site_profile import JsonListRules, JsonRules

_PAGE_NAME = re.compile(
    r"p|pn|page|curr?(?:ent)?_?page|page_?(?:no|num|number|index)", re.IGNORECASE
)
_OFFSET_NAME = re.compile(r"offset|start|skip|from", re.IGNORECASE)
_PAGE_IN_PATH = re.compile(r"(?<=(?:page|list)[/_-])\d+(?=[/.]|$)")
_TITLE_NAMES = ("title", "subject", "headline", "name", "标题", "caption", "text")
_LINK_NAMES = ("url", "link", "href", "permalink", "path")
_ID_NAMES = ("id", "uuid", "slug", "sn", "code", "key")
_DATE_NAMES = ("publish", "pub", "date", "time", "created", "ctime", "day", "updated", "mtime")
_NEXT_NAMES = re.compile(r"next(?:_?(?:page|url|link))?", re.IGNORECASE)
_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*")
_LINK = re.compile(r"(?:https?:/)?/[^\s<>]+|[\w./-]+\.s?html?(?:\?\S*)?", re.IGNORECASE)
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|mp4|pdf)(?:$|\?)", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[\w-]{1,64}", re.ASCII)
_MOST = 0.8
_LEAST_ENTRIES = 2
_SHORTEST_TITLE = 4
_LONGEST_TITLE = 200
_LONGEST_DATE = 40
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class JsonDraft:
    """Rules that select the list of a JSON value, and sentences about what is uncertain.

    ``pages`` is the number of list pages, None if it is not known.
    """

    rules: JsonListRules
    doubts: list[str]
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class _Fields:
    """The values of each path in the objects of one array, as texts."""

    values: dict[str, list[str]]
    count: int

    def best(self, names: Sequence[str], fits: Any) -> str:
        """Return the path with fitting values whose last part is like the earliest of ``names``."""
        found = [path for path, values in self.values.items() if self._fit(values, fits)]
        return min(found, key=lambda path: _rank(path, names), default="")

    def _fit(self, values: Sequence[str], fits: Any) -> bool:
        good = sum(1 for value in values if value and fits(value))
        return good >= _MOST * self.count


def draft_json(data: Any, url: str, today: date, link: str = "") -> JsonDraft:
    """Return rules for the main array of objects; ``link`` is a URL with ``{id}`` or the like, if known.

    Raises :class:`ProfileError` if there is none with titles, or none with links.
    """
    found = [(path, _fields(array)) for path, array in _arrays(data, "", 0)]
    titled = [(path, fields) for path, fields in found if _title(fields, today)]
    if not titled:
        raise ProfileError(
            f"{url} is JSON without a list of at least {_LEAST_ENTRIES} objects with a title; give the"
            " URL of a page that lists articles"
        )
    path, fields = max(titled, key=lambda one: (bool(_url(one[1])), one[1].count))
    title, target = _title(fields, today), link or _url(fields)
    if not target:
        raise ProfileError(_no_link(url, fields))
    dates = fields.best(_DATE_NAMES, lambda value: _is_date(value, today))
    onwards = counted_url(url) or _next_path(data)
    try:
        rules = JsonRules(entries=path, link=target, title=title, date=dates or None, next=onwards)
    except ValueError:
        raise ProfileError(
            f"--link {link}: put a key of the entries in braces, such as {{id}}"
        ) from None
    doubts = [] if dates else ["the entries show no date"]
    if not onwards:
        doubts.append("the URL has no page number, so only this page is read")
    if len(titled) > 1:
        others = ", ".join(other for other, _ in titled if other != path)
        doubts.append(f"other arrays of objects with titles: {others}")
    return JsonDraft(JsonListRules(json=rules), doubts, None if onwards else 1)


def counted_url(url: str) -> str:
    """Return the URL with ``{page}`` or ``{offset}`` in place of such a number; ``""`` without one."""
    for name, value in parse_qsl(urlsplit(url).query):
        kind = (
            "page"
            if _PAGE_NAME.fullmatch(name)
            else "offset"
            if _OFFSET_NAME.fullmatch(name)
            else ""
        )
        if kind and value.isdigit():
            return re.sub(rf"([?&]{re.escape(name)}=){value}(?=&|$|#)", rf"\g<1>{{{kind}}}", url)
    if found := _PAGE_IN_PATH.search(url):
        return f"{url[: found.start()]}{{page}}{url[found.end() :]}"
    return ""


def _arrays(value: Any, path: str, depth: int) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        objects = [one for one in value if isinstance(one, dict)]
        if len(objects) >= _LEAST_ENTRIES and len(objects) == len(value):
            yield path or "@", objects
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _arrays(inner, f"{path}.{_key(key)}" if path else _key(key), depth + 1)


def _fields(array: Sequence[dict[str, Any]]) -> _Fields:
    values: dict[str, list[str]] = {}
    for entry in array:
        for path, text in _texts(entry, "", 0):
            values.setdefault(path, []).append(text)
    return _Fields(values, len(array))


def _texts(entry: dict[str, Any], path: str, depth: int) -> Iterator[tuple[str, str]]:
    for key, value in entry.items():
        name = f"{path}.{_key(key)}" if path else _key(key)
        if isinstance(value, dict) and depth < 2:
            yield from _texts(value, name, depth + 1)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield name, str(value).strip()


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _rank(path: str, names: Sequence[str]) -> tuple[int, int]:
    parts = [part.strip('"') for part in path.lower().split(".")]
    exact = next((at for at, name in enumerate(names) if name in parts), None)
    inside = next((at for at, name in enumerate(names) if name in parts[-1]), len(names))
    return (exact if exact is not None else len(names) + inside, path.count("."))


def _title(fields: _Fields, today: date) -> str:
    def is_title(value: str) -> bool:
        text = plain_text(value)
        is_other = _LINK.fullmatch(text) or _is_date(text, today) or text.isdigit()
        return len(text) <= _LONGEST_TITLE and not is_other

    named = {
        path: values
        for path, values in fields.values.items()
        if len(set(values)) > len(values) / 2 and median(map(len, values)) >= _SHORTEST_TITLE
    }
    best = _Fields(named, fields.count).best(_TITLE_NAMES, is_title)
    # Neither a user name nor an identifier.
    is_named = best and _rank(best, _TITLE_NAMES)[0] < 2 * len(_TITLE_NAMES)
    return best if is_named else ""


def _url(fields: _Fields) -> str:
    distinct = {p: v for p, v in fields.values.items() if len(set(v)) > len(v) / 2}
    return _Fields(distinct, fields.count).best(
        _LINK_NAMES, lambda v: bool(_LINK.fullmatch(v)) and not _PICTURE.search(v)
    )


def _no_link(url: str, fields: _Fields) -> str:
    distinct = {p: v for p, v in fields.values.items() if len(set(v)) == len(v)}
    name = _Fields(distinct, fields.count).best(_ID_NAMES, _IDENTIFIER.fullmatch)
    if not name:
        return f"the entries of {url} have no link; write the profile by hand"
    value = fields.values[name][0]
    return (
        f"the entries of {url} have no link, but {name} (such as {value}); look at the address of an "
        f"article in a browser, and give it with {{{name}}}: --link 'https://…/{{{name}}}.html'"
    )


def _is_date(value: str, today: date) -> bool:
    return len(value) <= _LONGEST_DATE and date_of(value, today) is not None


def _next_path(data: Any, path: str = "", depth: int = 0) -> str:
    """Return the path of a URL that is named as that of the next page."""
    if not isinstance(data, dict) or depth > 2:
        return ""
    for key, value in data.items():
        name = f"{path}.{_key(key)}" if path else _key(key)
        if _NEXT_NAMES.fullmatch(key) and isinstance(value, str) and _LINK.fullmatch(value):
            return name
        if inner := _next_path(value, name, depth + 1):
            return inner
    return ""
