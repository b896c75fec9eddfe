"""Lists that a site sends as JSON, read by the JMESPath expressions of a site profile."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Any
from urllib.parse import quote

import jmespath
from w3lib.html import remove_tags, replace_entities

from focuscrawl.errors import ProfileError
from focuscrawl.sites.page_reading import (
    ListEntry,
    ListPage,
    absolute_url,
    distinct_entries,
    lasting_date,
    list_entry,
)
from focuscrawl.sites.site_profile import JsonRules, filled_in
from focuscrawl.text.chinese_dates import CHINA, find_date, find_full_date

# What sites put before JSON so that other sites cannot run it as a script; and calls around JSON, perhaps
# guarded by a condition or behind an assignment.
_GUARD = re.compile(
    r"[\ufeff\s]*+(?:/\*[^*]*(?:\*(?!/)[^*]*)*\*/\s*+)?"
    r"(?:(?:while\s*\(\s*(?:1|true)\s*\)|for\s*\(\s*;\s*;\s*\))\s*(?:;|\{\s*\})?"
    r"|\)\]\}'?[^\S\n]*,?|&&&[A-Z]+&&&|\{\}\s*&&|throw [^;\n]{0,80};|<!--)?[\ufeff\s]*+"
)
_CALL = re.compile(
    r"(?:try\s*+\{\s*+)?(?:(?:typeof\s)?[\w$.]++\s*+(?:===?\s*+[\"']function[\"']\s*+)?&&\s*+)?"
    r"(?:(?:var|let|const)\s)?\s*+[\w$.]++(?:\[[\w$'\"]+\])?\s*+[(=]\s*+(?=[\[{])"
)
_BEHIND = re.compile(r"[\s;)}]*(?:catch\b.*|-->\s*)?", re.DOTALL)
# Some sites write line feeds and tabs into their strings.
_DECODER = json.JSONDecoder(strict=False)
_JSON_START = ("[", "{")
_UNIX_TIME = re.compile(r"1\d{9}(?:\d{3})?(?:\.\d+)?|9\d{8}(?:\d{3})?")
_NET_TIME = re.compile(r"/?Date\((\d{9,13})(?:[+-]\d{4})?\)/?")
_MILLISECONDS = 11
_SENTINEL = "7314159"
_PLAIN_PATH = re.compile(r'(?:[\w.@-]|"[^"]*")*(?:\[\](?:[\w.-]|"[^"]*")*)*')


def parse_json(text: str, url: str) -> Any:
    """Return the value of JSON or JSONP; raises :class:`ProfileError` for anything else."""
    start = _json_start(text)
    try:
        value, end = _DECODER.raw_decode(text, start)
        if not _BEHIND.fullmatch(text, end):
            raise ValueError
    except (ValueError, RecursionError):
        raise ProfileError(
            f"{url} is not JSON; correct the URL, or give list.entry instead of list.json"
        ) from None
    return value


def looks_like_json(text: str) -> bool:
    """Return whether a response is an array or object of JSON, or JSONP."""
    return text.startswith(_JSON_START, _json_start(text))


def _json_start(text: str) -> int:
    """Return where JSON begins behind a guard or a call."""
    guard = _GUARD.match(text)
    start = guard.end() if guard else 0
    call = _CALL.match(text, start)
    return call.end() if call else start


def read_json_list(
    data: Any, url: str, profile: str, rules: JsonRules, today: date, ignored: Collection[str] = ()
) -> ListPage:
    """Read a list page by the rules of the profile of that name; an empty one has no next page.

    ``ignored`` are parameters of links that change from run to run.
    Raises :class:`ProfileError` if there is no array, or if no object has link and title.
    """
    found = jmespath.search(rules.entries, data)
    if found is None and _is_null(rules.entries, data):
        found = []
    if not isinstance(found, list) or not (found or _is_empty(rules.entries, data)):
        raise ProfileError(
            f"site profile {profile}: list.json.entries ({rules.entries}) selects no array on {url}; "
            "correct the profile if the site has changed, or give another one"
        )
    entries = distinct_entries(_read_entry(one, url, rules, today, ignored) for one in found)
    if found and not any(entry.title for entry in entries):
        part = "title" if any(entry_link(one, url, rules) for one in found) else "link"
        raise ProfileError(
            f"site profile {profile}: list.json.{part} ({getattr(rules, part)}) selects nothing on {url};"
            " correct the profile if the site has changed, or give another one"
        )
    next_url = _next_url(data, url, rules, len(found)) if entries else ""
    more = more_entries(data, len(found))
    without = (one for one in found if not entry_link(one, url, rules))
    unlinked = sum(bool(value_at(rules.title, one)) for one in without)
    return ListPage(entries, next_url, rules.counts_pages, more, unlinked)


def _is_empty(path: str, data: Any) -> bool:
    """Return whether a path gives no entry since an array is empty, not since a key is missing.

    Beyond ``[]``, JMESPath gives an empty array for a missing key, too.
    """
    if not _PLAIN_PATH.fullmatch(path):
        return True
    parts = path.split("[]")
    for length in range(1, len(parts)):
        found = jmespath.search("[]".join(parts[:length]) or "@", data)
        if not found:
            return length == 1
    return len(parts) == 1 or not parts[-1]


def _is_null(path: str, data: Any) -> bool:
    """Return whether a path ends at a key with a null, which some sites send for an empty array."""
    before, _, last = path.rpartition(".")
    inside = jmespath.search(before, data) if before and _PLAIN_PATH.fullmatch(path) else None
    return isinstance(inside, dict) and last.strip('"') in inside


def _read_entry(
    entry: Any, url: str, rules: JsonRules, today: date, ignored: Collection[str]
) -> ListEntry | None:
    link, title = entry_link(entry, url, rules), plain_text(value_at(rules.title, entry))
    if not link:
        return None
    read = partial(date_of, value_at(rules.date, entry))
    published, shown = find_full_date(title, today) or read(today), lasting_date(read, today)
    return list_entry(link, title, published, value_at(rules.stamp, entry), ignored, shown)


def entry_link(entry: Any, url: str, rules: JsonRules) -> str:
    """Return the URL of the article of an entry; ``""`` without one."""
    if "{" not in rules.link:
        return absolute_url(url, value_at(rules.link, entry)) if value_at(rules.link, entry) else ""
    link = rules.link
    for path in filled_in(rules.link):
        value = value_at(path, entry)
        if not value:
            return ""
        link = link.replace(f"{{{path}}}", value)
    return absolute_url(url, link)


def value_at(path: str | None, entry: Any) -> str:
    """Return a text or number of a JSON value as text; ``""`` for anything else."""
    value = jmespath.search(path, entry) if path else None
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value).strip() if is_text else ""


def plain_text(html: str) -> str:
    """Return a text without tags (search results mark words) and entities."""
    return " ".join(replace_entities(remove_tags(html)).split())


def date_of(text: str, today: date) -> date | None:
    """Return the date in a text, a Unix time in seconds or milliseconds, or digits such as 20240305."""
    if wrapped := _NET_TIME.fullmatch(text):
        text = wrapped[1]
    if _UNIX_TIME.fullmatch(text):
        seconds = float(text) / (1000 if len(text.partition(".")[0]) > _MILLISECONDS else 1)
        return datetime.fromtimestamp(seconds, CHINA).date()
    return find_date(text, today)


def _next_url(data: Any, url: str, rules: JsonRules, count: int) -> str:
    rule = rules.next
    if rules.counts_pages:
        return counted_on(rule, url, count)
    if "{" not in rule:
        following = value_at(rule, data)
        return absolute_url(url, following) if following else ""
    for path in filled_in(rule):
        value = value_at(path, data)
        if is_nothing(value):
            return ""
        rule = rule.replace(f"{{{path}}}", quote(value, safe=""))
    return absolute_url(url, rule)


def counted_on(rule: str, url: str, count: int) -> str:
    """Return the URL of the page after ``url`` by a URL with ``{page}`` or ``{offset}``."""
    (name,) = filled_in(rule)
    pattern = re.escape(absolute_url(url, rule.replace(f"{{{name}}}", _SENTINEL)))
    here = re.fullmatch(pattern.replace(_SENTINEL, r"(\d{1,9})"), url)
    # A start URL without the parameter is the first page.
    number = int(here[1]) if here else int(name == "page")
    number += 1 if name == "page" else count
    return absolute_url(url, rule.replace(f"{{{name}}}", str(number)))


def json_entries(data: Any, rules: JsonRules) -> Iterator[Any]:
    """Yield the objects of a list; none if the rule selects no array."""
    found = jmespath.search(rules.entries, data)
    yield from found if isinstance(found, list) else ()


# Paging: what an answer says about further pages, outside of its arrays.

Scalar = str | int | float | bool

_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*")
_DEEPEST = 3
# Names in lower case without _ and -.
_NAMES = {
    "more": "hasmore hasnext hasnextpage havemore hasmoreitems moreavailable ismore more",
    "last": "islast islastpage isend last end nomore finished",
    "total": "total totalcount totalnum totalnumber totalsize totalelements totalrecords totalrows"
    " totalresults totalitems recordcount recordtotal recordstotal rowcount numfound allcount",
    "count": "count itemcount resultcount",
    "pages": "pages totalpages totalpage pagecount pagetotal lastpage maxpage",
    "next": "next nextpage nexturl nextlink nexthref nexturi nextpageurl nextpagelink nextpageno"
    " nextpagenum nextpageindex nextcursor nextpagetoken nexttoken nextmaxid nextid nextkey"
    " nextoffset nextstart cursor endcursor after pagetoken continuation continuationtoken"
    " scrollid lastid",
    "page": "page pageno pagenum pagenumber pageindex currentpage curpage currpage",
    "offset": "offset start skip from",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_LINK = re.compile(r"(?:https?:)?/[^\s<>]+|\?[^\s<>]+|[\w./-]+\?\S+")
_INNER_KEYS = frozenset(("href", "url", "link", "value"))
_SHOWN = 40
_NOTHING = frozenset(("", "0", "-1"))


@dataclass(frozen=True, slots=True)
class Fact:
    """A value about the paging of a list; ``path`` is its JMESPath, ``key`` the last part."""

    path: str
    key: str
    value: Scalar

    def __str__(self) -> str:
        """The fact in words."""
        text = str(self.value).lower() if isinstance(self.value, bool) else str(self.value)
        return f"{self.path} is {text[:_SHOWN]}"

    @property
    def number(self) -> int | None:
        """The value as a whole number, None if it is none."""
        text = "" if isinstance(self.value, bool) else str(self.value)
        return int(text) if re.fullmatch(r"\d{1,9}", text) else None


def key_path(key: str, before: str = "") -> str:
    """Return the JMESPath of a key of the object at ``before``."""
    plain = key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
    return f"{before}.{plain}" if before else plain


def label_of(key: str) -> str:
    """Return a key in lower case without ``_`` and ``-``."""
    return re.sub(r"[_-]", "", key.lower())


def is_nothing(text: str) -> bool:
    """Return whether the mark of the next page says that there is none."""
    return text in _NOTHING


def paging_facts(data: Any) -> dict[str, Fact]:
    """Return the first fact of each kind: more, last, total, pages, page, offset, url and cursor.

    ``url`` is that of the next page, ``cursor`` a mark of the place where it begins.
    """
    facts: dict[str, Fact] = {}
    for label, fact in _scalars(data, "", "", 0):
        if kind := _kind_of(label, fact):
            facts.setdefault(kind, fact)
    # Beside a total, this is the number of the entries on the page.
    if "count" in facts:
        facts.setdefault("total", facts.pop("count"))
    return facts


def more_entries(data: Any, count: int) -> str:
    """Return the fact that a list has more than the first ``count`` entries in words; else ``""``."""
    facts = paging_facts(data)
    if "more" in facts or "last" in facts:
        said = [facts[kind] for kind in ("more", "last") if kind in facts]
        return next((str(one) for one in said if _says_more(one)), "")
    if (total := facts.get("total")) and total.number is not None:
        return str(total) if total.number > count else ""
    if (pages := facts.get("pages")) and pages.number is not None:
        return str(pages) if pages.number > 1 else ""
    following = facts.get("url") or facts.get("cursor")
    return str(following) if following else ""


def _scalars(value: Any, path: str, parent: str, depth: int) -> Iterator[tuple[str, Fact]]:
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    for key, inner in value.items():
        place, label = key_path(key, path), label_of(key)
        # Of links.next.href, the name is next; of total.value, total.
        label = parent if label in _INNER_KEYS else label
        if isinstance(inner, Scalar):
            yield label, Fact(place, key, inner)
        yield from _scalars(inner, place, label, depth + 1)


def _kind_of(label: str, fact: Fact) -> str:
    kind = _KINDS.get(label, "")
    if kind == "next":
        text = str(fact.value)
        if isinstance(fact.value, bool) or is_nothing(text):
            return ""
        return "url" if _LINK.fullmatch(text) else "cursor"
    if kind in ("more", "last"):
        return kind if str(fact.value).lower() in ("true", "false", "0", "1") else ""
    return kind if fact.number is not None else ""


def _says_more(fact: Fact) -> bool:
    is_true = str(fact.value).lower() in ("true", "1")
    return is_true == (_KINDS[label_of(fact.key)] == "more")
