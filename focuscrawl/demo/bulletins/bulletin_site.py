"""The bulletin site: list pages, articles of several pages, conditional requests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from hashlib import blake2b
from html import escape
from itertools import pairwise

from focuscrawl.demo.bulletins.market_prices import (
    FEED_MILL_CITIES,
    GBK_ONLY_FIRMS,
    LATE_REPORTERS,
    NEIGHBOURS,
    SHANDONG,
    TRADER_CITIES,
    TRADITIONAL_PORTS,
    City,
    Market,
)
from focuscrawl.demo.site_protocol import ArticleTruth, Response, TruthQuote, draw, not_found, pick

# HTML around lists and articles of the bulletin site.

_SHELL = """<!DOCTYPE html>
<html>
<head>
<meta http-equiv="Content-Type" content="text/html; charset={charset}">
<title>{title}</title>
<style>body{{font-family:sans-serif;max-width:46em;margin:1em auto}}.date{{color:#777}}</style>
</head>
<body>
<div class="nav"><a href="/">{words.home}</a> <a href="/list/">{words.prices}</a></div>
{body}
<div class="footer"><a href="/private/">{words.staff}</a></div>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the frame, in one script."""

    home: str
    prices: str
    staff: str
    published: str
    updated: str


SIMPLIFIED = Words("首页", "收购行情", "编辑入口", "发布时间", "更新时间")
TRADITIONAL = Words("首頁", "收購行情", "編輯入口", "發布時間", "更新時間")


def page(title: str, body: str, charset: str = "gb2312", words: Words = SIMPLIFIED) -> str:
    """Return a complete page that declares ``charset``."""
    return _SHELL.format(charset=charset, title=escape(title), body=body, words=words)


def link_item(href: str, date_words: str, title: str, stamp: str) -> str:
    """Return one entry of a list page; the title attribute of the link has the last update."""
    hint = escape(f"标题：{title}\n更新时间：{stamp}").replace("\n", "&#10;")
    return (
        f'<li><span class="date">[{date_words}]</span> '
        f'<a href="{href}" title="{hint}" target="_blank">{escape(title)}</a></li>'
    )


def list_path(number: int) -> str:
    """Return the path of list page ``number`` (from 1)."""
    return "/list/" if number == 1 else f"/list/index_{number}.html"


def list_body(items: Sequence[str], number: int, pages: int, total: int) -> str:
    """Return the body of list page ``number`` (from 1) of ``pages``."""
    marks = [f"共{total}条 第{number}/{pages}页"]
    if number > 1:
        marks += [_link(list_path(1), "首页"), _link(list_path(number - 1), "上一页")]
    if number < pages:
        marks += [_link(list_path(number + 1), "下一页"), _link(list_path(pages), "尾页")]
    entries = "\n".join(items)
    return (
        f'<h1>收购行情</h1>\n<ul class="newslist">\n{entries}\n</ul>\n'
        f'<div class="pager">{" ".join(marks)}</div>'
    )


def article_body(heading: str, info: str, blocks: Sequence[str], pager: str) -> str:
    """Return the body of one page of an article."""
    content = "\n".join(blocks)
    return (
        f'<div class="article">\n<h1>{escape(heading)}</h1>\n<div class="info">{info}</div>\n'
        f'<div class="content">\n{content}\n</div>\n{pager}\n</div>'
    )


def article_pager(hrefs: Sequence[str], number: int) -> str:
    """Return the pager of page ``number`` (from 1), ``""`` for an article of one page."""
    if len(hrefs) == 1:
        return ""
    marks = [
        f"<b>[{n}]</b>" if n == number else _link(href, f"[{n}]")
        for n, href in enumerate(hrefs, start=1)
    ]
    if number < len(hrefs):
        marks.append(_link(hrefs[number], "下一页"))
    return f'<div class="pages">{" ".join(marks)}</div>'


def _link(href: str, text: str) -> str:
    return f'<a href="{href}">{text}</a>'


# Sentences and tables of a bulletin, each with its quotes.

_CONDITIONS = ("水分14%以内，", "水分15%以内、霉变2%以内，", "二等粮，", "")
_VERBS = ("收购价", "挂牌价", "到厂价")
_SMALL_LORRY_DISCOUNT = 10
_WRITTEN_FORMULA = "=1+1"


@dataclass(frozen=True, slots=True)
class BulletinBlock:
    """A paragraph or table as HTML, with its quotes in order."""

    html: str
    quotes: tuple[TruthQuote, ...] = ()


def paragraph(*lines: str) -> str:
    """Return one paragraph with line breaks between the lines."""
    return "<p>" + "<br>\n".join(lines) + "</p>"


def lead(day: date, subject: str) -> BulletinBlock:
    """Return the opening sentence, which has the date and no price."""
    return BulletinBlock(paragraph(f"{long_date(day)}，本站收集的{subject}收购行情如下，供参考。"))


def closing(day: date) -> BulletinBlock:
    """Return the last sentence, with figures that are not prices."""
    lorries = 300 + int(draw("lorries", day) * 900)
    return BulletinBlock(
        paragraph(
            f"今晨各厂门前到货约{lorries}车。水分超过14%的，每超1个百分点扣重1.2%，超过30%的拒收。"
        )
    )


def firms_of_city(market: Market, city: City, day: date) -> BulletinBlock:
    """Return a paragraph with one line per firm of the city, in yuan per jin."""
    lines, quotes = [], []
    for firm in city.firms:
        line, found = firm_line(market, firm, day)
        lines.append(city.name + line)
        quotes += found
    return BulletinBlock(paragraph(*lines), tuple(quotes))


def firm_line(market: Market, firm: str, day: date) -> tuple[str, list[TruthQuote]]:
    """Return the sentence about one firm and its quotes; some firms pay less for small lorries."""
    price, change = market.price(firm, day), market.change(firm, day)
    condition = pick(_CONDITIONS, market.seed, firm, "condition")
    verb = pick(_VERBS, market.seed, firm, day, "verb")
    quotes = [_quote_per_jin(firm, price)]
    small = ""
    if draw(market.seed, firm, "small lorries") < 0.25:
        small_price = price - _SMALL_LORRY_DISCOUNT
        small = f"，10吨以下小车{per_jin(small_price)}"
        quotes.append(_quote_per_jin(firm, small_price))
    return f"{firm}，{condition}{verb}{per_jin(price)}{small}，{change_words(change)}。", quotes


def feed_mills(market: Market, day: date) -> BulletinBlock:
    """Return a paragraph about the feed mills of some cities, one price each, in yuan per ton."""
    lines, quotes = [], []
    for city in FEED_MILL_CITIES:
        mention = f"{city}地区饲料厂"
        price = _rounded_per_ton(market.price(mention, day)) + 40
        lines.append(f"山东{mention}{market.commodity}收购价{price}元/吨，水分15%以内。")
        quotes.append(TruthQuote(mention, price, price))
    return BulletinBlock(paragraph(*lines), tuple(quotes))


def traders(market: Market, day: date) -> BulletinBlock:
    """Return a paragraph about the traders of some cities, with ranges in yuan per ton."""
    lines, quotes = [], []
    for city in TRADER_CITIES:
        mention = f"{city}地区贸易商"
        low = _rounded_per_ton(market.price(mention, day)) - 60
        high = low + pick((10, 20, 30), market.seed, city, day, "width")
        lines.append(f"{mention}{market.commodity}收购价{low}-{high}元/吨，水分16%左右。")
        quotes.append(TruthQuote(mention, low, high))
    return BulletinBlock(paragraph(*lines), tuple(quotes))


def county_table(
    market: Market, cities: Sequence[City], day: date, *, formula: bool = False
) -> BulletinBlock:
    """Return a table of counties with the unit in its header; ``formula`` adds a formula as a remark."""
    rows: list[str] = []
    quotes = []
    for city in cities:
        for county in city.counties:
            price = _rounded_per_ton(market.price(county, day)) - 30
            moisture = pick((14, 15, 16), market.seed, county, "moisture")
            remark = _WRITTEN_FORMULA if formula and not rows else "自提"
            cells = (city.name, county, market.commodity, f"{moisture}%", price, remark)
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
            quotes.append(TruthQuote(county, price, price))
    names = ("地区", "县市", "品种", "水分", "收购价(元/吨)", "备注")
    header = "<tr>" + "".join(f"<th>{name}</th>" for name in names) + "</tr>"
    table = '<table class="prices" border="1">\n' + "\n".join([header, *rows]) + "\n</table>"
    return BulletinBlock(table, tuple(quotes))


def late_report(market: Market, firm: str, day: date) -> BulletinBlock:
    """Return the paragraph that a correction adds."""
    price = market.price(firm, day)
    text = f"补报：{firm}当日收购价{per_jin(price)}。"
    return BulletinBlock(paragraph(text), (_quote_per_jin(firm, price),))


def ports_in_traditional(market: Market, day: date) -> tuple[BulletinBlock, ...]:
    """Return a short bulletin in traditional characters, in yuan per ton."""
    lines, quotes = [], []
    for port in TRADITIONAL_PORTS:
        low = _rounded_per_ton(market.price(port, day)) + 20
        lines.append(f"{port}玉米平艙價{low}-{low + 20}元/噸。")
        quotes.append(TruthQuote(port, low, low + 20))
    opening = f"{long_date(day)}，本站收集的山東港口玉米報價如下，供參考。"
    return BulletinBlock(paragraph(opening)), BulletinBlock(paragraph(*lines), tuple(quotes))


def per_jin(price: int) -> str:
    """Format a price in 厘 per jin as yuan per jin without trailing zeros."""
    return f"{price / 1000:.3f}".rstrip("0").rstrip(".") + "元/斤"


def change_words(change: int) -> str:
    """Return a change in 厘 in words."""
    if change == 0:
        return "与昨日持平"
    return f"{'涨' if change > 0 else '落'}{abs(change)}厘"


def long_date(day: date) -> str:
    """Format a date as in bulletins."""
    return f"{day.year}年{day.month}月{day.day}日"


def _quote_per_jin(mention: str, price: int) -> TruthQuote:
    return TruthQuote(mention, 2 * price, 2 * price)


def _rounded_per_ton(price: int) -> int:
    return round(2 * price / 10) * 10


# Bulletins of a day and their contents.

MAIN, FIRST_OTHER, SECOND_OTHER, FLASH, PORTS = 1, 2, 3, 8, 9
"""Kinds of bulletins, the last digit of an article's number."""

DAYS_TO_CORRECTION = 2
DAYS_TO_WITHDRAWAL = 3

# Every quirk occurs once in nine days, so that a web of ten days has all of them.
_QUIRK_PERIOD = 9
_UTF8, _GBK, _BIG5, _FORMULA = 1, 3, 5, 7

_OTHERS = (
    ("河北", "玉米"),
    ("河南", "玉米"),
    ("山东", "小麦"),
    ("吉林", "玉米"),
    ("河北", "小麦"),
)
_HOURS = {MAIN: 8, FIRST_OTHER: 9, SECOND_OTHER: 10, FLASH: 7, PORTS: 11}
_CORRECTION_HOUR = 16
_TAILS = ("价格行情", "收购价格汇总", "最新价格", "价格一览")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulletin:
    """One article: its pages as blocks, and the codec and declared charset of each page."""

    day: date
    kind: int
    title: str
    heading: str
    commodity: str
    updated: datetime
    published: datetime
    pages: tuple[tuple[BulletinBlock, ...], ...]
    encodings: tuple[str, ...]
    charset: str


def kinds_of_day(day: date, today: date) -> list[int]:
    """Return the kinds of bulletins of ``day`` that are online ``today``, newest first."""
    kinds = [MAIN, FIRST_OTHER, SECOND_OTHER]
    if today - day < timedelta(days=DAYS_TO_WITHDRAWAL):
        kinds.append(FLASH)
    if _quirk(day) == _BIG5:
        kinds.append(PORTS)
    return sorted(kinds, key=lambda kind: _HOURS[kind], reverse=True)


def title_of(seed: int, day: date, kind: int) -> str:
    """Return the title on the list page."""
    words = long_date(day)
    if kind == FLASH:
        return f"{words}山东玉米早间快报"
    if kind == PORTS:
        return f"{words}山东玉米港口报价（繁体版）"
    province, commodity = _subject(day, kind)
    return f"{words}{province}{commodity}{pick(_TAILS, seed, day, kind, 'title')}"


def published_at(seed: int, day: date, kind: int) -> datetime:
    """Return the time of publication, in China's time zone."""
    return _moment(seed, day, _HOURS[kind], kind)


def updated_at(seed: int, day: date, kind: int, today: date) -> datetime:
    """Return the time of the last change as of ``today``, in China's time zone."""
    if _is_corrected(day, kind, today):
        return _moment(seed, day + timedelta(days=DAYS_TO_CORRECTION), _CORRECTION_HOUR, kind)
    return published_at(seed, day, kind)


def compose(seed: int, day: date, kind: int, today: date) -> Bulletin:
    """Return the content of the bulletin as of ``today``."""
    blocks = _blocks(seed, day, kind)
    if _is_corrected(day, kind, today):
        firm = pick(LATE_REPORTERS, seed, day, "late")
        blocks.append(late_report(Market(seed, "玉米"), firm, day))
    title = title_of(seed, day, kind)
    pages = _split(blocks, _page_count(seed, day, kind))
    return Bulletin(
        day=day,
        kind=kind,
        title=title,
        heading=f"{long_date(day)}山東玉米港口報價" if kind == PORTS else title,
        commodity=_subject(day, kind)[1],
        updated=updated_at(seed, day, kind, today),
        published=published_at(seed, day, kind),
        pages=pages,
        encodings=_encodings(day, kind, len(pages)),
        charset="big5" if kind == PORTS else "gb2312",
    )


def _blocks(seed: int, day: date, kind: int) -> list[BulletinBlock]:
    if kind == MAIN:
        return _main_blocks(Market(seed, "玉米"), day, _page_count(seed, day, kind))
    if kind == FLASH:
        market = Market(seed, "玉米")
        cities = [firms_of_city(market, city, day) for city in SHANDONG[:2]]
        return [lead(day, "山东玉米早间"), *cities]
    if kind == PORTS:
        return list(ports_in_traditional(Market(seed, "玉米"), day))
    province, commodity = _subject(day, kind)
    cities_of = SHANDONG[:2] if province == "山东" else NEIGHBOURS[province]
    return _other_blocks(Market(seed, commodity), cities_of, day, province)


def _main_blocks(market: Market, day: date, pages: int) -> list[BulletinBlock]:
    cities = [firms_of_city(market, city, day) for city in SHANDONG[: 2 * pages]]
    if _quirk(day) == _GBK:
        cities.append(firms_of_city(market, City("聊城", GBK_ONLY_FIRMS, ()), day))
    tables = [
        county_table(market, SHANDONG[:4], day, formula=_quirk(day) == _FORMULA),
        county_table(market, SHANDONG[4:], day),
    ]
    return [
        lead(day, "山东玉米"),
        *cities,
        feed_mills(market, day),
        traders(market, day),
        *tables[: 1 if pages < 3 else 2],
        closing(day),
    ]


def _other_blocks(
    market: Market, cities: Sequence[City], day: date, province: str
) -> list[BulletinBlock]:
    return [
        lead(day, province + market.commodity),
        *(firms_of_city(market, city, day) for city in cities),
        county_table(market, cities, day),
    ]


def _subject(day: date, kind: int) -> tuple[str, str]:
    if kind not in (FIRST_OTHER, SECOND_OTHER):
        return "山东", "玉米"
    return _OTHERS[(2 * day.toordinal() + kind) % len(_OTHERS)]


def _page_count(seed: int, day: date, kind: int) -> int:
    if kind != MAIN:
        return 1
    # The page in the wrong charset is the last of several, so that the first one does not reveal it.
    fewest = 2 if _quirk(day) == _UTF8 else 1
    return max(fewest, 1 + int(4 * draw(seed, day, "pages")))


def _encodings(day: date, kind: int, pages: int) -> tuple[str, ...]:
    if kind == PORTS:
        return ("big5",)
    if kind == MAIN and _quirk(day) == _GBK:
        return ("gbk",) * pages
    if kind == MAIN and _quirk(day) == _UTF8:
        return ("gb2312",) * (pages - 1) + ("utf-8",)
    return ("gb2312",) * pages


def _split(blocks: Sequence[BulletinBlock], pages: int) -> tuple[tuple[BulletinBlock, ...], ...]:
    cuts = [len(blocks) * n // pages for n in range(pages + 1)]
    return tuple(tuple(blocks[start:end]) for start, end in pairwise(cuts))


def _is_corrected(day: date, kind: int, today: date) -> bool:
    return kind == MAIN and today - day >= timedelta(days=DAYS_TO_CORRECTION)


def _quirk(day: date) -> int:
    return day.toordinal() % _QUIRK_PERIOD


def _moment(seed: int, day: date, hour: int, kind: int) -> datetime:
    seconds = int(3600 * draw(seed, day, kind, hour, "moment"))
    return datetime.combine(day, time(hour)) + timedelta(seconds=seconds)


HOST = "bulletins.demo.test"
ENTRIES_PER_PAGE = 20
EARLIEST_DAY = date(1950, 1, 1)

_CHINA = timezone(timedelta(hours=8))
_STAMP = "%Y-%m-%d %H:%M:%S"
_LIST_PATH = re.compile(r"/list/(?:index_(?P<number>[1-9]\d{0,5})\.html)?", re.ASCII)
_ARTICLE_PATH = re.compile(r"/news/(?P<day>\d{8})(?P<kind>\d)(?:_(?P<page>[2-9]))?\.html", re.ASCII)
_HTML = "text/html"
_DAYS_BETWEEN_PINNED_ENTRIES = 5
_ITEM = (
    "<item><title>{title}</title><link>{url}</link><pubDate>{published:%d %b %Y %H:%M:%S %z}</pubDate>"
    "<atom:updated>{updated}</atom:updated></item>"
)
_RSS = '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>\n{}\n</channel></rss>'
_LOC = "<url><loc>{url}</loc><lastmod>{updated}</lastmod></url>"
_URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{}\n</urlset>'


@dataclass(frozen=True, slots=True)
class _Entry:
    day: date
    kind: int


class BulletinSite:
    """A year (or any number of days) of price bulletins, in GB2312 except for a few pages.

    Each day, new bulletins appear at the top, the main bulletin of two days ago is corrected, and
    the early report of three days ago is withdrawn. Days before the first listed one stay online
    without being listed.
    """

    def __init__(self, seed: int, days: int, today: date) -> None:
        self._seed = seed
        self._first_day = today - timedelta(days=days - 1)
        self._compose = lru_cache(maxsize=256)(compose)
        self.turn_to(today)

    def turn_to(self, today: date) -> None:
        """Show the site as it is on ``today``."""
        self._today = today
        self._entries = self._list_entries()

    def respond(self, path: str, query: str, headers: Mapping[str, str]) -> Response:
        """Respond to a GET. Queries are ignored; header names are lower case."""
        if path == "/":
            return _html(page("演示粮网", "<h1>演示粮网</h1>"))
        if path == "/robots.txt":
            return Response(
                200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n"
            )
        if path == "/private/":
            return _html(page("编辑入口", "<h1>仅供编辑</h1>"))
        if path in ("/feed.xml", "/sitemap.xml"):
            return self._feed(path, headers)
        if match := _LIST_PATH.fullmatch(path):
            return self._list_page(int(match["number"] or 1))
        if match := _ARTICLE_PATH.fullmatch(path):
            return self._article_page(match, headers)
        return not_found()

    def truth(self) -> dict[str, ArticleTruth]:
        """Return the content of each listed article by URL."""
        return {
            f"http://{HOST}{_article_path(e.day, e.kind)}": self._truth_of(e) for e in self._entries
        }

    def _list_entries(self) -> list[_Entry]:
        entries = []
        day = self._today
        while day >= self._first_day:
            of_day = [_Entry(day, kind) for kind in kinds_of_day(day, self._today)]
            if day.toordinal() % _DAYS_BETWEEN_PINNED_ENTRIES == 0:
                of_day.append(_Entry(day, MAIN))
            entries += of_day
            day -= timedelta(days=1)
        return entries

    def _list_page(self, number: int) -> Response:
        # Each page repeats the last entry of the page before, as if a new entry had shifted them.
        step = ENTRIES_PER_PAGE - 1
        pages = max(1, -(-(len(self._entries) - 1) // step))
        if number > pages:
            return not_found()
        start = (number - 1) * step
        items = [self._item(entry) for entry in self._entries[start : start + ENTRIES_PER_PAGE]]
        body = list_body(items, number, pages, len(self._entries))
        return _html(page("收购行情", body))

    def _item(self, entry: _Entry) -> str:
        title = title_of(self._seed, entry.day, entry.kind)
        updated = updated_at(self._seed, entry.day, entry.kind, self._today)
        return link_item(
            _article_path(entry.day, entry.kind), f"{entry.day:%m-%d}", title, f"{updated:{_STAMP}}"
        )

    def _feed(self, path: str, headers: Mapping[str, str]) -> Response:
        form, frame = (_ITEM, _RSS) if path == "/feed.xml" else (_LOC, _URLSET)
        entries = self._entries[:ENTRIES_PER_PAGE] if path == "/feed.xml" else self._entries
        moments = [updated_at(self._seed, one.day, one.kind, self._today) for one in entries]
        items = (
            form.format(
                url=f"http://{HOST}{_article_path(one.day, one.kind)}",
                title=title_of(self._seed, one.day, one.kind),
                published=published_at(self._seed, one.day, one.kind).replace(tzinfo=_CHINA),
                updated=moment.replace(tzinfo=_CHINA).isoformat(),
            )
            for one, moment in zip(entries, moments, strict=True)
        )
        body = frame.format("\n".join(items)).encode()
        return _conditional(body, max(moments).replace(tzinfo=_CHINA), headers, "application/xml")

    def _article_page(self, match: re.Match[str], headers: Mapping[str, str]) -> Response:
        day, kind, number = _parse_day(match["day"]), int(match["kind"]), int(match["page"] or 1)
        if day is None or not EARLIEST_DAY <= day <= self._today:
            return not_found()
        if kind not in kinds_of_day(day, self._today):
            return not_found()
        bulletin = self._compose(self._seed, day, kind, self._today)
        if number > len(bulletin.pages):
            return not_found()
        body = _render(bulletin, number)
        return _conditional(body, bulletin.updated.replace(tzinfo=_CHINA), headers)

    def _truth_of(self, entry: _Entry) -> ArticleTruth:
        bulletin = self._compose(self._seed, entry.day, entry.kind, self._today)
        return ArticleTruth(
            url=f"http://{HOST}{_article_path(entry.day, entry.kind)}",
            title=bulletin.title,
            heading=bulletin.heading,
            published=entry.day,
            commodity=bulletin.commodity,
            stamp=f"{bulletin.updated:{_STAMP}}",
            encodings=bulletin.encodings,
            quotes=tuple(q for page in bulletin.pages for block in page for q in block.quotes),
        )


def _render(bulletin: Bulletin, number: int) -> bytes:
    words = TRADITIONAL if bulletin.charset == "big5" else SIMPLIFIED
    info = (
        f"{words.published}：{bulletin.published:{_STAMP}} "
        f"{words.updated}：{bulletin.updated:{_STAMP}}"
    )
    hrefs = [
        _article_path(bulletin.day, bulletin.kind, n) for n in range(1, len(bulletin.pages) + 1)
    ]
    blocks = [block.html for block in bulletin.pages[number - 1]]
    pager = article_pager(hrefs, number)
    body = article_body(bulletin.heading, info, blocks, pager)
    html = page(bulletin.heading, body, bulletin.charset, words)
    return html.encode(bulletin.encodings[number - 1])


def _article_path(day: date, kind: int, number: int = 1) -> str:
    return f"/news/{day:%Y%m%d}{kind}{'' if number == 1 else f'_{number}'}.html"


def _parse_day(digits: str) -> date | None:
    try:
        return datetime.strptime(digits, "%Y%m%d").date()
    except ValueError:
        return None


def _html(page: str) -> Response:
    return Response(200, {"Content-Type": _HTML}, page.encode("gb2312"))


def _conditional(
    body: bytes, changed: datetime, headers: Mapping[str, str], kind: str = _HTML
) -> Response:
    etag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
    last_modified = changed.astimezone(UTC)
    validators = {
        "ETag": etag,
        "Last-Modified": format_datetime(last_modified, usegmt=True),
    }
    if _is_fresh(etag, last_modified, headers):
        return Response(304, validators, b"")
    return Response(200, {"Content-Type": kind, **validators}, body)


def _is_fresh(etag: str, last_modified: datetime, headers: Mapping[str, str]) -> bool:
    # RFC 9110, section 13.2.2: If-Modified-Since is ignored if If-None-Match is present.
    if (wanted := headers.get("if-none-match")) is not None:
        held = [tag.strip().removeprefix("W/") for tag in wanted.split(",")]
        return "*" in held or etag in held
    try:
        return last_modified <= parsedate_to_datetime(headers["if-modified-since"])
    except (KeyError, ValueError, TypeError):
        return False
