"""Where a list ends, whether its site was redesigned, and what a run says if that is not proven."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from focuscrawl.demo import DemoWeb
from tests.crawl.conftest import Crawler, OddSite, one_line

pytestmark = pytest.mark.usefixtures("no_workbook")

PROFILE = """
name: odd
start_urls: [STARTS]
list: {entry: {css: ul.news > li}, link: ./a/@href, title: ./a, next: '//a[.="下一页"]/@href'}
article: {body: {css: div.text}}
"""
ROOT = "http://odd.test/"


def article(number: int) -> bytes:
    text = f"山东各地玉米收购价格有涨有跌,企业按质论价,成交一般,货源第{number}批不多。" * 2
    head = f"<title>通知第{number}号_粮油网</title>"
    return (
        f"<html>{head}<h1>粮油</h1><h1>通知第{number}号</h1><div class='text'>{text}</div>".encode()
    )


def listing(
    numbers: range | list[int], following: str = "", name: str = "news", **titles: str
) -> bytes:
    rows = "".join(
        f"<li><a href=/a/{n}.html>{titles.get(f'n{n}', f'通知第{n}号')}</a></li>" for n in numbers
    )
    link = f"<a href='{following}'>下一页</a>" if following else ""
    return f"<html><ul class=menu><li><a href=/>首页</a></ul><ul class={name}>{rows}</ul>{link}".encode()


@pytest.fixture
def site(crawl: Crawler, demo: Callable[..., DemoWeb]) -> Callable[..., OddSite]:
    """Serves pages under ``odd.test`` and writes a profile with start URLs."""

    def make(*starts: str, **pages: bytes) -> OddSite:
        profile = PROFILE.replace("STARTS", ", ".join(f"'{ROOT}{start}'" for start in starts))
        (crawl.folder / "odd.yaml").write_text(profile, "utf-8")
        odd = OddSite({f"/a/{n}.html": article(n) for n in range(60)})
        odd.pages |= {f"/{name}": page for name, page in pages.items()}
        demo(days=1).sites["odd.test"] = odd
        crawl.spider = "list"
        return odd

    return make


def titles_stored(crawl: Crawler) -> list[str]:
    return [title for (title,) in crawl.rows("select title from articles order by title")]


def test_titles_that_a_list_does_not_show_are_those_of_the_pages(
    crawl: Crawler, site: Callable[..., OddSite]
) -> None:
    site("l", l=listing([3, 2, 1], n2="&nbsp;", n1="<img src=1.jpg>"))
    done = crawl("-a", "site=odd.yaml")
    assert (done.code, done.count("new")) == (0, 3), done.out + done.err
    assert titles_stored(crawl) == ["通知第1号", "通知第2号", "通知第3号"]
    again = crawl("-a", "site=odd.yaml")
    assert (again.code, again.count("unchanged")) == (0, 3), again.out


def test_a_list_that_leads_to_the_home_page_is_no_list(
    crawl: Crawler, site: Callable[..., OddSite]
) -> None:
    odd = site("l", l=listing(range(8, 4, -1)))
    assert crawl("-a", "site=odd.yaml").code == 0
    odd.pages |= {"/l": b"->/", "/": listing(range(30, 20, -1))}
    done = crawl("-a", "site=odd.yaml")
    assert done.code == 3, done.out
    assert f"the list page {ROOT}l redirects to the home page {ROOT}" in done.out
    assert len(titles_stored(crawl)) == 4
    odd.pages["/l"] = listing(range(10, 4, -1))
    assert (crawl("-a", "site=odd.yaml").code, len(titles_stored(crawl))) == (0, 6)


def test_days_without_an_entry_are_walked_past(
    crawl: Crawler, site: Callable[..., OddSite]
) -> None:
    odd = site(
        "d9",
        d9=listing([9, 8], "/d8"),
        d8=listing([], "/d7"),
        d7=listing([], "/d6"),
        d6=listing([7, 6, 5]),
    )
    first = crawl("-a", "site=odd.yaml")
    assert (first.code, first.count("new")) == (3, 5), first.out
    assert f"list page {ROOT}d8: has no entries, but {ROOT}d7 goes on" in first.out
    assert crawl("-a", "site=odd.yaml").code == 0
    # The newest day, too.
    odd.pages |= {"/d9": listing([], "/d10"), "/d10": listing([10, 9, 8], "/d8")}
    third = crawl("-a", "site=odd.yaml")
    assert (third.code, third.count("new")) == (3, 1), third.out
    assert crawl("-a", "site=odd.yaml").code == 0


LOGIN = b'<html><form><input name="u"><input type="password" name="p"></form></html>'
PINNED = b"<ul class=news><li><a href=/a/1.html>1</a></li><li><a href=/a/2.html>2</a></li></ul>"


@pytest.mark.parametrize(
    ("page", "code", "sentences"),
    [
        (listing(range(8), name="articles"), 2,
         ["the site has probably been redesigned: the profile odd selects no entries",
          f"{ROOT}l, 8 on ", f"run `scrapy newsite {ROOT}l`"]),
        (listing(range(8), name="articles") + PINNED, 3,
         [f"redesigned: the profile odd selects 2 entries on {ROOT}l, 8 on"]),
        (LOGIN, 2, [f"{ROOT}l asks for a login", "the profile odd read a list there on "]),
        (listing(range(3)), 0, []),
    ],
    ids=["another shape", "kept for few entries", "a login", "a shorter list"],
)  # fmt: skip
def test_a_redesigned_site_is_told_from_one_without_news_and_one_that_hides_its_list(
    crawl: Crawler, site: Callable[..., OddSite], page: bytes, code: int, sentences: list[str]
) -> None:
    odd = site("l", l=listing(range(8)))
    first = crawl("-a", "site=odd.yaml")
    assert (first.code, first.count("new")) == (0, 8), first.out + first.err
    odd.pages["/l"] = page
    done = crawl("-a", "site=odd.yaml")
    assert done.code == code, done.out + done.err
    said = one_line(done.err) if code == 2 else done.out
    assert [sentence for sentence in sentences if sentence not in said] == []
    assert sentences or "not done" not in said
