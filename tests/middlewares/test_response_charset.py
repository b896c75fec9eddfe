from __future__ import annotations

from scrapy import Request
from scrapy.http import HtmlResponse, Response

from focuscrawl.middlewares.response_charset import CharsetMiddleware

URL = "http://a.test/"


def test_a_file_that_claims_to_be_a_page_is_no_text() -> None:
    headers = {"Content-Type": "text/html; charset=utf-8"}
    page = HtmlResponse(URL, body=b"%PDF-1.4 \xff", headers=headers, flags=["cached"])
    found = CharsetMiddleware().process_response(Request(URL), page)
    assert type(found) is Response
    assert (found.url, found.body, found.flags) == (URL, page.body, ["cached"])


def test_a_header_of_one_byte_per_character_gives_way_to_the_text() -> None:
    body = "<meta charset=gbk><p>山东玉米价格行情".encode("gbk")
    headers = {"Content-Type": "text/html;charset=ISO-8859-1"}
    found = CharsetMiddleware().process_response(
        Request(URL), HtmlResponse(URL, body=body, headers=headers)
    )
    assert isinstance(found, HtmlResponse)
    assert found.text.endswith("山东玉米价格行情")
