"""Pages in another charset than they say, or in none."""

from __future__ import annotations

from collections.abc import Callable

from tests.hostile.case import Shelf, Wire, html, ok

CHARSETS = Shelf("charset")
_TEXT = html().decode()


def _page(kind: str, body: bytes) -> Callable[[object], Wire]:
    def serve(_request: object) -> Wire:
        yield ok(body, kind=kind)

    return serve


def _add(name: str, what: str, kind: str, body: bytes) -> None:
    CHARSETS.add(name, what, _page(kind, body))


def _in(charset: str, text: str = _TEXT) -> bytes:
    return text.encode(charset, "xmlcharrefreplace")


_HTML = "text/html"
_meta = _TEXT.replace("<head>", '<head><meta charset="{}">', 1)
_add("gbk-but-utf8", "declared GBK, is UTF-8", f"{_HTML}; charset=gbk", _in("utf-8"))
_add("utf8-but-gbk", "declared UTF-8, is GBK", f"{_HTML}; charset=utf-8", _in("gb18030"))
_add("nonsense", "a charset that does not exist", f"{_HTML}; charset=x-nonsense", _in("gb18030"))
_add("codec-hex", "a codec that is no charset", f"{_HTML}; charset=hex", _in("utf-8"))
_add("codec-rot13", "a codec from text to text", f"{_HTML}; charset=rot13", _in("utf-8"))
_add("codec-undefined", "a codec that always fails", f"{_HTML}; charset=undefined", _in("utf-8"))
_add("codec-zlib", "a codec that unpacks", f"{_HTML}; charset=zlib", _in("utf-8"))
_add("codec-idna", "the codec of host names", _HTML, _in("utf-8", _meta.format("idna")))
_add("codec-punycode", "Punycode", f"{_HTML}; charset=punycode", b"a-" + b"9" * 200_000)
_add("label-long", "a charset of 100 KB", f"{_HTML}; charset={'a' * 100_000}", _in("utf-8"))
_add("label-nul", "a charset with a NUL", f"{_HTML}; charset=utf-8\x00x", _in("utf-8"))
_add("label-fullwidth", "a charset in full width", f"{_HTML}; charset=ｕｔｆ－８", _in("utf-8"))
_add("utf7", "UTF-7", f"{_HTML}; charset=utf-7", _in("utf-7"))
_add("utf7-hidden", "UTF-7 that nobody declared", _HTML, _in("utf-7"))
_add("utf16", "UTF-16 without a mark", f"{_HTML}; charset=utf-16", _in("utf-16-le"))
_add("utf16-odd", "UTF-16 with one byte too many", f"{_HTML}; charset=utf-16", _in("utf-16") + b"x")
_add("utf16-declared-in-meta", "UTF-16 by an ASCII meta", _HTML, _in("utf-8", _meta.format("utf-16")))  # fmt: skip
_add("utf32", "UTF-32 with a mark", f"{_HTML}; charset=utf-32", _in("utf-32"))
_add("utf32-hidden", "UTF-32 without anything", _HTML, _in("utf-32-be"))
_add("marks-two", "a mark of UTF-8 before one of UTF-16", _HTML, b"\xef\xbb\xbf\xff\xfe" + _in("utf-8"))  # fmt: skip
_add("mark-wrong", "a mark of UTF-16 before GBK", f"{_HTML}; charset=gbk", b"\xff\xfe" + _in("gbk"))
_add("half", "half a character at the end", f"{_HTML}; charset=utf-8", _in("utf-8") + "神".encode()[:2])  # fmt: skip
_add("half-gbk", "half a character of GBK before each tag", f"{_HTML}; charset=gbk", _in("gbk").replace(b"<", b"\xc9<"))  # fmt: skip
_add("gb18030-four", "four bytes a character", f"{_HTML}; charset=gb18030", _in("gb18030", html("𠮷😀㐀".encode() * 5000).decode()))  # fmt: skip
_add("hkscs", "Big5 of Hong Kong", f"{_HTML}; charset=big5", _in("big5hkscs", html("嘅咗喺".encode() * 5000).decode()))  # fmt: skip
_add("hz", "HZ with an open escape", f"{_HTML}; charset=hz-gb-2312", _in("hz") + b"~{" + b"<:" * 50_000)  # fmt: skip
_add("iso2022", "ISO-2022 that switches all the time", f"{_HTML}; charset=iso-2022-jp", html(b"\x1b$B\x1b(B" * 50_000))  # fmt: skip
_add("ebcdic", "EBCDIC", f"{_HTML}; charset=cp037", _in("cp037"))
_add("surrogates", "surrogates as UTF-8", f"{_HTML}; charset=utf-8", html(b"\xed\xa0\x80\xed\xb0\x80" * 20_000))  # fmt: skip
_add("surrogate-references", "references to surrogates", f"{_HTML}; charset=utf-8", html(b"&#xD800;&#55357;&#x110000;&#0;" * 20_000))  # fmt: skip
_add("overlong", "characters of too many bytes", f"{_HTML}; charset=utf-8", html(b"\xc0\xbc\xe0\x80\xbc\xf0\x80\x80\xbc" * 20_000))  # fmt: skip
_add("nuls", "nothing but NUL", f"{_HTML}; charset=utf-8", bytes(1_000_000))
_add("nuls-between", "a NUL after each letter", f"{_HTML}; charset=utf-8", b"\0".join(bytes([byte]) for byte in html()))  # fmt: skip
_add("controls", "control characters", f"{_HTML}; charset=utf-8", html(bytes(range(32)) * 5000 + b"\x7f\xc2\x85\xe2\x80\xa8" * 5000))  # fmt: skip
_add("right-to-left", "overrides of direction", f"{_HTML}; charset=utf-8", html("\u202e价格\u202d\u2066\u200f".encode() * 20_000))  # fmt: skip
_add("combining", "1 MB of combining marks on one letter", f"{_HTML}; charset=utf-8", html(b"a" + "\u0301".encode() * 500_000))  # fmt: skip
_add("combining-mixed", "marks that have to be sorted", f"{_HTML}; charset=utf-8", html(b"a" + "\u0301\u0323".encode() * 250_000))  # fmt: skip
_add("expanding", "characters that grow when normalised", f"{_HTML}; charset=utf-8", html("\ufdfa".encode() * 200_000))  # fmt: skip
_add("case-growing", "characters that grow in lower case", f"{_HTML}; charset=utf-8", html("İ㍿ﬃ".encode() * 100_000))  # fmt: skip
_add("joiners", "emoji joined without end", f"{_HTML}; charset=utf-8", html("\U0001f468\u200d".encode() * 100_000))  # fmt: skip
_add("private-use", "characters of private use", f"{_HTML}; charset=utf-8", html("\ue900\ue90f\U0010ffff\ufffe".encode() * 50_000))  # fmt: skip
_add("noise", "random bytes", f"{_HTML}; charset=gb2312", html(bytes(range(256)) * 2000))
