"""The pages of one community."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from focuscrawl.demo.communities.community_articles import Shelf
from focuscrawl.demo.communities.community_html import Frame, box, link, pager
from focuscrawl.demo.communities.community_map import Community
from focuscrawl.demo.communities.community_words import load_themes
from focuscrawl.demo.repeatable_chance import draw, pick

ENTRIES_PER_PAGE = 10
_IN_A_BOX = 8
_POINTERS = 3
_MORE = ("阅读更多", "阅读全文", "继续阅读 »", "详细内容")


class Pages:
    """HTML texts of the pages; the requested articles and lists must exist."""

    def __init__(self, seed: int, shelf: Shelf, communities: Sequence[Community]) -> None:
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
