from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse, TextResponse

from focuscrawl.crawling.fetched_page import page_tree, shown_file


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
def test_a_page_goes_on_behind_its_end(encoding: str) -> None:
    text = "<html><body><p>一</p></body></html><p>二</p></body></html>"
    response = HtmlResponse("http://a.test/", body=text.encode(encoding), encoding=encoding)
    assert page_tree(response)[0].xpath("//p/text()") == ["一", "二"]


def test_a_text_file_keeps_its_lines() -> None:
    headers = {"Content-Type": "text/plain"}
    body = "价格<2000元\n二&三".encode("gb18030")
    response = TextResponse("http://a.test/1.txt", 200, headers, body, encoding="gb18030")
    assert page_tree(response)[0].xpath("//pre/text()") == ["价格<2000元\n二&三"]
    page = response.replace(body=b"<p>1</p>")
    assert page_tree(page)[0].xpath("//p/text()") == ["1"]


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        ("<iframe src='/ad.html'></iframe><iframe src='/viewer?file=/1.pdf'></iframe>", "PDF"),
        ("<embed src=/1.pdf>", "PDF"),
        ("<object data=/1.doc></object>", "Word"),
        ("<a href=/1.pdf>1</a><iframe src='/map.html'></iframe>", ""),
    ],
)
def test_a_page_that_shows_a_file(markup: str, kind: str) -> None:
    response = HtmlResponse("http://a.test/", body=f"<p>1</p>{markup}".encode())
    assert shown_file(page_tree(response)[0]) == kind
