"""Topical communities behind irrelevant ones: many small sites, generated page by page."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from focuscrawl.demo.communities.community_articles import (
    MISCELLANY,
    TAGS,
    ArticleShelf,
    Community,
    CommunityMap,
    CommunityRole,
    load_themes,
    theme_named,
)
from focuscrawl.demo.site_protocol import Response, Site, draw, not_found, pick, plain
from focuscrawl.errors import ArgumentError
from focuscrawl.text.normal_form import traditional

# HTML shared by all pages of a community.

_BLOG = """<!DOCTYPE html>
<html lang="zh">
<head>
<meta charset="{charset}">
<title>{title}</title>
</head>
<body>
<header><a class="brand" href="/">{site}</a><nav><ul>
{menu}
</ul></nav></header>
<main>
{body}
</main>
<aside>
{side}
</aside>
<footer>
{foot}
</footer>
</body>
</html>
"""

_PORTAL = """<html>
<head>
<meta http-equiv="Content-Type" content="text/html; charset={charset}">
<title>{title}</title>
</head>
<body>
<div id="top"><a href="/"><img src="/logo.png" alt="{site}"></a></div>
<ul class="menu">
{menu}
</ul>
<table width="960"><tr valign="top"><td class="content">
{body}
</td><td class="sidebar">
{side}
</td></tr></table>
<div class="footer">
{foot}
</div>
</body>
</html>
"""

_FOOT = (
    '<p>© <a href="/">{site}</a> · <a href="/links.html">友情链接</a> · <a href="/about.html">关于本站</a>'
    ' · <a href="/admin/" rel="nofollow">登录</a> · <a href="mailto:editor@{host}">联系站长</a>'
    ' · <a href="javascript:window.scrollTo(0,0)">回到顶部</a></p>\n'
    '<p>Powered by <a href="http://blogware.demo.test/" rel="external nofollow">Blogware</a></p>'
)


@dataclass(frozen=True, slots=True)
class Frame:
    """Header, menu, side bar and footer of one site."""

    site: str
    host: str
    charset: str
    menu: Sequence[str]
    is_portal: bool

    def around(self, title: str, body: str, side: str) -> str:
        """Return a whole page; ``body`` and ``side`` are HTML."""
        shell = _PORTAL if self.is_portal else _BLOG
        site = escape(self.site)
        return shell.format(
            charset=self.charset,
            title=escape(f"{title} - {self.site}" if title else self.site),
            site=site,
            menu="\n".join(f"<li>{entry}</li>" for entry in self.menu),
            body=body,
            side=side,
            foot=_FOOT.format(site=site, host=self.host),
        )


def link(href: str, text: str, rel: str = "") -> str:
    """Return one link."""
    attribute = f' rel="{rel}"' if rel else ""
    return f'<a href="{href}"{attribute}>{escape(text)}</a>'


def box(heading: str, entries: Sequence[str]) -> str:
    """Return a list under a heading."""
    items = "\n".join(f"<li>{entry}</li>" for entry in entries)
    return f"<h3>{escape(heading)}</h3>\n<ul>\n{items}\n</ul>"


def pager(base: str, number: int, pages: int) -> str:
    """Return the links to the other pages of a list; page 1 is at ``base``."""
    if pages == 1:
        return ""
    marks = [
        f"<b>{n}</b>" if n == number else link(_page_path(base, n), str(n))
        for n in range(1, pages + 1)
    ]
    if number < pages:
        marks.append(link(_page_path(base, number + 1), "下一页", "next"))
    return f'<div class="pager">{" ".join(marks)}</div>'


def _page_path(base: str, number: int) -> str:
    return base if number == 1 else f"{base}page/{number}/"


# The pages of one community.

ENTRIES_PER_PAGE = 10
_IN_A_BOX = 8
_POINTERS = 3
_MORE = ("阅读更多", "阅读全文", "继续阅读 »", "详细内容")


class Pages:
    """HTML texts of the pages; the requested articles and lists must exist."""

    def __init__(self, seed: int, shelf: ArticleShelf, communities: Sequence[Community]) -> None:
        self._seed = seed
        self._shelf = shelf
        self._communities = communities
        self._own = shelf.community
        self._frame = Frame(
            site=self._own.name,
            host=self._own.host,
            charset=self._own.charset,
            menu=self._menu(),
            is_portal=draw(seed, self._own.number, "portal") < 0.4,
        )

    def home(self, number: int) -> str:
        """Return a page of the list of all articles; the first one has the blogroll."""
        friends = self._own.blogroll if number == 1 else []
        blogroll = [link(self._communities[n].home, self._communities[n].name) for n in friends]
        return self._list("", "/", list(self._shelf.numbers), number, blogroll)

    def category(self, category: int, number: int) -> str:
        """Return a page of the list of a category's articles."""
        name = self._shelf.categories[category]
        return self._list(name, f"/category/{category}/", self._shelf.in_category(category), number)

    def tag(self, tag: int) -> str:
        """Return the list of the articles with a tag."""
        name = self._shelf.tags[tag]
        entries = [self._title_link(number) for number in self._shelf.with_tag(tag)]
        return self._page(f"标签：{name}", box(f"标签“{name}”下的文章", entries))

    def tags(self) -> str:
        """Return the tag cloud."""
        cloud = " ".join(self._tag_link(tag) for tag in range(len(self._shelf.tags)))
        return self._page("标签云", f"<h1>标签云</h1>\n<p>{cloud}</p>")

    def archive(self) -> str:
        """Return the list of all headlines by year."""
        years: dict[int, list[str]] = {}
        for number in self._shelf.numbers:
            day = self._shelf.day(number)
            years.setdefault(day.year, []).append(f"{day:%m-%d} {self._title_link(number)}")
        return self._page("归档", "\n".join(box(f"{y}年", entries) for y, entries in years.items()))

    def links(self) -> str:
        """Return the page with links to the friends, the last of which is dead."""
        entries = [self._friend(self._communities[number]) for number in self._own.friends]
        gone = f"http://gone-{self._own.number:03d}.demo.test/"
        entries.append(f"{link(gone, '老朋友')} —— 很久没有更新了")
        return self._page("友情链接", box("友情链接", entries) + "\n<p>交换链接请留言。</p>")

    def about(self) -> str:
        """Return the page about the site."""
        words = pick(self._shelf.theme.descriptions, self._seed, self._own.number, "description")
        return self._page("关于本站", f"<h1>关于本站</h1>\n<p>{words}。本站内容均为演示而写。</p>")

    def post(self, number: int) -> str:
        """Return an article."""
        shelf = self._shelf
        writer = shelf.writer(number)
        headline = writer.headline()
        category = shelf.category_of(number)
        paragraphs = [f"<p>{writer.paragraph(5)}</p>" for _ in range(4 + number % 5)]
        for position, target in enumerate(shelf.some(_POINTERS, number, "pointer")):
            paragraphs.insert(1 + 2 * position, self._pointer(target))
        body = [
            f'<div class="crumbs">{link("/", "首页")} &gt; {self._category_link(category)}</div>',
            f"<h1>{escape(headline)}</h1>",
            f'<p class="meta">{shelf.day(number)} {link(f"/p/{number}", "永久链接", "bookmark")}</p>',
            *paragraphs,
            self._attachment(number),
            '<p class="tags">' + " ".join(map(self._tag_link, shelf.tags_of(number))) + "</p>",
            self._neighbours(number),
            box("相关阅读", self._title_links(shelf.some(6, number, "related"))),
        ]
        return self._page(headline, "\n".join(body))

    def _menu(self) -> list[str]:
        categories = [self._category_link(n) for n in range(len(self._shelf.categories))]
        others = {"标签": "/tags/", "归档": "/archive/", "友情链接": "/links.html"}
        return [link("/", "首页"), *categories, *(link(to, name) for name, to in others.items())]

    def _list(
        self, title: str, base: str, articles: list[int], number: int, blogroll: Sequence[str] = ()
    ) -> str:
        start = (number - 1) * ENTRIES_PER_PAGE
        entries = [self._teaser(n) for n in articles[start : start + ENTRIES_PER_PAGE]]
        marks = pager(base, number, pages_of(articles))
        heading = f"<h1>{escape(title or self._own.name)}</h1>"
        return self._page(title, "\n".join([heading, *entries, marks]), blogroll)

    def _page(self, title: str, body: str, blogroll: Sequence[str] = ()) -> str:
        shelf = self._shelf
        boxes = [
            box("最新文章", self._title_links(shelf.numbers[:_IN_A_BOX])),
            box("热门文章", self._title_links(shelf.some(_IN_A_BOX, "popular"))),
            box("标签", [self._tag_link(tag) for tag in range(len(shelf.tags))]),
        ]
        if blogroll:
            boxes.append(box("博客圈", blogroll))
        return self._frame.around(title, body, "\n".join(boxes))

    def _teaser(self, number: int) -> str:
        writer = self._shelf.writer(number)
        more = pick(_MORE, self._seed, self._own.number, "more")
        category = self._category_link(self._shelf.category_of(number))
        return (
            f"<div><h2>{link(_post_path(number), writer.headline())}</h2>\n"
            f"<p>{writer.paragraph(2)}</p>\n"
            f"<p>{self._shelf.day(number)} · {category} · {link(_post_path(number), more)}</p></div>"
        )

    def _pointer(self, number: int) -> str:
        words = self._shelf.writer(number).pointer()
        # Half of the links inside texts are short URLs that redirect.
        href = f"/p/{number}" if number % 2 else _post_path(number)
        return f"<p>{words.before}{link(href, words.anchor)}{words.after}</p>"

    def _attachment(self, number: int) -> str:
        if number % 7:
            return ""
        return f"<p>附件：{link(f'/download/{number}', '下载')}，{link('/post/0.html', '旧版')}</p>"

    def _neighbours(self, number: int) -> str:
        marks = []
        if number > 1:
            marks.append(link(_post_path(number - 1), "上一篇", "prev"))
        if number < self._shelf.count:
            marks.append(link(_post_path(number + 1), "下一篇", "next"))
        return f"<p>{' '.join(marks)}</p>"

    def _friend(self, friend: Community) -> str:
        theme = load_themes()[friend.theme]
        words = pick(theme.descriptions, self._seed, friend.number, "description")
        return f"{link(friend.home, friend.name)} —— {words}"

    def _title_links(self, numbers: Sequence[int]) -> list[str]:
        return [self._title_link(number) for number in numbers]

    def _title_link(self, number: int) -> str:
        return link(_post_path(number), self._shelf.headline(number))

    def _tag_link(self, tag: int) -> str:
        return link(f"/tag/{tag}/", self._shelf.tags[tag], "tag")

    def _category_link(self, category: int) -> str:
        return link(f"/category/{category}/", self._shelf.categories[category])


def pages_of(articles: Sequence[int]) -> int:
    """Return the number of pages of a list of articles."""
    return max(1, -(-len(articles) // ENTRIES_PER_PAGE))


def _post_path(number: int) -> str:
    return f"/post/{number}.html"


# One community as a site: its pages by path, and the truth about each.

_ROUTES = {
    "home": r"/(?:page/([2-9]|[1-9]\d{1,3})/)?",
    "category": r"/category/(\d)/(?:page/([2-9]|[1-9]\d{1,3})/)?",
    "tag": r"/tag/(\d{1,2})/",
    "tags": r"/tags/",
    "archive": r"/archive/",
    "links": r"/links\.html",
    "about": r"/about\.html",
    "post": r"/post/([1-9]\d{0,4})\.html",
    "short": r"/p/([1-9]\d{0,4})",
    "download": r"/download/([1-9]\d{0,4})",
    "robots": r"/robots\.txt",
    "admin": r"/admin/",
}
_PATTERNS = {name: re.compile(pattern, re.ASCII) for name, pattern in _ROUTES.items()}
_NO_PAGES = ("robots", "admin", "short", "download")
_ENCODINGS = {"utf-8": "utf-8", "gb2312": "gb18030", "big5": "big5"}


class PageKind(StrEnum):
    """Kind of a page."""

    POST = "post"
    HUB = "hub"
    OTHER = "other"


class PageTruth(NamedTuple):
    """Kind of a page, and its relevance. A hub is relevant if most of its posts are."""

    url: str
    kind: PageKind
    relevant: bool


@dataclass(frozen=True, slots=True)
class _Place:
    name: str
    first: int = 1
    second: int = 1


class CommunitySite(Site):
    """One community; it is the same every day."""

    def __init__(self, seed: int, topic: str, own: Community, everybody: list[Community]) -> None:
        self._own = own
        self._shelf = ArticleShelf(seed, topic, own)
        self._pages = Pages(seed, self._shelf, everybody)

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET. Queries are ignored."""
        place = self._place(path)
        match place:
            case None:
                return not_found()
            case _Place("robots"):
                return Response(
                    200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /admin/\n"
                )
            case _Place("admin"):
                return plain(403, "staff only")
            case _Place("short", number):
                return Response(301, {"Location": f"/post/{number}.html"})
            case _Place("download"):
                return Response(
                    200, {"Content-Type": "application/pdf"}, b"%PDF-1.4\n" + bytes(512)
                )
            case _:
                return self._html(self._write(place))

    def page_truth(self, path: str) -> PageTruth | None:
        """Return kind and relevance of the page at a path, None if there is no page."""
        place = self._place(path)
        if place is None or place.name in _NO_PAGES:
            return None
        return PageTruth(self._own.home.rstrip("/") + path, *self._judge(place))

    def paths(self) -> Iterator[str]:
        """Yield the paths of all reachable pages."""
        yield from ("/", "/tags/", "/archive/", "/links.html", "/about.html")
        yield from (f"/tag/{tag}/" for tag in range(TAGS))
        yield from (f"/page/{n}/" for n in range(2, pages_of(self._shelf.numbers) + 1))
        for category in range(MISCELLANY + 1):
            yield f"/category/{category}/"
            pages = pages_of(self._shelf.in_category(category))
            yield from (f"/category/{category}/page/{n}/" for n in range(2, pages + 1))
        yield from (f"/post/{number}.html" for number in self._shelf.numbers)

    def _place(self, path: str) -> _Place | None:
        for name, pattern in _PATTERNS.items():
            if match := pattern.fullmatch(path):
                numbers = [int(digits or 1) for digits in match.groups()]
                place = _Place(name, *numbers)
                return place if self._exists(place) else None
        return None

    def _exists(self, place: _Place) -> bool:
        match place:
            case _Place("home", number):
                return number <= pages_of(self._shelf.numbers)
            case _Place("category", category, number):
                known = category <= MISCELLANY
                return known and number <= pages_of(self._shelf.in_category(category))
            case _Place("tag", tag):
                return tag < TAGS
            case _Place("post" | "short" | "download", number):
                return number <= self._shelf.count
        return True

    def _judge(self, place: _Place) -> tuple[PageKind, bool]:
        is_topical = self._own.role is CommunityRole.TOPICAL
        match place:
            case _Place("post", number):
                return PageKind.POST, self._shelf.is_relevant(number)
            case _Place("category", category):
                return PageKind.HUB, is_topical and category != MISCELLANY
            case _Place("home" | "tag" | "tags" | "archive"):
                return PageKind.HUB, is_topical
        return PageKind.OTHER, False

    def _write(self, place: _Place) -> str:
        pages = self._pages
        match place:
            case _Place("home", number):
                return pages.home(number)
            case _Place("category", category, number):
                return pages.category(category, number)
            case _Place("tag", tag):
                return pages.tag(tag)
            case _Place("post", number):
                return pages.post(number)
        single = {"tags": pages.tags, "archive": pages.archive, "links": pages.links}
        return single.get(place.name, pages.about)()

    def _html(self, page: str) -> Response:
        charset = self._own.charset
        if charset == "big5":
            page = traditional(page)
        body = page.encode(_ENCODINGS[charset], "xmlcharrefreplace")
        return Response(200, {"Content-Type": "text/html"}, body)


__all__ = ["Communities", "PageKind", "PageTruth"]

_MOST_COMMUNITIES, _MOST_ARTICLES, _LONGEST_CHAIN = 100_000, 10_000, 100


class Communities(Mapping[str, CommunitySite]):
    """Sites by host name, for ``DemoWeb.sites``, each created on first access.

    About one community in five is about ``theme``; the path from one of these to the next has 1 to
    ``longest_chain`` irrelevant pages (:class:`CommunityMap`). ``articles`` is the mean number of
    articles of a community. Raises :class:`ArgumentError` for values out of range.
    """

    def __init__(
        self,
        seed: int = 1,
        count: int = 20,
        articles: int = 40,
        longest_chain: int = 6,
        theme: str = "finance",
    ) -> None:
        _check("communities", count, _MOST_COMMUNITIES)
        _check("articles", articles, _MOST_ARTICLES)
        _check("longest chain", longest_chain, _LONGEST_CHAIN)
        self.theme = theme_named(theme)
        self.map = CommunityMap(seed, count, articles, longest_chain, theme)
        self._seed = seed
        self._by_host = {one.host: one for one in self.map.communities}
        self._site = lru_cache(maxsize=512)(self._make_site)

    def __getitem__(self, host: str) -> CommunitySite:
        return self._site(host)

    def __contains__(self, host: object) -> bool:
        return host in self._by_host

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_host)

    def __len__(self) -> int:
        return len(self._by_host)

    def hosts(self, *, topical: bool) -> list[str]:
        """Return the hosts of the communities about the topic, or of all others."""
        return [
            host
            for host, one in self._by_host.items()
            if (one.role is CommunityRole.TOPICAL) is topical
        ]

    def truth(self) -> Iterator[PageTruth]:
        """Yield every reachable page, site by site."""
        for site in self.values():
            for path in site.paths():
                known = site.page_truth(path)
                assert known is not None, path
                yield known

    def _make_site(self, host: str) -> CommunitySite:
        own = self._by_host[host]
        return CommunitySite(self._seed, self.theme.name, own, self.map.communities)


def _check(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise ArgumentError(f"{name}={value} is out of range: give 1 to {most}")


# Files for a crawl of the communities: a topic, and the true relevance of the pages.

_WORDS_KNOWN_EVERY = 3
_LEFT_OUT_EVERY = 3


def topic_of(communities: Communities, name: str) -> dict[str, Any]:
    """Return a topic with some words of the theme and two thirds of the sites.

    Links to the remaining sites have no label.
    """
    listed = {
        f"{label}_domains": [
            host
            for number, host in enumerate(communities.hosts(topical=label == "positive"), start=1)
            if number % _LEFT_OUT_EVERY
        ]
        for label in ("positive", "negative")
    }
    return {
        "name": name,
        "description": f"{communities.theme.title}, in the demo web",
        "lexicon": dict.fromkeys(communities.theme.words[::_WORDS_KNOWN_EVERY], 3),
        **listed,
        "seeds": [communities.map.communities[0].home],
    }


def write_topic(communities: Communities, path: Path) -> None:
    """Write the topic as YAML, with the name of the file."""
    text = yaml.safe_dump(topic_of(communities, path.stem), allow_unicode=True, sort_keys=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _cannot_write(path, error) from None


def write_truth(communities: Communities, path: Path) -> None:
    """Write every page as ``url, relevant, page_type`` (0 or 1; post, hub, other)."""
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("url", "relevant", "page_type"))
            writer.writerows(
                (known.url, int(known.relevant), known.kind) for known in communities.truth()
            )
    except OSError as error:
        raise _cannot_write(path, error) from None


def _cannot_write(path: Path, error: OSError) -> ArgumentError:
    return ArgumentError(f"{path} cannot be written ({error.strerror}); give another path")
