from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse, XmlResponse

from focuscrawl.middlewares.body_decoding import CharsetMiddleware
from focuscrawl.text.page_charset import declared_in_meta, detect


def decode(body: bytes, declared: str = "") -> str:
    """Return the body decoded with the detected charset, as by the middleware."""
    return body.decode(detect(body, declared), "replace").removeprefix("\ufeff")


LABELS = [
    "",
    "gb2312",
    "big5",
    "utf-8",
    "hz",
    "x",
    "\0",
    "hex",
    "rot13",
    "undefined",
    "base64",
    "utf-7",
    "idna",
]
SIMPLIFIED = "今日山东玉米价格行情,潍坊地区饲料厂收购价格上调,市场成交一般。" * 3
TRADITIONAL = "今日臺灣玉米價格行情,市場成交的價格與昨日相同,這是公司的公告。" * 3
GBK_ONLY = "朱镕基、玉米價格、〇七年的行情" * 3


@pytest.mark.parametrize(
    ("text", "codec", "declared", "found"),
    [
        (SIMPLIFIED, "gb2312", "gb2312", "gb18030"),
        (SIMPLIFIED, "gb18030", "GBK", "gb18030"),
        (SIMPLIFIED, "gb18030", "", "gb18030"),
        (SIMPLIFIED, "gb18030", "utf-8", "gb18030"),
        (SIMPLIFIED, "gb18030", "no-such-charset", "gb18030"),
        (SIMPLIFIED, "utf-8", "gb2312", "utf-8"),
        (SIMPLIFIED, "utf-8", "", "utf-8"),
        (SIMPLIFIED, "utf-8-sig", "gb2312", "utf-8"),
        (SIMPLIFIED, "utf-16", "", "utf-16-le"),
        (f"<p>{SIMPLIFIED}", "utf-16-le", "utf-16", "utf-16-le"),
        (f"<p>{SIMPLIFIED}", "utf-16-be", "", "utf-16-be"),
        (TRADITIONAL, "big5", "big5", "big5hkscs"),
        (TRADITIONAL, "big5", "", "big5hkscs"),
        (TRADITIONAL, "big5", "utf-8", "big5hkscs"),
        (TRADITIONAL, "utf-8", "big5", "utf-8"),
        (GBK_ONLY, "gbk", "gb2312", "gb18030"),
        ("联通", "gbk", "gb2312", "gb18030"),
        ("price 1.5", "ascii", "gb2312", "gb18030"),
        ("price 1.5", "ascii", "undefined", "utf-8"),
        ("price 1.5", "ascii", "hex", "utf-8"),
        (GBK_ONLY, "gbk", "x-gbk", "gb18030"),
        (SIMPLIFIED, "hz", "hz-gb-2312", "hz"),
        ("", "ascii", "", "utf-8"),
    ],
)
def test_the_true_charset_is_found(text: str, codec: str, declared: str, found: str) -> None:
    body = text.encode(codec)
    assert detect(body, declared) == found
    assert decode(body, declared) == text


@pytest.mark.parametrize("header", ["ISO-8859-1", "windows-1252", "us-ascii", "latin1", "koi8-r"])
@pytest.mark.parametrize("meta", ["", "<meta charset=gb2312>", "<meta charset=iso-8859-1>"])
def test_a_single_byte_charset_does_not_hide_chinese_text(header: str, meta: str) -> None:
    for text, codec in (
        (SIMPLIFIED, "gb18030"), (TRADITIONAL, "big5"), (SIMPLIFIED, "utf-8"), ("寿光金玉米淀粉", "gbk"),
    ):  # fmt: skip
        body = f"{meta}<p>{text}</p>".encode(codec)
        assert decode(body, header) == body.decode(codec)
        # Cut off inside of the last character.
        cut = f"{meta}<p>{text}".encode(codec)[:-1]
        assert decode(cut, header).startswith(f"{meta}<p>{text[:-1]}")


@pytest.mark.parametrize("in_meta", [True, False])
@pytest.mark.parametrize(
    ("declared", "codec", "text"),
    [
        ("gb2312", "big5", TRADITIONAL),
        ("gb18030", "big5", TRADITIONAL),
        ("big5", "gbk", SIMPLIFIED),
        ("big5", "utf-8", SIMPLIFIED),
        ("utf-8", "gbk", SIMPLIFIED),
        ("shift_jis", "gbk", SIMPLIFIED),
        ("euc-kr", "gbk", SIMPLIFIED),
    ],
)
def test_a_wrong_declaration_is_told_by_the_text(
    declared: str, codec: str, text: str, in_meta: bool
) -> None:
    body = (f"<meta charset={declared}>" * in_meta + text).encode(codec)
    assert decode(body, "" if in_meta else declared) == body.decode(codec)


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("iso-8859-1", "Größe Straße über für schön Maß Öl äöü Füße"),
        ("windows-1252", "été élève à où forêt français déjà créée"),
        ("windows-1251", "цена кукурузы сегодня выросла на рынке зерна"),
        ("koi8-r", "цена кукурузы сегодня выросла на рынке зерна"),
        ("iso-8859-7", "η τιμή του καλαμποκιού σήμερα στην αγορά"),
        ("shift_jis", "本日のトウモロコシ価格は安定しています。会社の発表"),
        ("euc-jp", "本日のトウモロコシ価格は安定しています。会社の発表"),
        ("euc-kr", "오늘 옥수수 가격은 안정적입니다 시장 동향과 회사 발표"),
    ],
)
def test_other_scripts_are_not_taken_for_chinese(codec: str, text: str) -> None:
    for words in (text, text.split()[0], text * 20):
        assert decode(words.encode(codec), codec) == words


def test_a_few_broken_bytes_do_not_turn_a_page_into_another_charset() -> None:
    body = SIMPLIFIED.encode("gb18030") * 20 + b"\xff\x80" + "玉米".encode("gb18030")
    assert detect(body, "gb2312") == "gb18030"


def test_the_meta_element_is_used_if_the_header_has_no_charset() -> None:
    body = b'<META http-equiv=Content-Type content="text/html; charset=GB2312">' + "镕".encode(
        "gbk"
    )
    assert declared_in_meta(body) == "GB2312"
    assert decode(body).endswith("镕")


@pytest.mark.parametrize(
    "label", ["punycode", "idna", "unicode_escape", "raw_unicode_escape", "utf-7", "mbcs", "palmos"]
)
@pytest.mark.parametrize("place", ["header", "meta"])
def test_codecs_unknown_to_browsers_are_ignored(label: str, place: str) -> None:
    body = b"<p>price 1.5"
    if place == "meta":
        assert detect(f'<meta charset="{label}">'.encode() + body) == "utf-8"
    else:
        assert detect(body, label) == "utf-8"


def test_the_middleware_never_uses_a_codec_unknown_to_browsers() -> None:
    declared = {"Content-Type": "text/html; charset=punycode"}
    response = HtmlResponse("http://a.test/", headers=declared, body=b"a-" + b"9" * 200_000)
    decoded = CharsetMiddleware().process_response(Request(response.url), response)
    assert isinstance(decoded, HtmlResponse)
    assert (decoded.encoding, len(decoded.text)) == ("utf-8", 200_002)


def test_an_unsafe_codec_in_an_xml_declaration_is_ignored() -> None:
    body = b'<?xml version="1.0" encoding="punycode"?><a>b-99</a>'
    response = XmlResponse("http://a.test/", body=body)
    decoded = CharsetMiddleware().process_response(Request(response.url), response)
    assert isinstance(decoded, XmlResponse)
    assert decoded.encoding == "utf-8"


@given(st.binary(max_size=300), st.sampled_from(LABELS))
def test_any_bytes_are_accepted(body: bytes, declared: str) -> None:
    assert isinstance(decode(body, declared), str)


@given(st.text(alphabet=st.sampled_from(sorted(set(SIMPLIFIED))), min_size=30, max_size=80))
def test_text_is_decoded_correctly_with_any_declaration(text: str) -> None:
    assert decode(text.encode("utf-8"), "gb2312") == text
    assert decode(text.encode("gb18030"), "gbk") == text


def test_a_process_that_ran_out_of_memory_still_knows_its_charsets() -> None:
    program = """
import resource
from contextlib import suppress
import focuscrawl.text.page_charset

names = "gbk gb18030 big5 big5hkscs hz shift_jis euc_jp euc_kr iso2022_jp".split()
lifted = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (1 << 20, lifted[1]))
for name in names:
    with suppress(LookupError, OSError, MemoryError):
        b"a".decode(name)
resource.setrlimit(resource.RLIMIT_AS, lifted)
print(*(b"a".decode(name) for name in names))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("a a a a a a a a a\n", "")
