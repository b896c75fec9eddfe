"""Bodies that are compressed, cut off, damaged, or not what their headers say."""

from __future__ import annotations

import gzip
import zlib
from functools import cache
from typing import Any

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils._compression import zstd
from scrapy.utils.test import get_crawler

from focuscrawl.crawl_run import INCOMPLETE_STAT
from focuscrawl.errors import BrokenBodyError
from focuscrawl.middlewares.body_decoding import BodyDecoding, CharsetMiddleware

PAGE = "<html><title>玉米</title><p>".encode() + bytes(range(48, 58)) * 300 + b"</p></html>"
HTML = {"Content-Type": "text/html; charset=utf-8"}


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}
CASES = [*PACKERS.items(), ("deflate", raw_deflate)]


def middleware(**settings: Any) -> BodyDecoding:
    crawler = get_crawler(settings_dict={"DOWNLOAD_MAXSIZE": 8 << 20, **settings})
    crawler.spider = crawler._create_spider("s")
    return BodyDecoding.from_crawler(crawler)


def answer(body: bytes, headers: dict[str, str], status: int = 200, **more: Any) -> Response:
    url = more.pop("url", "http://a.test/1")
    bare = Response(url, status=status, headers=headers)
    cls = responsetypes.from_args(headers=bare.headers, url=url, body=body)
    return cls(url, status=status, headers=headers, body=body, **more)


def decoded(body: bytes, encoding: str | None = None, *, request: Any = None, **more: Any) -> Any:
    headers = HTML | more.pop("headers", {}) | ({"Content-Encoding": encoding} if encoding else {})
    settings = more.pop("settings", {})
    given = request or Request("http://a.test/1")
    return middleware(**settings).process_response(given, answer(body, headers, **more))


@pytest.mark.parametrize(("name", "pack"), CASES)
def test_whole_bodies_are_decompressed(name: str, pack: Any) -> None:
    found = decoded(pack(PAGE), name.upper())
    assert isinstance(found, HtmlResponse)
    assert (found.body, found.encoding) == (PAGE, "utf-8")
    assert "Content-Encoding" not in found.headers


@pytest.mark.parametrize("cut", [1, 60])
@pytest.mark.parametrize(("name", "pack"), CASES)
def test_a_body_that_is_cut_off_is_requested_again_and_then_fails(
    name: str, pack: Any, cut: int
) -> None:
    body = pack(PAGE)[:-cut]
    again = decoded(body, name, settings={"RETRY_TIMES": 1})
    assert isinstance(again, Request)
    assert again.meta["retry_times"] == 1
    with pytest.raises(BrokenBodyError, match=r"incomplete body|broken compression"):
        decoded(body, name, request=again, settings={"RETRY_TIMES": 1})
    with pytest.raises(BrokenBodyError):
        decoded(body, name, settings={"RETRY_ENABLED": False})


def test_a_wrong_checksum_or_length_is_a_broken_body() -> None:
    for at in (-8, -2):
        body = bytearray(gzip.compress(PAGE))
        body[at] ^= 1
        with pytest.raises(BrokenBodyError, match="broken compression"):
            decoded(bytes(body), "gzip", settings={"RETRY_TIMES": 0})


def test_several_members_and_bytes_behind_the_end() -> None:
    both = gzip.compress(PAGE[:1000]) + gzip.compress(PAGE[1000:])
    assert decoded(both, "gzip").body == PAGE
    assert decoded(gzip.compress(PAGE) + b"\r\n", "gzip").body == PAGE
    with pytest.raises(BrokenBodyError):
        decoded(both[:-9], "gzip", settings={"RETRY_TIMES": 0})


def test_with_dataloss_allowed_the_page_is_taken_and_the_run_incomplete() -> None:
    subject = middleware(DOWNLOAD_FAIL_ON_DATALOSS=False)
    cut = answer(gzip.compress(PAGE)[:-9], HTML | {"Content-Encoding": "gzip"})
    found = subject.process_response(Request("http://a.test/1"), cut)
    assert found.body in (PAGE, PAGE[: len(found.body)])  # type: ignore[union-attr]
    assert "cut off" in subject.crawler.stats.get_value(INCOMPLETE_STAT)[0]


def test_the_class_of_a_response_may_change() -> None:
    headers = {"Content-Type": "application/pdf", "Content-Encoding": "utf-8"}
    page = HtmlResponse("http://a.test/1", headers=headers, body=PAGE)
    found = middleware().process_response(Request("http://a.test/1"), page)
    assert (found.body, found.url) == (PAGE, page.url)


def test_an_unknown_compression_is_named_but_files_stay_as_they_are() -> None:
    body = b"\x1f\x9d\x90" + bytes(range(99))
    with pytest.raises(BrokenBodyError, match="unknown compression"):
        decoded(body, "compress", settings={"RETRY_TIMES": 0})
    assert decoded(body, "aws-chunked", headers={"Content-Type": "image/png"}).body == body


def test_bodies_of_errors_and_stopped_downloads_are_not_judged() -> None:
    cut = gzip.compress(PAGE)[:-9]
    assert decoded(cut, "gzip", status=404).status == 404
    assert decoded(cut, "gzip", flags=["download_stopped"]).body
    assert decoded(b"", "gzip").body == b""


def test_a_cut_page_of_the_cache_is_requested_from_the_site() -> None:
    again = decoded(gzip.compress(PAGE)[:-9], "gzip", flags=["cached"])
    assert again.meta["dont_cache"]


@pytest.mark.parametrize("name", ["UTF-8", "none", "identity", "gb2312", "x-nonsense", "", "utf8,"])
def test_what_is_no_compression_is_ignored_without_a_word(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    found = decoded(PAGE, name)
    assert (type(found), found.body) == (HtmlResponse, PAGE)
    assert decoded(gzip.compress(PAGE), f"{name}, gzip").body == PAGE
    assert not caplog.records


@pytest.mark.parametrize("name", sorted(PACKERS))
def test_text_that_is_not_compressed_although_the_header_says_so(name: str) -> None:
    for body in (PAGE, b'\xef\xbb\xbf {"a": [1]}', b'[{"a": 1}]' * 9):
        assert decoded(body, name).body == body


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, zstd.compress])
def test_text_that_is_compressed_although_no_header_says_so(pack: Any) -> None:
    assert decoded(pack(PAGE)).body == PAGE
    assert decoded(pack(PAGE), "none").body == PAGE
    found = middleware().process_response(Request("http://a.test/1"), answer(pack(PAGE), {}))
    assert type(found) is HtmlResponse
    assert decoded(gzip.compress(pack(PAGE)), "gzip").body == PAGE
    with pytest.raises(BrokenBodyError):
        decoded(pack(PAGE)[:-1], settings={"RETRY_TIMES": 0})


def test_files_stay_as_they_are() -> None:
    body = gzip.compress(PAGE)
    assert decoded(body, headers={"Content-Type": "application/gzip"}).body == body
    found = middleware().process_response(
        Request("http://a.test/s.xml.gz"), answer(body, {}, url="http://a.test/s.xml.gz")
    )
    assert found.body == body


@pytest.mark.parametrize(("name", "pack"), CASES)
def test_bombs_are_bounded(name: str, pack: Any) -> None:
    with pytest.raises(IgnoreRequest, match="DOWNLOAD_MAXSIZE"):
        decoded(pack(bytes(3 << 20)), name, settings={"DOWNLOAD_MAXSIZE": 1 << 20})
    assert len(decoded(pack(PAGE), name, settings={"DOWNLOAD_MAXSIZE": len(PAGE)}).body)


# A crawler takes much longer than a body.
default_middleware = cache(middleware)


@given(st.binary(max_size=80), st.sampled_from([None, *PACKERS, "utf-8", "\xff", ",,;"]))
def test_no_body_raises_another_error(body: bytes, name: str | None) -> None:
    headers = HTML | ({"Content-Encoding": name} if name else {})
    for start in (b"", b"\x1f\x8b\x08\0", b"\x28\xb5\x2f\xfd", b"\x78\x9c"):
        given = answer(start + body, headers)
        found = default_middleware().process_response(Request("http://a.test/1"), given)
        assert isinstance(found, Request | Response)


def test_a_file_that_claims_to_be_a_page_is_no_text() -> None:
    headers = {"Content-Type": "text/html; charset=utf-8"}
    page = HtmlResponse("http://a.test/", body=b"%PDF-1.4 \xff", headers=headers, flags=["cached"])
    found = CharsetMiddleware().process_response(Request("http://a.test/"), page)
    assert type(found) is Response
    assert (found.url, found.body, found.flags) == ("http://a.test/", page.body, ["cached"])


def test_a_header_of_one_byte_per_character_gives_way_to_the_text() -> None:
    body = "<meta charset=gbk><p>山东玉米价格行情".encode("gbk")
    headers = {"Content-Type": "text/html;charset=ISO-8859-1"}
    found = CharsetMiddleware().process_response(
        Request("http://a.test/"), HtmlResponse("http://a.test/", body=body, headers=headers)
    )
    assert isinstance(found, HtmlResponse)
    assert found.text.endswith("山东玉米价格行情")
