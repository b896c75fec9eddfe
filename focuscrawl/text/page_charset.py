"""True charset of a Chinese page, whatever it declares."""

from __future__ import annotations

import codecs
import re

import webencodings

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    # Without a mark, as XML's appendix F has it: a page begins with a tag.
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
# A page declared GB2312 or GBK may use any character of their superset GB18030; likewise Big5.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "hz": "hz",
    "big5": "big5hkscs",
    "big5hkscs": "big5hkscs",
    "utf-8": "utf-8",
}
# Encodings of the standard that Python has no codec for.
_NOT_PYTHON = {"replacement", "x-user-defined"}
# Lead bytes E3-E9 with two continuation bytes hold nearly all CJK text. GBK text that happens to
# be valid UTF-8 decodes to two-byte sequences, as the well-known "联通" does.
_UTF8_CJK = re.compile(rb"[\xe3-\xe9][\x80-\xbf]{2}")
_META_CHARSET = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w-]{2,20})""", re.I)
# The commonest characters of running text, simplified and traditional: a wrong charset of the
# Chinese family decodes without error but to rare characters.
_COMMON = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过"
    "子说产种面而方后多定行学法所民得经日月价格元斤市公司电话地址网新闻"
    "這為個國時來們對會發動過說產種後經學價電話網聞開關於點還進無與從"
)
_NON_ASCII = re.compile(rb"[\x80-\xff]")
_SAMPLE_BYTES = 20_000


def normal_name(label: str) -> str:
    """Return the superset codec for a declared charset label, or ``""`` for an unknown one.

    Known are the labels of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels):
    Python's codecs hold more than charsets, some of them slow (punycode) or none of text (rot13).
    """
    encoding = webencodings.lookup(label)
    if encoding is None:
        return ""
    try:
        # Python's own meaning of a label first: ISO-8859-1 is not yet Windows-1252.
        name = codecs.lookup(label.strip()).name
    except LookupError:
        name = encoding.codec_info.name
    name = _SUPERSETS.get(name, name)
    return "" if name in _NOT_PYTHON else name


def declared_in_meta(body: bytes) -> str:
    """Return the charset label of the first ``meta`` element that has one, or ``""``."""
    match = _META_CHARSET.search(body, 0, 16_384)
    return match[1].decode("ascii") if match else ""


def detect(body: bytes, declared: str = "") -> str:
    """Return the name of the codec that ``body`` is really in.

    ``declared`` is the label of the HTTP header; where it is empty, the ``meta`` element counts.
    A declared charset is believed unless the bytes contradict it. Never raises.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return name
    believed = normal_name(declared) or normal_name(declared_in_meta(body)) or "utf-8"
    first = _NON_ASCII.search(body)
    if not first:
        return believed
    sample = body[first.start() : first.start() + _SAMPLE_BYTES]
    if _decodes(sample, "utf-8") and _UTF8_CJK.search(sample):
        return "utf-8"
    if believed != "utf-8" and _decodes(sample, believed):
        return believed
    return _best(sample, believed)


def _decodes(sample: bytes, name: str) -> bool:
    try:
        # Not final: the sample may end inside a character.
        codecs.getincrementaldecoder(name)().decode(sample)
    except (LookupError, UnicodeError):
        return False
    return True


def _errors(sample: bytes, name: str) -> int:
    try:
        text = sample.decode(name, "replace")
    except (LookupError, UnicodeError):
        return len(sample)
    return text[:-1].count("\ufffd")


def _best(sample: bytes, believed: str) -> str:
    """Choose among the Chinese charsets: few errors first, then many common characters."""
    non_ascii = len(_NON_ASCII.findall(sample))
    errors = {name: _errors(sample, name) for name in (believed, "utf-8", "gb18030", "big5hkscs")}
    if errors[believed] * 50 < non_ascii and believed != "utf-8":
        return believed
    return max(errors, key=lambda name: _common_share(sample, name) - 4 * errors[name] / non_ascii)


def _common_share(sample: bytes, name: str) -> float:
    try:
        text = sample.decode(name, "replace")
    except (LookupError, UnicodeError):
        return 0.0
    foreign = [character for character in text if character > "\x7f"]
    return sum(character in _COMMON for character in foreign) / len(foreign) if foreign else 0.0
