from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from focuscrawl.crawling.page_tree import page_tree


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
def test_a_page_goes_on_behind_its_end(encoding: str) -> None:
    text = "<html><body><p>一</p></body></html><p>二</p></body></html>"
    response = HtmlResponse("http://a.test/", body=text.encode(encoding), encoding=encoding)
    assert page_tree(response)[0].xpath("//p/text()") == ["一", "二"]
