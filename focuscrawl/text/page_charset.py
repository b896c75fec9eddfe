"""Detection of the true charset of a Chinese page, which may differ from the declared one."""

from __future__ import annotations

import codecs
import re

import webencodings

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    # Without a byte order mark: a page begins with a tag (XML 1.0, appendix F).
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
TAGS_ARE_ASCII = frozenset({"utf-8", "ascii", "gb18030", "big5hkscs"})
"""Detected charsets in which the bytes of a tag are those of ASCII."""

# Encodings of the standard without a codec in Python.
_NOT_PYTHON = {"replacement", "x-user-defined"}
# Nearly all CJK characters are E3-E9 and two continuation bytes in UTF-8. GBK text that happens to
# be valid UTF-8 decodes to two-byte sequences, as the well-known "联通" does.
_UTF8_CJK = re.compile(rb"[\xe3-\xe9][\x80-\xbf]{2}")
_META_CHARSET = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w-]{2,20})""", re.I)
# The most frequent characters of running text, simplified and traditional: a wrong Chinese charset
# decodes without errors, but to rare characters.
_COMMON = frozenset(
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过"
    "子说产种面而方后多定行学法所民得经日月价格元斤市公司电话地址网新闻"
    "這為個國時來們對會發動過說產種後經學價電話網聞開關於點還進無與從"
    # Of tables, which have few other words.
    "玉米豆水平稳报涨跌较昨收购吨省县港厂区号北南东西報漲較購噸縣廠區號東"
)
_NON_ASCII = re.compile(rb"[\x80-\xff]")
_RUNS = re.compile(rb"[\x80-\xff]+")
_SAMPLE_BYTES = 20_000
# Enough where the declaration is true.
_FIRST_BYTES = 1000
# Beginnings of the names that Python gives to charsets of one byte per character.
_SINGLE_BYTE = ("ascii", "iso8859", "cp125", "cp874", "cp866", "koi8", "mac", "latin")
# The least difference of scores by which a declaration is wrong.
_CLEARLY = 0.08
# Each of these codecs has a library. Where loading one fails, for want of memory, Python takes the codec
# for unknown as long as the process lives, so they are loaded early.
for _name in ("gb18030", "big5", "big5hkscs", "shift_jis", "euc_kr", "iso2022_jp"):
    codecs.lookup(_name)


def normal_name(label: str) -> str:
    """Return the superset codec for a declared charset label, or ``""`` for an unknown one.

    Only the labels of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels) are
    known: Python has other codecs too, some of them slow (punycode) or not charsets (rot13).
    """
    encoding = webencodings.lookup(label)
    if encoding is None:
        return ""
    try:
        # Python's codec of the label first: it distinguishes ISO-8859-1 from Windows-1252.
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
    """Return the name of the codec of ``body``.

    ``declared`` is the label of the HTTP header; if it is empty or unknown, that of the ``meta``
    element is used. A declared charset is trusted unless the bytes contradict it. Never raises.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return name
    believed = normal_name(declared)
    if not believed or _is_single_byte(believed):
        # Servers send ISO-8859-1 with pages whose authors say otherwise.
        believed = normal_name(declared_in_meta(body)) or believed or "utf-8"
    first = _NON_ASCII.search(body)
    if not first:
        return believed
    sample = body[first.start() : first.start() + _SAMPLE_BYTES]
    if _decodes(sample, "utf-8") and _UTF8_CJK.search(sample):
        return "utf-8"
    return _best(sample, believed)


def _is_single_byte(name: str) -> bool:
    return name.startswith(_SINGLE_BYTE)


def _decodes(sample: bytes, name: str) -> bool:
    try:
        # Incremental because the sample may end inside a character.
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
    """Return the declared charset unless the text looks much better in UTF-8 or a Chinese one.

    The score is the share of common characters minus four times the rate of errors.
    """
    if _common_share(sample[:_FIRST_BYTES], believed) > 2 * _CLEARLY and _decodes(sample, believed):
        return believed
    non_ascii = len(_NON_ASCII.findall(sample))
    errors = {name: _errors(sample, name) for name in (believed, "utf-8", "gb18030", "big5hkscs")}
    scores = {
        name: _common_share(sample, name) - 4 * count / non_ascii for name, count in errors.items()
    }
    if _is_single_byte(believed) and _has_pairs(sample):
        scores["gb18030"] += 2 * _CLEARLY
    best = max(scores, key=lambda name: scores[name])
    is_possible = errors[believed] * 50 < non_ascii and (
        believed != "utf-8" or not errors[believed]
    )
    return believed if is_possible and scores[best] < scores[believed] + _CLEARLY else best


def _has_pairs(sample: bytes) -> bool:
    """Return whether nearly all bytes above ASCII come in pairs, as in GB2312, some next to each other."""
    runs = _RUNS.findall(sample, 0, len(sample) - 1)
    even = sum(not len(run) % 2 for run in runs)
    return even * 10 >= len(runs) * 9 and max(map(len, runs), default=0) >= 4


def _common_share(sample: bytes, name: str) -> float:
    try:
        text = sample.decode(name, "replace")
    except (LookupError, UnicodeError):
        return 0.0
    foreign = [character for character in text if character > "\x7f"]
    return sum(character in _COMMON for character in foreign) / len(foreign) if foreign else 0.0
