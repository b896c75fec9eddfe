"""Paging of lists of JSON: what an answer says about further pages, outside of its arrays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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
