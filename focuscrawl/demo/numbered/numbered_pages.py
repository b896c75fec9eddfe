"""Articles of the numbered site: their contents, and their pages in six charsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape

from focuscrawl.demo.communities.community_words import Writer, common_words, load_themes
from focuscrawl.demo.repeatable_chance import draw, pick
from focuscrawl.text.chinese_script import traditional

CHARSETS = ("utf-8", "gbk", "gb2312", "gb18030", "big5", "utf-16")
# Characters beyond GBK and beyond the basic plane.
_RARE = {"utf-8": "🌽𠮷", "utf-16": "🌽𠮷", "gb18030": "㐂𠮷🌽"}
_FIRST_DAY = date(2009, 5, 4)
_ARTICLES_A_DAY = 7

_PAGE = """<!DOCTYPE html>
<html>
<head>
<meta http-equiv="Content-Type" content="text/html; charset={charset}">
<title>{title} - {site}</title>
<meta name="keywords" content="{tags}">
<meta name="description" content="{description}">
</head>
<body>
<div id="top"><a href="/">{site}</a> <a href="/list/">{category}</a></div>
<div id="main">
<h1>{title}</h1>
<div class="info">{when}：<span class="date">{published}</span> {who}：<span class="author">{author}</span></div>
<div id="content">
{body}
</div>
<div class="tags">{links}</div>
</div>
<div id="foot">{site} {number}</div>
</body>
</html>
"""
_NOTICE = """<!DOCTYPE html>
<html>
<head><meta charset="utf-8"><title>演示文库</title></head>
<body><div id="main"><h1>没有找到</h1><p>编号为 {number} 的文章不存在或者已经移走，请从<a href="/">首页</a>另找。</p></div></body>
</html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedTruth:
    """The content of a numbered article; ``text`` has one line per paragraph."""

    number: int
    url: str
    charset: str
    title: str
    description: str
    tags: tuple[str, ...]
    author: str
    published: date
    text: str


class NumberedPages:
    """Pages of one site; the text of the number ``big`` has at least ``big_bytes``."""

    def __init__(self, seed: int, host: str, big: int, big_bytes: int) -> None:
        self._seed = seed
        self._host = host
        self._big = big
        self._big_bytes = big_bytes

    def truth(self, number: int) -> NumberedTruth:
        """Return the content of an article, whether it exists or not."""
        theme = pick(tuple(load_themes().values()), self._seed, number, "theme")
        charset = "utf-8" if number == self._big else pick(CHARSETS, self._seed, number, "charset")
        writer = Writer(theme, self._seed, "numbered", number)
        title = f"{writer.headline()}（{number}）"
        lines = list(self._paragraphs(writer, number, charset))
        tags = dict.fromkeys(pick(theme.words, self._seed, number, n, "tag") for n in range(3))
        script = traditional if charset == "big5" else str
        return NumberedTruth(
            number=number,
            url=f"http://{self._host}/article/{number}.htm",
            charset=charset,
            title=script(title),
            description=script(lines[0][:60].strip()),
            tags=tuple(script(tag) for tag in tags),
            author=script(pick(common_words().names, self._seed, number, "author")),
            published=_FIRST_DAY + timedelta(days=number // _ARTICLES_A_DAY),
            text=script("\n".join(lines)),
        )

    def page(self, number: int) -> tuple[str, bytes]:
        """Return the charset of the HTTP header, ``""`` for none, and the page."""
        known = self.truth(number)
        declared = known.charset
        if declared == "gb18030":
            # Like many real pages, declared as a subset of their charset.
            declared = "gb2312"
        page = _PAGE.format(
            charset=declared,
            site="演示文库",
            category="文章",
            when="时间",
            who="作者",
            number=number,
            title=escape(known.title),
            tags=escape(",".join(known.tags)),
            description=escape(known.description),
            author=escape(known.author),
            published=known.published.isoformat(),
            body="\n".join(f"<p>{escape(line)}</p>" for line in known.text.split("\n")),
            links=" ".join(f'<a href="/tag/{n}">{escape(t)}</a>' for n, t in enumerate(known.tags)),
        )
        in_header = draw(self._seed, number, "header") < 0.5 or declared == "utf-16"
        return declared if in_header else "", page.encode(known.charset, "xmlcharrefreplace")

    def _paragraphs(self, writer: Writer, number: int, charset: str) -> Iterator[str]:
        yield writer.paragraph(3) + _RARE.get(charset, "") + " <b>1 & 2</b>"
        for _ in range(2 + int(draw(self._seed, number, "length") * 6)):
            yield writer.paragraph(4)
        if number == self._big:
            yield from self._many(writer)

    def _many(self, writer: Writer) -> Iterator[str]:
        some = [writer.paragraph(8) for _ in range(50)]
        size = 0
        for count in range(self._big_bytes):
            line = f"{count}：{some[count % len(some)]}"
            yield line
            size += len(line.encode()) + len("<p></p>\n")
            if size >= self._big_bytes:
                return


def notice(number: int) -> bytes:
    """Return the page of a soft 404."""
    return _NOTICE.format(number=number).encode()
