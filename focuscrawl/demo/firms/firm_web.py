"""Sites of firms, and search engines that find them, by window."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import parse_qs, quote

from focuscrawl.demo.firms.firm_site import Firm, FirmSite, SiteKind, firm_of, kind_of
from focuscrawl.demo.site_protocol import Response, Site, draw, not_found, plain
from focuscrawl.errors import ArgumentError

# Search engine of the demo web, which finds firms, hides their URLs, and fails on demand.

PER_PAGE = 10
MOST_PAGES = 76
Fault = Literal["", "down", "captcha", "redesign"]

_CHARSET = "gbk"
_CODEC = "gb18030"
_SHARE_TOLD = 0.25
_TOPICS = ("公司", "软件", "企业", "厂", "网络", "科技", "信息", "系统", "单位")
_PROVINCE = "四川"
_ELSEWHERE = (
    "北京 天津 上海 重庆 河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 "
    "广东 海南 贵州 云南 陕西 甘肃 青海 台湾 内蒙古 广西 西藏 宁夏 新疆 香港 澳门"
).split()

_PAGE = """<!DOCTYPE html>
<html>
<head><meta charset="{charset}"><title>{query} - 演示搜索</title></head>
<body>
<form action="/s"><input name="wd" value="{query}"><button>搜索</button></form>
{body}
</body>
</html>
"""
_CAPTCHA = '<p>请输入图中的字符</p><form id="captcha"><input name="code"></form>'
_NOTHING = '<p class="nothing">没有找到与“{query}”相关的网页</p>'


class Listed(NamedTuple):
    """A site listed by the search engine. ``is_useful`` usually raises its rank."""

    number: int
    url: str
    title: str
    city: str
    is_useful: bool


class SearchSite(Site):
    """One host that serves /s?wd=KEYWORD&pn=FIRST with ten results per page, at most 76 pages.

    The links are redirects, /link?url=CODE; one result in four has its URL in an attribute.
    ``fault`` may be set at any time: ``down`` returns 503, ``captcha`` shows a captcha, ``redesign``
    changes the markup of the results.
    """

    def __init__(self, seed: int, host: str, listed: Callable[[], Sequence[Listed]]) -> None:
        self._seed = seed
        self._host = host
        self._listed = listed
        self.fault: Fault = ""

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET."""
        if self.fault == "down":
            return plain(503, "the search engine is down")
        values = {name: found[0] for name, found in parse_qs(query, encoding=_CODEC).items()}
        if path == "/link":
            return self._redirect(values.get("url", ""))
        if path not in ("/", "/s"):
            return not_found()
        words = values.get("wd", "")
        if self.fault == "captcha":
            return _html(words, _CAPTCHA)
        return _html(words, self._answer(words, values.get("pn", "0")) if words else "")

    def found(self, words: str) -> list[Listed]:
        """Return all results of a query, best first.

        All firms are in Sichuan: other provinces have no results, a city of Sichuan has its firms.
        """
        if not any(topic in words for topic in _TOPICS) or any(
            word in words for word in _ELSEWHERE
        ):
            return []
        listed = self._listed()
        named = {one.city for one in listed if one.city in words}
        hits = [one for one in listed if _PROVINCE in words or not named or one.city in named]
        hits.sort(key=lambda one: self._place(words, one))
        return hits[: PER_PAGE * MOST_PAGES]

    def _place(self, words: str, one: Listed) -> float:
        chance = draw(self._seed, self._host, words, one.number)
        # Nearly all results in the first tenth are useful, and a third of those in the last.
        return chance * chance if one.is_useful else math.sqrt(chance)

    def _answer(self, words: str, first: str) -> str:
        start = int(first) if first.isascii() and first.isdigit() and len(first) < 9 else 0
        hits = self.found(words)
        shown = hits[start : start + PER_PAGE]
        if not shown:
            return _NOTHING.format(query=escape(words))
        results = "\n".join(self._result(one) for one in shown)
        more = start + PER_PAGE < len(hits)
        if self.fault == "redesign":
            return f"<main>{results.replace('result', 'card').replace('h3', 'h5')}</main>"
        next_page = self._next(words, start + PER_PAGE) if more else ""
        return f'<div id="results">\n{self._advertisements(words)}\n{results}\n</div>\n{next_page}'

    def _result(self, one: Listed) -> str:
        real = f' data-real="{one.url}"' if self._draw("told", one.number) < _SHARE_TOLD else ""
        address = one.url.removeprefix("http://")
        return (
            f'<div class="result"{real}><h3><a href="/link?url={self._code(one.number)}">'
            f"{escape(one.title)}</a></h3><p>{one.city}，软件与服务。</p>"
            f'<span class="shown">{address[:14]}...</span></div>'
        )

    def _advertisements(self, words: str) -> str:
        return "\n".join(
            '<div class="result promoted"><h3>'
            f'<a href="http://ads.demo.test/{number}">{escape(words)}，第{number}家</a></h3></div>'
            for number in (1, 2)
        )

    def _next(self, words: str, first: int) -> str:
        keyword = quote(words, safe="", encoding=_CODEC)
        return f'<a class="next" href="/s?wd={keyword}&amp;pn={first}">下一页</a>'

    def _redirect(self, code: str) -> Response:
        number = code.partition("-")[2]
        is_number = number.isascii() and number.isdigit() and len(number) < 9
        if is_number and code == self._code(int(number)):
            for one in self._listed():
                if one.number == int(number):
                    return Response(302, {"Location": one.url})
        return not_found()

    def _code(self, number: int) -> str:
        return f"{int(2**40 * self._draw('code', number)):010x}-{number}"

    def _draw(self, what: str, number: int) -> float:
        return draw(self._seed, self._host, what, number)


def _html(words: str, body: str) -> Response:
    page = _PAGE.format(charset=_CHARSET, query=escape(words), body=body)
    kind = {"Content-Type": f"text/html; charset={_CHARSET}"}
    return Response(200, kind, page.encode(_CODEC, "replace"))


# Changes of the firms from window to window: new, gone and moved ones.

SHARE_NEW, SHARE_CHANGED, SHARE_GONE = 0.10, 0.10, 0.05


@dataclass(frozen=True, slots=True)
class FirmSnapshot:
    """The firms of one window: ``versions`` by number, and the changes since the last window.

    In the first window, all firms are new. Only useful firms change; new and gone ones may be useful
    or not.
    """

    versions: dict[int, int]
    new: frozenset[int]
    changed: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()


class FirmSnapshots:
    """All windows of a web that started with ``count`` firms, numbered from 1."""

    def __init__(self, seed: int, count: int) -> None:
        self._seed = seed
        self._known = [FirmSnapshot(dict.fromkeys(range(count), 0), frozenset(range(count)))]
        self._next_number = count

    def __getitem__(self, number: int) -> FirmSnapshot:
        while len(self._known) < number:
            self._known.append(self._after(self._known[-1], len(self._known) + 1))
        return self._known[number - 1]

    def _after(self, last: FirmSnapshot, window: int) -> FirmSnapshot:
        useful = {n for n in last.versions if kind_of(self._seed, n) is SiteKind.USEFUL}
        gone = self._some(useful, SHARE_GONE, "gone", window)
        gone |= self._some(last.versions.keys() - useful, SHARE_GONE, "gone", window)
        changed = self._some(useful - gone, SHARE_CHANGED, "changed", window, of=len(useful))
        start = self._next_number
        self._next_number += round(SHARE_NEW * len(last.versions))
        new = range(start, self._next_number)
        versions = {n: v + (n in changed) for n, v in last.versions.items() if n not in gone}
        versions.update(dict.fromkeys(new, 0))
        return FirmSnapshot(versions, frozenset(new), changed, gone)

    def _some(
        self, numbers: Iterable[int], share: float, what: str, window: int, of: int = 0
    ) -> frozenset[int]:
        drawn = sorted(numbers, key=lambda number: draw(self._seed, what, window, number))
        return frozenset(drawn[: round(share * (of or len(drawn)))])


SEARCH_HOSTS = ("search.demo.test", "search2.demo.test")
MOST_FIRMS, MOST_WINDOWS = 20_000, 100


class FirmTruth(NamedTuple):
    """Published data of a useful firm and their URL; ``values`` by field name of the contacts template."""

    home: str
    contact_url: str
    values: dict[str, tuple[str, ...]]


class Changes(NamedTuple):
    """Home pages of the useful firms of a window, by their change since the last one."""

    added: frozenset[str]
    updated: frozenset[str]
    unchanged: frozenset[str]
    deleted: frozenset[str]


class Firms(Mapping[str, Site]):
    """Sites by host name, for ``DemoWeb``, with two search engines that find them.

    There are ``count`` firms in the first window; from one to the next, a tenth is added, a twentieth
    disappears, and a tenth of the useful ones changes its data. ``window`` may be set at any time.
    """

    def __init__(self, seed: int = 1, count: int = 100, window: int = 1) -> None:
        if not 1 <= count <= MOST_FIRMS:
            raise ArgumentError(f"firms={count} is out of range: give 1 to {MOST_FIRMS}")
        self._seed = seed
        self._snapshots = FirmSnapshots(seed, count)
        self.engines = {host: SearchSite(seed, host, self.listed) for host in SEARCH_HOSTS}
        self.window = window

    @property
    def window(self) -> int:
        """The current window, from 1."""
        return self._window

    @window.setter
    def window(self, number: int) -> None:
        if not 1 <= number <= MOST_WINDOWS:
            raise ArgumentError(f"window={number} is out of range: give 1 to {MOST_WINDOWS}")
        self._window = number
        firms = self._firms(number)
        sites = {firm.host: FirmSite(self._seed, firm, number) for firm in firms}
        self._listed = [_listing(firm, sites[firm.host]) for firm in firms]
        self._sites: dict[str, Site] = {**self.engines, **sites}

    def __getitem__(self, host: str) -> Site:
        return self._sites[host]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sites)

    def __len__(self) -> int:
        return len(self._sites)

    def listed(self) -> list[Listed]:
        """Return the sites that the search engines list in the window."""
        return self._listed

    def truth(self) -> list[FirmTruth]:
        """Return the published data of the useful firms of the window."""
        return [
            FirmTruth(firm.home, FirmSite(self._seed, firm, self.window).contact_url, firm.values)
            for firm in self._firms(self.window)
            if firm.kind is SiteKind.USEFUL
        ]

    def changes(self) -> Changes:
        """Return the changes of the useful firms since the last window."""
        snapshot = self._snapshots[self.window]
        changed = snapshot.new | snapshot.changed
        return Changes(
            added=self._homes(snapshot.new),
            updated=self._homes(snapshot.changed),
            unchanged=self._homes(snapshot.versions.keys() - changed),
            deleted=self._homes(snapshot.gone),
        )

    def _homes(self, numbers: frozenset[int] | set[int]) -> frozenset[str]:
        firms = (firm_of(self._seed, number) for number in numbers)
        return frozenset(firm.home for firm in firms if firm.kind is SiteKind.USEFUL)

    def _firms(self, window: int) -> list[Firm]:
        versions = self._snapshots[window].versions
        return [firm_of(self._seed, number, version) for number, version in versions.items()]


def _listing(firm: Firm, site: FirmSite) -> Listed:
    is_useful = firm.kind is SiteKind.USEFUL
    return Listed(firm.number, site.landing, f"{firm.name}-首页", firm.city, is_useful)


# Published data of the firms as a CSV file, to measure the extraction of contact pages.

COLUMNS = ("site", "host", "split", "home_url", "contact_url", "field", "value", "level", "alt")


def write_firms(firms: Firms, path: Path) -> None:
    """Write one row per value of the current window."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            for known in firms.truth():
                host = known.home.split("/")[2]
                writer.writerows(
                    (host, host, "", known.home, known.contact_url, field, value, "main", "")
                    for field, values in known.values.items()
                    for value in values
                )
    except OSError as error:
        raise ArgumentError(
            f"{path} cannot be written ({error.strerror}); give another path"
        ) from None
