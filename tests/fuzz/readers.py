"""What reads pages in a crawl, each as the crawl calls it, with the recorded pages it is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from random import Random

import yaml
from lxml.etree import _Element
from parsel import Selector
from scrapy import Request
from scrapy.http import HtmlResponse, TextResponse

from focuscrawl.articles.article_page import read_page as read_numbered_article
from focuscrawl.articles.article_profile import make_profile
from focuscrawl.errors import ProfileError
from focuscrawl.middlewares.body_decoding import CharsetMiddleware
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.prices.reading_task import ReadingOptions, read_text
from focuscrawl.replay.recorded_pages import recorded_pages
from focuscrawl.sites.page_reading import read_article_page, read_list
from focuscrawl.sites.site_profile import load_profile
from focuscrawl.templates.extraction import PageValues, combine
from focuscrawl.templates.extraction import read_page as read_contacts
from focuscrawl.templates.template_model import Template, load_template
from focuscrawl.text.main_text import main_text
from focuscrawl.text.places.gazetteer import gazetteer
from tests.fuzz.mutations import Page

PACKAGE = Path(__file__).resolve().parents[2] / "focuscrawl"
TODAY = date(2026, 3, 5)
SMALL = 30_000
_LARGEST = 1_000_000
_FEW_LARGE = 0.05
_PROFILES = ("yz88", "feedtrade", "demo")
_PRICE_MARKS = (
    "元/吨", "元/斤", "元", "1,", "1.", "0.81", "1600", "1600-1620", "—", "-", "～", "至", "涨", "跌", "上涨10元/吨", "下跌",
    "持平", "水分14%", "14.5%", "：", "，", "。", "；", "、", "（", "）", "|", "\t", "|--", "万", "亿", "月", "日", "2026年3月5日",
)  # fmt: skip
_LIST_MARKS = (
    "下一页", "上一页", "更新时间：2026-03-05", "文章标题：", "作者：", '<li class="time">', '<span class="time">', '<span class="date">',
    '<ul class="newslist"><li>', '<div class="content">', '<div class="showpage">', '<div class="pages">', "责任编辑",
    "0001-01-01", "9999-12-31", "2026-02-30", "99999年99月99日", '<p align="center">', '<div class="pager">',
)  # fmt: skip
_CONTACT_MARKS = (
    "：", ":", "0571-88001234", "+86-", "(028)", "13955501234", "400-", "转", "@", "#at#", "[at]", ".com", "http://", "www.",
    "610000", "省", "市", "区", "路", "号", "有限公司", "股份", "备案", "ICP备", "开户行", "©", "版权所有",
)  # fmt: skip
_LINK_MARKS = ("<a href='/", "<a href='http://", "<a href='?a=1&a=2", "</a>", "<area href=x>", "<nav>", "<footer>", "<h1>",
               "<a><b><a><b>", "http://a.test/", "//", "..", "../", ";jsessionid=", "#", "?", "xn--", "%E4%B8")  # fmt: skip
_TEXT_MARKS = ("<article>", "<main>", "<section>", "<blockquote>", "<pre><code>", "<table><tr><td>", "<dl><dt>", "<ol><li>",
               "<p>", "<br>", "</p>", "<div class=comment>", "<div id=content>", "。", "<figure>", "<span class=line>1</span>")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader, the words it looks for, and which recorded pages it is mostly given."""

    name: str
    read: Callable[[Page, Random], object]
    words: tuple[str, ...]
    pages: str


def readers() -> dict[str, Reader]:
    """Return all readers by name; the first five are those that a crawl of any kind meets."""
    vocabulary = _contact_words()
    all_ = (
        Reader("links", _read_links, _LINK_MARKS, "blogs"),
        Reader("main text", _read_main_text, _TEXT_MARKS, "blogs"),
        Reader("site profile", _read_by_profile, _LIST_MARKS, "maize"),
        Reader("prices", _read_prices, _price_words() + _PRICE_MARKS * 8, "texts"),
        Reader("contacts", _read_contacts, vocabulary + _CONTACT_MARKS * 4, "contacts"),
        Reader("numbered article", _read_numbered, _TEXT_MARKS + _LIST_MARKS, "blogs"),
    )
    return {reader.name: reader for reader in all_}


def load_pages(shared: Path, most: int) -> dict[str, list[Page]]:
    """Return recorded pages by kind, at most so many of each, nearly all of them small."""
    random = Random(1)
    files = {
        "blogs": shared / "replay/blogs-2026.warc.gz",
        "maize": shared / "replay/maize-2017.warc.gz",
        "contacts": shared / "contacts/contacts.warc.gz",
    }
    pages = {kind: _chosen(path, most, random) for kind, path in files.items()}
    pages["texts"] = [*_labelled_texts(shared / "labels"), *_article_texts(pages["maize"])]
    return pages


def _chosen(path: Path, most: int, random: Random) -> list[Page]:
    found: list[Page] = []
    for page in recorded_pages(path):
        size = len(page.body)
        is_small = size <= SMALL or random.random() < _FEW_LARGE
        if page.status == 200 and b"<" in page.body and size <= _LARGEST and is_small:
            _, _, charset = page.content_type.lower().partition("charset=")
            found.append(Page(page.url, charset.strip("\"' ;"), page.body))
    return random.sample(found, min(most, len(found)))


def _labelled_texts(folder: Path) -> list[Page]:
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]  # fmt: skip
    texts = [json.loads(line)["text"] for line in lines]
    return [Page("http://texts.test/", "utf-8", text.encode()) for text in texts]


def _article_texts(pages: Sequence[Page]) -> list[Page]:
    profile = load_profile("yz88")
    texts = []
    for page in pages:
        try:
            texts.append(read_article_page(_root(page), page.url, profile, TODAY).text)
        except ProfileError:
            continue
    return [Page("http://texts.test/", "utf-8", text.encode()) for text in texts]


def response_of(page: Page) -> TextResponse:
    """Return the page as a spider gets it, its charset found out."""
    headers = {"Content-Type": page.content_type.encode("utf-8", "replace")}
    response = HtmlResponse(page.url, headers=headers, body=page.body)
    decoded = CharsetMiddleware().process_response(Request("http://any.test/"), response)
    assert isinstance(decoded, TextResponse)
    return decoded


def _root(page: Page) -> _Element:
    return _root_of(response_of(page))


def _root_of(response: TextResponse) -> _Element:
    # As the maize spider does.
    root: _Element = Selector(response.text, type="html", base_url=response.url).root
    return root


def _read_links(page: Page, random: Random) -> object:
    response = response_of(page)
    is_utf8 = response.encoding.lower() in ("utf-8", "utf8", "ascii")
    html = response.body if is_utf8 else response.text
    return parse_page(html, page.url, charset=response.encoding)


def _read_main_text(page: Page, _random: Random) -> object:
    return main_text(response_of(page).text, page.url)


def _read_by_profile(page: Page, random: Random) -> object:
    profile = _profile(random.choice(_PROFILES))
    response = response_of(page)
    reading = random.choice((read_list, read_article_page))
    try:
        return reading(_root_of(response), page.url, profile, TODAY, response.encoding)
    except ProfileError as error:
        return error


def _read_prices(page: Page, _random: Random) -> object:
    text = response_of(page).text
    return read_text(ReadingOptions(), text, text[:40], TODAY)


def _read_contacts(page: Page, _random: Random) -> object:
    fields = _contacts().fields
    reading = read_contacts(response_of(page).text, page.url, fields)
    return combine(PageValues.from_json(reading.to_json()), [reading], fields)


def _read_numbered(page: Page, _random: Random) -> object:
    return read_numbered_article(response_of(page).text, page.url, _numbered(), TODAY)


_profile = cache(load_profile)


@cache
def _contacts() -> Template:
    return load_template("contacts")


@cache
def _numbered() -> str:
    return make_profile(None, url="http://any.test/{n}").model_dump_json()


def _contact_words() -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(word for field in _contacts().fields.values() for word in field.keywords)
    )


def _price_words() -> tuple[str, ...]:
    lists = PACKAGE / "prices/lists"
    classes = yaml.safe_load((lists / "words.yaml").read_text("utf-8"))
    words = [word for line in classes.values() for word in str(line).split()]
    return tuple(dict.fromkeys([*words, *list(gazetteer())[:500]]))
