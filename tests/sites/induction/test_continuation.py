"""Articles that go on, told from links to other articles."""

from __future__ import annotations

import pytest

from focuscrawl.sites.induction.continuation import continues, further_page
from focuscrawl.sites.induction.profile_draft import ArticleExample, continuation_rule
from tests.sites.induction.pages import tree


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://host/a/12.html", "http://host/a/12_2.html"),
        ("http://host/a/12.shtml", "http://host/a/12-2.shtml"),
        ("http://host/a/12.html", "http://host/a/12_p2.html"),
        ("http://host/a/12/", "http://host/a/12/2/"),
        ("http://host/a.php?id=12", "http://host/a.php?id=12&page=2"),
        ("http://host/a.php?id=12&page=1", "http://host/a.php?id=12&page=2"),
    ],
)
def test_a_page_number_continues_an_article(url: str, target: str) -> None:
    assert continues(url, target)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://host/a/12.html", "http://host/a/13.html"),
        ("http://host/a/12.html", "http://host/a/123.html"),
        ("http://host/a/12.html", "http://host/a/12.html"),
        ("http://host/a/12.html", "http://other/a/12_2.html"),
        ("http://host/a.php?id=12", "http://host/a.php?id=13"),
        ("http://host/a.php?id=12", "http://host/a.php?id=13&page=2"),
    ],
)
def test_another_article_does_not(url: str, target: str) -> None:
    assert not continues(url, target)


def example(number: int, pager: str) -> ArticleExample:
    return ArticleExample(
        tree(f"<h1>标题</h1><p>正文</p>{pager}<a href='{number + 1}.html'>下一篇</a>"),
        f"http://host/a/{number}.html",
    )


def test_the_rule_comes_from_the_articles_that_go_on() -> None:
    long = example(1, "<div><b>1</b><a href='1_2.html'>2</a><a href='1_2.html'>下一页</a></div>")
    rule = continuation_rule([example(4, ""), long])
    assert rule is not None
    assert rule.xpath == '//a[normalize-space()="下一页"]/@href'


def test_numbers_alone_are_enough() -> None:
    long = example(1, "<p class='p'><b>1</b><a href='1_2.html'>2</a><a href='1_3.html'>3</a></p>")
    rule = continuation_rule([long, example(4, "")])
    assert rule is not None
    second = tree("<p class='p'><a href='1.html'>1</a><b>2</b><a href='1_3.html'>3</a></p>")
    assert rule.first(second) == "1_3.html"


@pytest.mark.parametrize("pager", ["", "<a href='2.html'>下一页</a>"])
def test_articles_of_one_page_have_none(pager: str) -> None:
    assert continuation_rule([example(1, pager)]) is None


def test_a_rule_that_leads_to_other_articles_is_refused() -> None:
    pages = [example(1, "<a href='1_2.html'>下一页</a>"), example(4, "<a href='5.html'>下一页</a>")]
    assert continuation_rule(pages) is None


@pytest.mark.parametrize(
    ("links", "target"),
    [
        ("<a href='1.html'>[1]</a><a href='1_2.html'>[2]</a><a href='1_3.html'>[3]</a>", "1_2.html"),
        ("<a href='1_3.html'>«3»</a><a href='1_2.html'>«2»</a>", "1_2.html"),
        ("<a href='?page=2'>第二頁</a>", "1.html?page=2"),
        ("<select><option value='1.html'>第1页</option><option value='1_2.html'>第2页：展望</option></select>", "1_2.html"),
        ("<a href='1_2.html'>下一页</a>", "1_2.html"),
        ("<a href='1_all.html'>余下全文</a>", "1_all.html"),
        ("<a href='1_all.html'>餘下全文&gt;&gt;</a>", "1_all.html"),
        ("<a href='/full/1.html'>[点击查看全文]</a>", "/full/1.html"),
        ("<a href='?full=1'>Read more »</a>", "1.html?full=1"),
        ("<a href='/print/1'>Continue reading</a>", "/print/1"),
        # Related articles, comments, other things that are whole.
        ("<a href='2.html'>下一篇</a><a href='0.html'>上一篇</a>", ""),
        ("<ol><li><a href='2.html'>2</a></li><li><a href='3.html'>3</a></li></ol>", ""),
        ("<div class='comments'><a href='?page=2'>2</a></div>", ""),
        ("<a href='/b/77.html'>阅读全文</a>", ""),
        ("<a href='/search?id=1'>全文检索</a>", ""),
    ],
)  # fmt: skip
def test_the_rest_of_an_article_is_found_without_a_rule(links: str, target: str) -> None:
    url = "http://host/a/1.html"
    found, is_whole = further_page(tree(f"<h1>标题</h1>{links}"), url, url, (url,))
    assert found.removeprefix("http://host/a/").removeprefix("http://host") == target
    assert is_whole == any(word in target for word in ("all", "full", "print"))
