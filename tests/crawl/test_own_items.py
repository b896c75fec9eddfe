"""Items of a stranger's spider are in the stores, the workbook and the summary, or counted as not stored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from openpyxl import load_workbook

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import NO_DELAYS, Crawler
from tests.crawl.test_addon import make_project, scrapy

PAGE = Path(__file__).parents[2] / "docs" / "extending" / "items.md"
ITEMS = "select class_name, item_key, url, item from items order by class_name, item_key"


def documented_spider() -> str:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(code)


def make_spider(folder: Path, parse: str, head: str = "", attributes: str = "") -> None:
    """Write a project with stores and a spider ``own`` whose ``parse`` of a single page has these lines."""
    make_project(folder, "FOCUSCRAWL_STORES = ''\n")
    lines = "".join(f"        {line}\n" for line in parse.splitlines())
    (folder / "theirs" / "spiders" / "own.py").write_text(
        f"import scrapy\n{head}\n\nclass Own(scrapy.Spider):\n    name = 'own'\n    {attributes}\n"
        "    start_urls = ['http://bulletins.demo.test/list/']\n"
        f"    def parse(self, response):\n{lines}"
    )


def sheet(folder: Path, title: str) -> list[tuple[object, ...]]:
    book = load_workbook(folder / "data" / "focuscrawl.xlsx")
    return list(book[title].iter_rows(values_only=True))


def test_the_documented_spider(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    web = demo(days=2)
    make_project(crawl.folder)
    (crawl.folder / "theirs" / "spiders" / "own.py").write_text(documented_spider())
    first = scrapy(crawl, "crawl", "bulletins", *NO_DELAYS)
    assert first.returncode == 0, first.stdout + first.stderr
    articles = len(web.truth())
    assert crawl.rows("select count(*) from articles") == [(articles,)]
    bulletins = crawl.rows("select url, item from items where class_name = 'Bulletin'")
    assert {url for url, _ in bulletins} == {
        url for (url,) in crawl.rows("select url from articles")
    }
    assert sum(json.loads(item)["places"] for _, item in bulletins) > 0
    stored = crawl.rows("select count(*) from items")[0][0]
    assert stored > articles
    assert f"  articles  {articles} new, 0 changed, 0 unchanged" in first.stdout
    assert len(sheet(crawl.folder, "自有条目")) == stored + 1
    second = scrapy(crawl, "crawl", "bulletins", *NO_DELAYS)
    assert second.returncode == 0, second.stdout
    assert "  items     0 new, 0 changed, " in second.stdout
    assert crawl.rows("select count(*) from items") == [(stored,)]


HEAD = """
import dataclasses, datetime, decimal, enum
import attrs, pydantic
@dataclasses.dataclass
class Data:
    sku: str
    when: object
@attrs.define
class Attrs:
    sku: str
    price: object
class Model(pydantic.BaseModel, extra="allow"):
    sku: str
class Own_(scrapy.Item):
    sku = scrapy.Field()
    data = scrapy.Field()
"""
PARSE = r"""
yield {"sku": "a", "=1+1": "=1+1", "$x.y": 2**70, 5: b"\xff", "t": float("nan"), "s": "\ud800\0", "n": {"-a": [1]}}
yield {"sku": "a", "=1+1": "@x"}
yield Data("b", datetime.date(2026, 1, 2))
yield Attrs("c", decimal.Decimal("1.50"))
yield Model(sku="d", other={3, 1})
yield Own_(sku="e", data=Data("f", None))
"""


def test_items_of_every_class(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=1)
    make_spider(crawl.folder, PARSE, HEAD, "item_key = 'sku'")
    run = scrapy(crawl, "crawl", "own", "-O", "own.csv", *NO_DELAYS)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "  items     5 new, 1 changed, 0 unchanged" in run.stdout
    rows = crawl.rows(ITEMS)
    assert [(kind, key, json.loads(item)) for kind, key, _, item in rows] == [
        ("Attrs", '["c"]', {"sku": "c", "price": "1.50"}),
        ("Data", '["b"]', {"sku": "b", "when": "2026-01-02"}),
        ("Model", '["d"]', {"sku": "d", "other": [1, 3]}),
        ("Own_", '["e"]', {"sku": "e", "data": {"sku": "f", "when": None}}),
        ("dict", '["a"]', {"sku": "a", "=1+1": "@x"}),
    ]
    assert {url for _, _, url, _ in rows} == {"http://bulletins.demo.test/list/"}
    head, *values = sheet(crawl.folder, "自有条目")
    assert any("@x" in row for row in values)
    assert "=1+1" in head
    assert ",'=1+1," in (crawl.folder / "own.csv").read_text().replace("\r\n", ",")
    exported = scrapy(crawl, "export", "items")
    assert ",'@x," in exported.stdout + ","
    assert "http://bulletins.demo.test/list/" in scrapy(crawl, "search", "2026-01-02").stdout


LATER = "yield {'sku': 1, 'sel': response.css('a')}\nyield {'sku': 1}\nyield 'text'\nyield {'n': 3}"


def test_what_cannot_be_stored_is_counted(crawl: Crawler, demo: Callable[..., DemoWeb]) -> None:
    demo(days=1)
    make_spider(crawl.folder, LATER, attributes="item_key = 'sku'")
    run = scrapy(crawl, "crawl", "own", *NO_DELAYS)
    assert run.returncode == 3, run.stdout + run.stderr
    assert "not stored: 1 items, the field 'sel' holds a Selector" in run.stdout
    assert "not stored: 1 items, of type str; yield a dict" in run.stdout
    assert "not stored: 1 items, without a value in 'sku'" in run.stdout
    assert "  dropped   3 not stored" in run.stdout
    assert crawl.rows("select item from items") == [('{"sku": 1}',)]


def test_fields_of_a_subclass_change_while_its_article_does_not(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=1)
    parse = (
        "yield Mine(url=response.url, site='x', title='t', text='u', page_urls=[response.url],\n"
        "    fetched_at=datetime.now(UTC), quotes=None, views={})"
    )
    head = (
        "from datetime import UTC, datetime\nfrom dataclasses import dataclass\n"
        "from focuscrawl.items import Article\n@dataclass(kw_only=True)\nclass Mine(Article):\n"
        "    views: int\n"
    )
    for views, counts in (
        (1, "1 new, 0 changed"),
        (1, "0 new, 0 changed"),
        # Of another size: within a second, Python would take the compiled file for that of this one.
        (20, "0 new, 1 changed"),
    ):
        if views == 1 and "1 new" in counts:
            make_spider(crawl.folder, parse.format(views), head)
        file = crawl.folder / "theirs" / "spiders" / "own.py"
        file.write_text(re.sub(r"views=\d+", f"views={views}", file.read_text()))
        run = scrapy(crawl, "crawl", "own", "-O", "own.jsonl", *NO_DELAYS)
        assert run.returncode == 0, run.stdout + run.stderr
        assert f"  items     {counts}" in run.stdout
    assert crawl.rows("select count(*) from articles") == [(1,)]
    assert crawl.rows("select class_name, item from items") == [("Mine", '{"views": 20}')]
    (line,) = (crawl.folder / "own.jsonl").read_text().splitlines()
    assert json.loads(line)["views"] == 20


def test_the_url_of_an_item_is_its_own_or_that_of_its_page(
    crawl: Crawler, demo: Callable[..., DemoWeb]
) -> None:
    demo(days=1)
    make_spider(crawl.folder, "yield {'url': 'http://bulletins'}\nyield {'url': ''}")
    assert scrapy(crawl, "crawl", "own", *NO_DELAYS).returncode == 0
    found = crawl.rows("select url from items order by url")
    assert found == [("http://bulletins",), ("http://bulletins.demo.test/list/",)]
