"""Crawler traps: links into an endless space of URLs, or to pages that are of no use to a reader.

Calendars, session ids in URLs, multiplying filters, relative links that accumulate; and traps that no
rule foresees, detected by the yield of a part of a site so far. Heydon & Najork 1999, *Mercator: a
scalable, extensible Web crawler*, section 4, explain why no rule finds all of them. Each rule prefers
to accept a trap over rejecting a page: the yield of their path bounds the pages of a trap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from focuscrawl.policy.calendars import Calendars, dated_pattern
from focuscrawl.policy.learned_counts import Counts
from focuscrawl.policy.online_statistics import path_pattern

TOO_DEEP = "too deep"
LONG_URL = "long url"
REPEATED_PATH = "repeated path"
REPEATED_PARAMETER = "repeated parameter"
TOO_MANY_PARAMETERS = "too many parameters"
CALENDAR = "calendar"
SESSION_ID = "session id"
ACTION = "action"
BARREN_PATH = "barren path"

# Weight of a duplicate page, which is stronger evidence of a trap than an irrelevant one.
_COPY = 4
MOST_PREFIXES = 50_000

_SESSION_IN_PATH = re.compile(
    r";(?:jsessionid|phpsessid|sid|sessionid)=|/\((?:[a-z]\([0-9a-z]{8,}\))+\)"
)
_SESSION_IN_QUERY = re.compile(
    r"(?:^|[&;])(?:(?:jsessionid|phpsessid|aspsessionid\w*|cftoken|zenid|oscsid)="
    r"|(?:sid|s|session|session_?id|sess_?id)=[0-9a-f-]{16,}(?:[&;]|$))"
)

_ACTION_PAGES = frozenset(
    "login logout signin signup sign_in sign_up register cart checkout".split()
)
_ACCOUNTS = frozenset(
    "account accounts auth member members my passport shop store user users".split()
)
_ACTION_FILE = re.compile(
    r"(?:wp-)?(?:log(?:in|out)|sign(?:in|up)|register|cart|checkout|print|share|add_?to_?cart)"
    r"\.(?:php|aspx?|jsp|do|action|cgi)"
)
_ADD_TO = re.compile(r"/add[-_]to[-_](?:cart|basket|wishlist|compare|favou?rites)(?:/|$)")
_ACTION_IN_QUERY = re.compile(
    r"(?:^|&)(?:replytocom=|share=|add[-_]to[-_]\w+=|print(?:able|er)?="
    r"|(?:action|act|do|mod|op|a|format|view|output)=(?:print(?:able|er)?|log(?:in|out|ging)"
    r"|sign(?:in|up)|register|reply|edit|cart|checkout|add_?to_?cart)(?:&|$))"
)

# A calendar's path ends with the date; a post may be misdated, but has a name after the date.
# Thread ids look like years, so a month without a day must have two digits, after a slash 01 to 09.
_DATE_AT_END = re.compile(
    r"/([1-9]\d{3})(?:/0[1-9]|[/-](?:0?[1-9]|1[0-2])[/-](?:0?[1-9]|[12]\d|3[01])|-(?:0[1-9]|1[0-2]))"
    r"(?:/(?:page/\d+/?)?)?$"
)
_DATE_OF_CALENDAR = re.compile(
    r"[/_-](?:calendars?|events|rili|huangli)/(?:[a-z]+/)*([1-9]\d{3})(?:[/-]?\d{1,2}){0,2}(?:\.[a-z]+)?(?:/|$)"
)
_YEAR_IN_QUERY = re.compile(r"(?:^|&)(?:year|yr|y)=([1-9]\d{3})(?:&|$)")
_MONTH_IN_QUERY = re.compile(r"(?:^|&)(?:month|mon|m)=(?:0?[1-9]|1[0-2])(?:&|$)")
_DATE_IN_QUERY = re.compile(
    r"(?:^|&)(?:date|day|month|mon|ym|m|cal|calendar|[a-z]+-(?:bar-)?date)="
    r"([1-9]\d{3})(?:([-/.])?(?:0?[1-9]|1[0-2])(?:\2(?:0[1-9]|[12]\d|3[01]))?)(?:&|$)"
)


class TrapRules(NamedTuple):
    """Limits of accepted URLs; measured on the 27,494 URLs linked from the recorded blogs.

    ``depth``: links from a seed. A best-first crawl does not take the shortest path (*next post*,
    repeatedly): newest link first, the recorded blogs reach a depth of 811, breadth-first 35.
    ``url_length``: characters; a Chinese one in a path takes nine. Recorded pages: at most 317.
    ``path_depth``: folders and file name; 9 recorded, 17 linked (source files).
    ``repeats``: occurrences of the same folder or parameter that make a trap; numbers are not
    counted, since dates repeat them.
    ``parameters``: in a query; 12 are common in links shared from apps.
    ``oldest_year``, ``years_ahead``: the years that a calendar may show, the latter from this year on.
    ``yield_pages``: of URLs with the same pattern, at least one page in this many must be relevant
    and new; a duplicate counts fourfold. With 100, no relevant recorded page would be lost.
    """

    depth: int = 1000
    url_length: int = 1000
    path_depth: int = 20
    repeats: int = 3
    parameters: int = 12
    oldest_year: int = 1995
    years_ahead: int = 1
    yield_pages: int = 200


DEFAULT_RULES = TrapRules()


class Traps:
    """Detector of links into traps, which learns from judged pages which paths are barren."""

    def __init__(
        self,
        rules: TrapRules = DEFAULT_RULES,
        *,
        this_year: int | None = None,
        most_prefixes: int = MOST_PREFIXES,
    ) -> None:
        """Take the rules and ``most_prefixes``, the number of path prefixes kept (about 300 bytes each)."""
        self.rules = rules
        self._latest_year = (this_year or date.today().year) + rules.years_ahead
        self._most_prefixes = most_prefixes
        # By prefix: the number of relevant new pages, and the weight of all others.
        self._yields: dict[str, tuple[int, int]] = {}
        # At most one per yield_pages / 4 judged pages.
        self._barren: set[str] = set()
        self._barren_hosts: set[str] = set()
        self.calendars = Calendars()

    def refusal(self, url: str, depth: int) -> str:
        """Return the reason why a link is not followed, ``""`` if it may be; never raises.

        ``url`` is canonical (:func:`focuscrawl.pages.canonical_urls.canonical_url`), ``depth`` its distance
        from a seed in links. Takes about 1.5 µs.
        """
        rules = self.rules
        if depth > rules.depth:
            return TOO_DEEP
        if len(url) > rules.url_length:
            return LONG_URL
        path, _, query = url.partition("?")
        parts = path.split("/")
        if len(parts) > rules.path_depth + 3:
            return TOO_DEEP
        names = parts[3:]
        if len(names) - len(set(names)) > 1 and _is_repeated(names, rules.repeats):
            return REPEATED_PATH
        reason = self._of_path(path.lower(), names)
        if not reason and query:
            reason = self._of_query(query.lower())
        if not reason and self.calendars.found and dated_pattern(url) in self.calendars.found:
            reason = CALENDAR
        return reason or (BARREN_PATH if self._barren and self._is_barren(url, parts) else "")

    def judged(self, url: str, *, is_relevant: bool, is_new: bool = True) -> None:
        """Learn from a fetched page; ``is_new`` if no earlier page had the same text.

        A barren path may still have pages in flight: a relevant one among them reopens it.
        """
        if is_relevant and is_new:
            self._add(_prefix(url), 1, 0)
        else:
            self._add(_prefix(url), 0, 1 if is_new else _COPY)

    def counts(self) -> Counts:
        """Return the number of relevant new pages and the weight of all others, by prefix."""
        return {"traps": {prefix: [*pair] for prefix, pair in self._yields.items()}}

    def add_counts(self, counts: Counts) -> None:
        """Learn the pages of another detector from its :meth:`counts`."""
        for prefix, (relevant, others) in counts.get("traps", {}).items():
            self._add(prefix, relevant, others)

    def clear(self) -> None:
        """Forget all pages."""
        self._yields.clear()
        self._barren.clear()
        self._barren_hosts.clear()

    def _add(self, prefix: str, new_relevant: int, new_others: int) -> None:
        relevant, others = self._yields.pop(prefix, (0, 0))
        relevant, others = relevant + new_relevant, others + new_others
        self._yields[prefix] = (relevant, others)
        if len(self._yields) > self._most_prefixes:
            del self._yields[next(iter(self._yields))]
        if others < self.rules.yield_pages * (1 + relevant):
            self._barren.discard(prefix)
        else:
            self._barren.add(prefix)
            self._barren_hosts.add(prefix.partition("/")[0])

    def _is_barren(self, url: str, parts: Sequence[str]) -> bool:
        return len(parts) > 2 and parts[2] in self._barren_hosts and _prefix(url) in self._barren

    def _of_path(self, path: str, names: Sequence[str]) -> str:
        if (";" in path or "(" in path) and _SESSION_IN_PATH.search(path):
            return SESSION_ID
        if _is_action(path, names):
            return ACTION
        # A cheap check first: nearly all URLs end differently, and the search is slow.
        may_end_in_date = path[-1:].isdigit() or path[-2:-1].isdigit()
        found = _DATE_AT_END.search(path) if may_end_in_date else None
        if not found and ("calendar" in path or "events/" in path or "li/" in path):
            found = _DATE_OF_CALENDAR.search(path)
        return CALENDAR if found and self._is_far(found[1]) else ""

    def _of_query(self, query: str) -> str:
        parameters = query.split("&")
        if len(parameters) > self.rules.parameters:
            return TOO_MANY_PARAMETERS
        if len(parameters) - len(set(parameters)) > 1 and _is_repeated(
            parameters, self.rules.repeats
        ):
            return REPEATED_PARAMETER
        if _SESSION_IN_QUERY.search(query):
            return SESSION_ID
        if _ACTION_IN_QUERY.search(query):
            return ACTION
        return CALENDAR if self._is_calendar(query) else ""

    def _is_calendar(self, query: str) -> bool:
        found = _DATE_IN_QUERY.search(query)
        if found and self._is_far(found[1]):
            return True
        found = _YEAR_IN_QUERY.search(query)
        # A year alone may be a filter, such as films of 1960.
        return bool(found and _MONTH_IN_QUERY.search(query) and self._is_far(found[1]))

    def _is_far(self, year: str) -> bool:
        return not self.rules.oldest_year <= int(year) <= self._latest_year


def _is_repeated(names: Sequence[str], repeats: int) -> bool:
    counts = Counter(name for name in names if name and not name.isdigit())
    return max(counts.values(), default=0) >= repeats


def _is_action(path: str, names: Sequence[str]) -> bool:
    if not names:
        return False
    last = names[-1]
    if not last and len(names) > 1:
        last, names = names[-2], names[:-1]
    last = last.lower()
    if last in _ACTION_PAGES:
        return len(names) == 1 or names[-2].lower() in _ACCOUNTS
    if "." in last and _ACTION_FILE.fullmatch(last):
        return True
    return "/add" in path and bool(_ADD_TO.search(path))


def _prefix(url: str) -> str:
    """Return the pattern shared by the URLs of one script: path pattern and parameter names.

    On many Chinese sites one script serves all pages (``index.php?m=…&c=…``), so that only the
    parameter names tell its parts apart.
    """
    address, _, query = url.partition("?")
    try:
        pattern = path_pattern(address)
    except ValueError:
        return ""
    if not query:
        return pattern
    names = sorted(parameter.partition("=")[0] for parameter in query.split("&"))
    return f"{pattern}/{address.rpartition('/')[2]}?{'&'.join(names)}"
