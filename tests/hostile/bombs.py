"""Pages that are small to send and large, or slow, to read."""

from __future__ import annotations

import gzip
import zlib
from functools import cache

import brotli  # type: ignore[import-untyped]

from tests.hostile.case import ReceivedRequest, Shelf, Wire, html, ok

BOMBS = Shelf("bomb")
MEGABYTE = 1_000_000
_UNPACKED = 1024 * MEGABYTE


def _repeated(text: str, size: int) -> bytes:
    piece = text.encode()
    return piece * (size // len(piece) + 1)


def _numbered(form: str, count: int) -> bytes:
    return "".join(form.format(number) for number in range(count)).encode()


BOMBS.pages({
    "font-37k": ("37 KB of open font elements", lambda: _numbered("<font size={}><p>", 1900)),
    "font-75k": ("75 KB of open font elements", lambda: _numbered("<font size={}><p>", 3800)),
    "font-1m": ("1 MB of open font elements", lambda: _numbered("<font size={}><p>", 50_000)),
    "formatting-mix": ("b, i, u, s, code never closed", lambda: _numbered("<b id={0}><i id={0}><u><code><p>", 5000)),
    "attributes-40k": ("a tag of 40,000 attributes", lambda: b"<p " + _numbered("a{}=1 ", 40_000) + b">"),
    "attributes-200k": ("a tag of 200,000 attributes", lambda: b"<p " + _numbered("a{}=1 ", 200_000) + b">"),
    "attributes-many-tags": ("500 tags of 2,000 attributes", lambda: (b"<p " + _numbered("a{} ", 2000) + b">") * 500),
    "attributes-body": ("body tags again and again, each with new attributes", lambda: _numbered("<body a{}=1>", 20_000)),
    "attribute-value": ("an attribute of 5 MB", lambda: b'<p title="' + _repeated("神经网络 ", 5 * MEGABYTE) + b'">'),
    "nesting-div": ("100,000 div in each other", lambda: b"<div>" * 100_000),
    "nesting-inline": ("50,000 span in each other", lambda: b"<span>" * 50_000),
    "nesting-lists": ("20,000 lists in each other", lambda: b"<ul><li>" * 20_000),
    "nesting-quotes": ("blockquotes and paragraphs", lambda: b"<blockquote><p>x" * 20_000),
    "nesting-tables": ("5,000 tables in each other", lambda: b"<table><tr><td>" * 5000),
    "table-foster": ("what has no place in a table", lambda: b"<table>" + b"<a href=x><p>y" * 20_000),
    "table-spans": ("cells over 65,534 columns and rows", lambda: b"<table>" + b"<tr><td colspan=65534 rowspan=65534>1" * 3000),
    "table-wide": ("a row of 200,000 cells", lambda: "<table><tr><td>地址".encode() + "<td>价格".encode() * 200_000),
    "anchors-open": ("50,000 links never closed", lambda: b"<a href=/x><p>" * 50_000),
    "nobr": ("nobr and buttons", lambda: b"<nobr><button>" * 20_000),
    "select": ("300,000 options", lambda: b"<select>" + b"<option>x" * 300_000),
    "svg": ("svg and math in each other", lambda: b"<svg><math><mi>" * 20_000),
    "iframes": ("20,000 frames", lambda: b"<iframe src=/f></iframe>" * 20_000),
    "comments": ("100,000 comments, the last open", lambda: b"<!-- x -->" * 100_000 + b"<!--"),
    "comment-opens": ("a comment that opens again and again", lambda: b"<!--<!-" * 200_000),
    "cdata": ("CDATA never closed", lambda: b"<![CDATA[" * 100_000),
    "entities": ("a million entities", lambda: b"&amp;&#x4e00;" * 500_000),
    "entities-open": ("a million ampersands", lambda: b"&" * MEGABYTE),
    "entity-long": ("a character reference of 1 MB", lambda: b"&#" + b"9" * MEGABYTE + b";"),
    "script": ("a script of 7 MB", lambda: b"<script>" + b"var a='</p>';" * 500_000 + b"</script>"),
    "title-open": ("a title of 2 MB, never closed", lambda: b"<title>" + _repeated("神经网络", 2 * MEGABYTE)),
    "json-nested": ("linked data 100,000 deep", lambda: b'<script type="application/ld+json">' + b'[{"a":' * 100_000 + b"</script>"),
    "json-wide": ("linked data with 100,000 firms", lambda: b'<script type="application/ld+json">[' + b'{"@type":"Organization","name":"x"},' * 100_000 + b"{}]</script>"),
    "json-number": ("linked data with a number of a million digits", lambda: b'<script type="application/ld+json">{"@type":"Organization","telephone":' + b"9" * MEGABYTE + b"}</script>"),
    "bodies-nested": ("article bodies in each other", lambda: '<div class="content"><p>山东玉米 1600元/吨'.encode() * 3000),
    "page-7m": ("7 MB of honest paragraphs", lambda: _repeated("<p>神经网络 的 训练 用 梯度下降。</p>\n", 7 * MEGABYTE)),
    "page-9m": ("9 MB, over the limit", lambda: _repeated("<p>神经网络 的 训练 用 梯度下降。</p>\n", 9 * MEGABYTE)),
    "page-60m": ("60 MB", lambda: _repeated("<p>神经网络 的 训练 用 梯度下降。</p>\n", 60 * MEGABYTE)),
    "one-line": ("5 MB without a tag or a blank", lambda: _repeated("神经网络梯度下降", 5 * MEGABYTE)),
    "one-word": ("5 MB of one letter", lambda: b"a" * 5 * MEGABYTE),
    "blanks": ("5 MB of blanks", lambda: b" \t" * 2_500_000),
    "breaks": ("500,000 line breaks", lambda: b"<br>" * 500_000),
    "address-36k": ("36 KB of the label of an address", lambda: _repeated("地址：", 36_000)),
    "address-1m": ("1 MB of it", lambda: _repeated("地址：", MEGABYTE)),
    "address-parts": ("an address that does not end", lambda: _repeated("四川省成都市武侯区人民南路1号", MEGABYTE // 2)),
    "labels-mixed": ("all labels of contacts", lambda: _repeated("电话：地址:传真：邮编：E-mail：QQ：联系人：", MEGABYTE // 2)),
    "phones": ("50,000 numbers", lambda: _repeated("028-85550000 转 8001、", MEGABYTE)),
    "digits": ("1 MB of digits", lambda: b"0" * MEGABYTE),
    "mails": ("a mail address that does not end", lambda: b"a@" * 300_000 + b"a." * 300_000),
    "firm-names": ("a name of a firm that does not end", lambda: _repeated("四川成都有限公司", MEGABYTE // 2)),
    "brackets": ("500,000 open brackets", lambda: _repeated("（【([", MEGABYTE)),
    "price-moves": ("上涨10元/吨, 400,000 characters", lambda: _repeated("上涨10元/吨", 3 * 400_000)),
    "price-digits": ("1, again and again", lambda: b"1," * 200_000),
    "price-ranges": ("ranges without end", lambda: _repeated("1600-1620—", MEGABYTE // 2)),
    "price-table": ("a price table of 50,000 rows", lambda: b"<table>" + "<tr><td>寿光金玉米</td><td>1620元/吨</td><td>涨10</td></tr>".encode() * 50_000),
    "base-broken": ("a base that is no URL", lambda: b"<base href=h://[><a href=x>x</a>"),
    "base-elsewhere": ("a base of 1 MB", lambda: b"<base href='http://" + b"a" * MEGABYTE + b"/'><a href=x>x</a>"),
    "hrefs-broken": ("links that are no URLs", lambda: b"".join(b"<a href='%s'>x</a>" % one for one in (
        b"http://[", b"http://[::1", b"http://a:b:c/", b"http://:99999999/", b"//", b"http://%zz/", b"http:///", b"http://\xff/", b"?\x00", b"mailto:", b"http://a..b/",
        b"http://" + b"x" * 300 + b".test/", b"http://xn--/", b"http://xn--zzzzzzzzz99999/", b"http://a b/", b"http://\xe3\x80\x82/", b"http://host:0/", b"http://host:-1/"))),
})  # fmt: skip


@cache
def _gzipped(size: int) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    return b"".join([packer.compress(html()), *(packer.compress(bytes(MEGABYTE)) for _ in range(size // MEGABYTE)), packer.flush()])  # fmt: skip


@cache
def _brotlied(size: int) -> bytes:
    packer = brotli.Compressor(quality=1)
    return b"".join([packer.process(html()), *(packer.process(bytes(MEGABYTE)) for _ in range(size // MEGABYTE)), packer.finish()])  # fmt: skip


@cache
def _deflated(size: int) -> bytes:
    packer = zlib.compressobj(1)
    return b"".join([packer.compress(html()), *(packer.compress(bytes(MEGABYTE)) for _ in range(size // MEGABYTE)), packer.flush()])  # fmt: skip


@BOMBS.case()
def gzip_bomb(_request: ReceivedRequest) -> Wire:
    """1 GB of zeros, gzipped."""
    yield ok(_gzipped(_UNPACKED), "Content-Encoding: gzip")


@BOMBS.case()
def deflate_bomb(_request: ReceivedRequest) -> Wire:
    """1 GB of zeros, deflated."""
    yield ok(_deflated(_UNPACKED), "Content-Encoding: deflate")


@BOMBS.case()
def brotli_bomb(_request: ReceivedRequest) -> Wire:
    """1 GB of zeros by Brotli, whether it was accepted or not."""
    yield ok(_brotlied(_UNPACKED), "Content-Encoding: br")


@BOMBS.case()
def gzip_thrice(_request: ReceivedRequest) -> Wire:
    """A gzip bomb that was gzipped twice more."""
    yield ok(_packed_again(), "Content-Encoding: gzip, gzip, gzip")


@BOMBS.case()
def gzip_names(_request: ReceivedRequest) -> Wire:
    """A thousand content encodings."""
    yield ok(gzip.compress(html()), "Content-Encoding: " + ", ".join(["gzip"] * 1000))


@cache
def _packed_again() -> bytes:
    return gzip.compress(gzip.compress(_gzipped(_UNPACKED)))
