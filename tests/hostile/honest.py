"""Ten honest sites, and what of them must be stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from focuscrawl.demo.firms.firm_web import Firms
from focuscrawl.demo.site_protocol import ArticleTruth, Response, Site, not_found

SITES = 10
TOPIC = "nets"
# Pages that are about the topic by any rule.
_TEXT = "神经网络 的 训练 用 梯度下降, 卷积神经网络 也是。" * 3
_ARTICLES_OF_DESK = 6
DESK, BACK_DESK = "desk.honest.test", "backdesk.honest.test"


class Essays:
    """A home page and posts about the topic, all linked from the home page."""

    def __init__(self, number: int, posts: int) -> None:
        self.host = f"essays{number}.honest.test"
        self._posts = posts

    @property
    def home(self) -> str:
        """The URL of the home page."""
        return f"http://{self.host}/"

    def urls(self) -> list[str]:
        """Return every page that must be found."""
        return [self.home, *(f"{self.home}post/{post}.html" for post in range(self._posts))]

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Answer a GET."""
        number = path.removeprefix("/post/").removesuffix(".html")
        if path != "/" and not (number.isascii() and number.isdigit() and int(number) < self._posts):  # fmt: skip
            return not_found()
        at = -1 if path == "/" else int(number)
        nexts = range(self._posts) if at < 0 else [(at + 1) % self._posts, (2 * at) % self._posts]
        links = "".join(f'<li><a href="/post/{post}.html">神经网络 第 {post} 篇</a>' for post in sorted(set(nexts)))  # fmt: skip
        page = (
            f"<!DOCTYPE html><html><head><meta charset=utf-8><title>神经网络 {at}</title></head><body>"
            f"<h1>神经网络 {at}</h1><p>{self.host} {at}: {_TEXT}</p><ul>{links}</ul></body></html>"
        )
        return Response(200, {"Content-Type": "text/html; charset=utf-8"}, page.encode())

    def turn_to(self, today: date) -> None:
        """Do nothing: every day is like the other."""

    def truth(self) -> dict[str, ArticleTruth]:
        """Return nothing: no prices stand here."""
        return {}


class Desk:
    """A list of articles with a price each, which are also numbered.

    With ``?also=host,host`` the list leads to articles of those hosts, too.
    """

    def __init__(self, host: str) -> None:
        self.host = host

    def urls(self) -> list[str]:
        """Return every article that must be found."""
        return [f"http://{self.host}/article/{n}.htm" for n in range(1, _ARTICLES_OF_DESK + 1)]

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Answer a GET."""
        known = {url.split("/", 3)[3]: n for n, url in enumerate(self.urls(), 1)}
        if path == "/":
            entries = "".join(f'<li><a href="/{path}">2026年3月{n}日山东玉米价格</a> <span class="date">2026-03-0{n}</span></li>' for path, n in known.items())  # fmt: skip
            body = f'<title>价格</title><ul class="list">{_guests(query)}{entries}</ul>'
        elif number := known.get(path[1:]):
            text = "寿光金玉米收购价格稳定，农户售粮积极性一般，企业按需采购。" * 4
            body = f'<title>2026年3月{number}日山东玉米价格</title><h1>山东玉米价格 {number}</h1><div class="content"><p>寿光金玉米 16{number}0元/吨。{text}</p></div>'  # fmt: skip
        else:
            return not_found()
        page = f"<!DOCTYPE html><html><head><meta charset=utf-8></head><body>{body}</body></html>"
        return Response(200, {"Content-Type": "text/html; charset=utf-8"}, page.encode())

    def turn_to(self, today: date) -> None:
        """Do nothing: every day is like the other."""

    def truth(self) -> dict[str, ArticleTruth]:
        """Return nothing: the tables of two crawls are compared."""
        return {}


def _guests(query: str) -> str:
    hosts = [host for host in query.removeprefix("also=").split(",") if host]
    return "".join(
        f'<li><a href="http://{host}/a/1">2026年3月5日山东玉米价格 {host}</a> <span class="date">2026-03-05</span></li>'
        for host in hosts
    )


class Honest:
    """Ten sites about the topic, ten useful firms, two desks.

    As seeds they stand among the hostile sites, or all before them.
    """

    def __init__(self, posts: int = 12, *, comes_first: bool = False) -> None:
        self.comes_first = comes_first
        self.essays = [Essays(number, posts) for number in range(SITES)]
        self.desks = [Desk(DESK), Desk(BACK_DESK)]
        self._firms = Firms(3, 3 * SITES)
        self.firms = [known.home for known in self._firms.truth()][:SITES]

    def sites(self) -> dict[str, Site]:
        """Return the sites by host name."""
        own: dict[str, Site] = {site.host: site for site in self.essays}
        own |= {desk.host: desk for desk in self.desks}
        hosts = [home.split("/")[2] for home in self.firms]
        return own | {host: self._firms[host] for host in hosts}

    @property
    def homes(self) -> list[str]:
        """The seeds of crawls that go by the topic."""
        return [site.home for site in self.essays]

    def pages(self) -> set[str]:
        """Return every page about the topic."""
        return {url for site in self.essays for url in site.urls()}
