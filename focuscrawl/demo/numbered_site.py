"""The numbered site: articles without lists, with gaps and faults."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape
from random import Random
from typing import Literal

from focuscrawl.demo.communities.community_articles import Writer, common_words, load_themes
from focuscrawl.demo.site_protocol import Response, Site, draw, not_found, pick, plain
from focuscrawl.errors import ArgumentError
from focuscrawl.text.normal_form import traditional

# Numbers of the numbered site that have an article, and its responses to the others.

LONGEST_GAP = 60
Way = Literal["404", "410", "soft 404", "home"]
Fault = Literal["", "503", "hang", "cut", "empty"]

_WAYS: tuple[Way, ...] = ("404", "410", "soft 404", "home")
# A fifth of the numbers has no article: gaps are 1 to 60 long, runs of articles four times as long.
_LONGEST_RUN = 4 * LONGEST_GAP + 3
_SHARES: tuple[tuple[Fault, float], ...] = (("503", 0.02), ("hang", 0.01), ("cut", 0.005), ("empty", 0.005))  # fmt: skip


class NumberMap:
    """Numbers from 1 up in runs with and without articles; a longer map begins like a shorter one.

    >>> NumberMap(1).existing(9) == NumberMap(1).existing(5000)[: len(NumberMap(1).existing(9))]
    True
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._runs = self._drawn_runs()
        self._exists = bytearray(1)

    def exists(self, number: int) -> bool:
        """Return whether there is, or will be, an article with that number."""
        self._grow(number)
        return bool(self._exists[number])

    def existing(self, count: int) -> list[int]:
        """Return the numbers up to ``count`` that have an article."""
        self._grow(count)
        return [number for number in range(1, count + 1) if self._exists[number]]

    def way(self, number: int) -> Way:
        """Return the kind of response for a missing article, the same within a gap."""
        while not self.exists(number - 1) and number > 1:
            number -= 1
        return pick(_WAYS, self._seed, number, "way")

    def fault(self, number: int) -> Fault:
        """Return the fault of the first request for a number."""
        drawn = draw(self._seed, number, "fault")
        for fault, share in _SHARES:
            if drawn < share:
                return fault
            drawn -= share
        return ""

    def _grow(self, number: int) -> None:
        while len(self._exists) <= number:
            self._exists += next(self._runs)

    def _drawn_runs(self) -> Iterator[bytes]:
        random = Random(f"numbers {self._seed}")
        while True:
            yield b"\1" * random.randint(1, _LONGEST_RUN)
            yield b"\0" * random.randint(1, LONGEST_GAP)


# Articles of the numbered site: their contents, and their pages in six charsets.

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


HOST = "numbered.demo.test"
PATTERN = f"http://{HOST}/article/{{n}}.htm"
MOST_NUMBERS = 1_000_000
NEW_A_DAY = 20

_PATH = re.compile(r"/article/([1-9]\d{0,11})\.htm", re.ASCII)
_HTML = "text/html"


class NumberedSite(Site):
    """Articles 1 to ``numbers`` except a fifth of the numbers; twenty more numbers every day.

    Gaps are up to 60 numbers long; their responses are a 404, a 410, a page with status 200, or a
    redirect to the home page. On the first request, 2 % of the numbers return 503, 1 % hang, 1 %
    return half a page or an empty one, unless ``faults=False``. One page in the middle has ``big_mb``
    megabytes. Pages are in six charsets. Raises ArgumentError for values out of range.
    """

    def __init__(
        self,
        seed: int = 1,
        numbers: int = 5000,
        *,
        today: date | None = None,
        big_mb: int = 6,
        faults: bool = True,
    ) -> None:
        if not 1 <= numbers <= MOST_NUMBERS:
            raise ArgumentError(f"numbers={numbers} is out of range: give 1 to {MOST_NUMBERS}")
        self.count = numbers
        self.has_faults = faults
        self._map = NumberMap(seed)
        self._day = today or date.today()
        existing = self._map.existing(numbers)
        self.big = existing[len(existing) // 2]
        self._pages = NumberedPages(seed, HOST, self.big, big_mb * 1024 * 1024)
        self._requests: Counter[int] = Counter()
        self._late: set[int] = set()

    def existing(self) -> list[int]:
        """Return the numbers that have an article now."""
        return sorted({*self._map.existing(self.count), *self._late})

    def publish(self, number: int) -> None:
        """Publish an article for a number that had none."""
        self._late.add(number)

    def article(self, number: int) -> NumberedTruth:
        """Return the content of an article."""
        return self._pages.truth(number)

    def turn_to(self, today: date) -> None:
        """Add the numbers of the days until ``today``."""
        self.count += NEW_A_DAY * max(0, (today - self._day).days)
        self._day = today

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET."""
        if path == "/":
            return Response(200, {"Content-Type": _HTML}, "<h1>演示文库</h1>".encode())
        found = _PATH.fullmatch(path)
        if not found:
            return not_found()
        number = int(found[1])
        self._requests[number] += 1
        return self._fault(number) or self._answer(number)

    def _fault(self, number: int) -> Response | None:
        fault = self._map.fault(number) if self.has_faults and number <= self.count else ""
        if not fault or self._requests[number] > 1:
            return None
        if fault == "503":
            return plain(503, "out of order for a moment")
        if fault == "hang":
            return Response(200, fault="hang")
        if fault == "empty":
            return Response(200, {"Content-Type": _HTML})
        whole = self._answer(number)
        return Response(200, whole.headers, whole.body or b"cut", fault="cut")

    def _answer(self, number: int) -> Response:
        # For numbers that were never assigned, the response is always the same.
        way = self._map.way(number) if number <= self.count else "soft 404"
        if number in self._late or (number <= self.count and self._map.exists(number)):
            charset, body = self._pages.page(number)
            kind = f"{_HTML}; charset={charset}" if charset else _HTML
            return Response(200, {"Content-Type": kind}, body)
        if way == "home":
            return Response(302, {"Location": "/"})
        if way == "soft 404":
            return Response(200, {"Content-Type": f"{_HTML}; charset=utf-8"}, notice(number))
        return plain(int(way), "no such article")
