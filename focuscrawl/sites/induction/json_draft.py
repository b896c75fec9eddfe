"""Draft of the rules for a list that the site sends as JSON, with that for its next page."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from focuscrawl.errors import ProfileError
from focuscrawl.sites.json_list import (
    Fact,
    counted_on,
    date_of,
    entry_link,
    json_entries,
    key_path,
    label_of,
    more_entries,
    paging_facts,
    parse_json,
    plain_text,
    value_at,
)
from focuscrawl.sites.page_reading import ListEntry, absolute_url
from focuscrawl.sites.site_profile import JsonListRules, JsonRules, filled_in

_TITLE_NAMES = ("title", "subject", "headline", "name", "标题", "caption", "text")
_LINK_NAMES = ("url", "link", "href", "permalink", "path")
_ID_NAMES = ("id", "uuid", "slug", "sn", "code", "key")
_DATE_NAMES = ("publish", "pub", "date", "time", "created", "ctime", "day", "updated", "mtime")
_LINK = re.compile(r"(?:https?:/)?/[^\s<>]+|[\w./-]+\.s?html?(?:\?\S*)?", re.IGNORECASE)
_PICTURE = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|mp4|pdf)(?:$|\?)", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[\w-]{1,64}", re.ASCII)
_MOST = 0.8
_LEAST_ENTRIES = 2
_SHORTEST_TITLE = 4
_LONGEST_TITLE = 200
_LONGEST_DATE = 40
_DEEPEST = 6
# Paging.
_PAGE_NAME = re.compile(
    r"p|pn|page|curr?(?:ent)?_?page|page_?(?:no|num|number|index)", re.IGNORECASE
)
_OFFSET_NAME = re.compile(r"offset|start|skip|from", re.IGNORECASE)
# A list may also have the number of its channel.
_IN_PATH = tuple(re.compile(rf"(?<={name}[/_-])\d+(?=[/.]|$)") for name in ("page", "list"))
_FIRST_PAGES = {"page": (0, 1), "offset": (0,)}
_CURSOR_NAMES = ("cursor", "after")


@dataclass(frozen=True, slots=True)
class JsonDraft:
    """Rules that select the list of a JSON value, and sentences about what is uncertain.

    ``pages`` is the number of list pages, None if it is not known.
    """

    rules: JsonListRules
    doubts: list[str]
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class _Array:
    """An array of objects at a JMESPath, which flattens as many arrays as ``depth``."""

    path: str
    objects: list[dict[str, Any]]
    depth: int

    def holds(self, other: _Array) -> bool:
        """Return whether the other array stands in the objects of this one."""
        flattened = self.path.removeprefix("@").removesuffix("[]") + "[]"
        return other.depth > self.depth and other.path.startswith(flattened)


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
    found = [(one, _fields(one.objects)) for one in _arrays(data, "", 0)]
    titled = [(one, fields) for one, fields in found if _title(fields, today)]
    if not titled:
        raise ProfileError(
            f"{url} is JSON without a list of at least {_LEAST_ENTRIES} objects with a title; give the"
            " URL of a page that lists articles"
        )
    array, fields = max(titled, key=lambda one: _likelihood(one[0], one[1], today))
    title, target = _title(fields, today), link or _url(fields)
    if not target:
        raise ProfileError(_no_link(url, fields))
    if link:
        _check_keys(link, array, fields)
    dates = _date(fields, today)
    onwards, doubt = json_next(data, url, fields.count)
    rules = JsonRules(
        entries=array.path, link=target, title=title, date=dates or None, next=onwards
    )
    doubts = [] if dates else ["the entries show no date"]
    if doubt:
        doubts.append(doubt)
    # Those around the main one are blocks of it.
    others = [one.path for one, _ in titled if one is not array and not one.holds(array)]
    if others:
        doubts.append(f"other arrays of objects with titles: {', '.join(others)}")
    pages = _pages(data, fields.count) if onwards else 1
    return JsonDraft(JsonListRules(json=rules), doubts, pages)


def _likelihood(array: _Array, fields: _Fields, today: date) -> tuple[bool, bool, int, int]:
    # Blocks have neither links nor dates, while articles may have arrays of related articles in them.
    return bool(_url(fields)), bool(_date(fields, today)), -array.depth, fields.count


def _date(fields: _Fields, today: date) -> str:
    return fields.best(_DATE_NAMES, lambda value: _is_date(value, today))


def _check_keys(link: str, array: _Array, fields: _Fields) -> None:
    for path in filled_in(link):
        if not any(value_at(path, one) for one in array.objects):
            raise ProfileError(
                f"--link {link}: the entries have no {path}; they have {', '.join(fields.values)}"
            )


def _pages(data: Any, count: int) -> int | None:
    """Return the number of list pages that the answer says, None if it does not."""
    facts = paging_facts(data)
    if (pages := facts.get("pages")) and pages.number:
        return pages.number
    total = facts["total"].number if "total" in facts else None
    return math.ceil(total / count) if total and total >= count else None


def _arrays(value: Any, path: str, depth: int) -> Iterator[_Array]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        yield from _nested(value, path, depth)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _arrays(inner, key_path(key, path), depth + 1)


def _nested(array: list[Any], path: str, depth: int) -> Iterator[_Array]:
    """Yield an array of objects, and the arrays in its objects, each of them flattened."""
    array = [one for one in array if one is not None]
    objects = [one for one in array if isinstance(one, dict)]
    if not objects or len(objects) < len(array) or depth > _DEEPEST:
        return
    if len(objects) >= _LEAST_ENTRIES:
        yield _Array(path or "@", objects, path.count("[]"))
    flattened = path if path.endswith("[]") else f"{path}[]"
    yield from _inside(objects, flattened, depth + 1)


def _inside(objects: list[dict[str, Any]], path: str, depth: int) -> Iterator[_Array]:
    for key in dict.fromkeys(key for one in objects for key in one):
        values = [one[key] for one in objects if one.get(key)]
        if values and all(isinstance(one, list) for one in values):
            yield from _nested(
                [x for one in values for x in one], f"{key_path(key, path)}[]", depth
            )
        elif values and all(isinstance(one, dict) for one in values) and depth <= _DEEPEST:
            yield from _inside(values, key_path(key, path), depth + 1)


def _fields(array: Sequence[dict[str, Any]]) -> _Fields:
    values: dict[str, list[str]] = {}
    for entry in array:
        for path, text in _texts(entry, "", 0):
            values.setdefault(path, []).append(text)
    return _Fields(values, len(array))


def _texts(entry: dict[str, Any], path: str, depth: int) -> Iterator[tuple[str, str]]:
    for key, value in entry.items():
        name = key_path(key, path)
        if isinstance(value, dict) and depth < 2:
            yield from _texts(value, name, depth + 1)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield name, str(value).strip()


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


# The JSON from which a script has drawn a list.


# A time that a script adds so that no cache answers.
_TIME = re.compile(r"1\d{9}(?:\d{3})?")
_KEY = re.compile(r"[A-Za-z_]\w*")


def data_behind(
    answers: Iterable[tuple[str, str]], shown: Sequence[ListEntry], today: date
) -> Iterator[tuple[str, str]]:
    """Yield the URLs of the answers that have most of the entries ``shown``, with the links of those.

    ``answers`` are URLs and texts that the page has requested. The link is empty if the JSON has the
    URLs of the articles, else their URL with a key in braces, as ``--link`` of newsite takes it.
    """
    url_of = {_folded(entry.title): entry.url for entry in shown}
    for url, text in answers:
        with suppress(ProfileError):
            data = parse_json(text, url)
            # Any expression, since the links are not looked at yet.
            rules = draft_json(data, url, today, "@").rules.rules
            named = [
                (one, _folded(value_at(rules.title, one))) for one in json_entries(data, rules)
            ]
            pairs = [(one, url_of[title]) for one, title in named if title in url_of]
            if pairs and 2 * len(pairs) >= len(shown):
                link = "" if _has_links(data, url, today, pairs) else _template(pairs)
                if link is not None:
                    yield _without_time(url), link


def _folded(title: str) -> str:
    return "".join(plain_text(title).split())


def _has_links(data: Any, url: str, today: date, pairs: Sequence[tuple[Any, str]]) -> bool:
    with suppress(ProfileError):
        rules = draft_json(data, url, today).rules.rules
        return all(entry_link(one, url, rules) == target for one, target in pairs)
    return False


def _template(pairs: Sequence[tuple[Any, str]]) -> str | None:
    """Return the URL of the articles with the key whose value it has in all entries, None without one."""
    first, target = pairs[0]
    keys = first if isinstance(first, dict) else {}
    for key, value in keys.items():
        text = str(value)
        if not _KEY.fullmatch(key) or isinstance(value, bool) or not text.isascii():
            continue
        # Not a part of a longer number or word.
        places = list(re.finditer(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])", target))
        if not text or not places:
            continue
        last = places[-1]
        template = f"{target[: last.start()]}{{{key}}}{target[last.end() :]}"
        if all(template.replace(f"{{{key}}}", str(one.get(key))) == url for one, url in pairs):
            return template
    return None


def _without_time(url: str) -> str:
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in given if not _TIME.fullmatch(value)]
    return url if kept == given else urlunsplit(parts._replace(query=urlencode(kept)))
