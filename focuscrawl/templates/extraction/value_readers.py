"""Readers of values by type, with or without a label before them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import phonenumbers

from focuscrawl.templates.extraction.address_lines import several_addresses, without_tail
from focuscrawl.templates.extraction.page_values import PlacedValue
from focuscrawl.templates.keywords import fold
from focuscrawl.templates.names.name_words import Span, folded, readable
from focuscrawl.templates.names.organisations import organisations
from focuscrawl.templates.names.postal_addresses import (
    addresses,
    looks_like_address,
    start_of_place,
    trim_address,
)
from focuscrawl.templates.template_model import FieldType

# Postcodes and QQ numbers.

_POSTCODE = re.compile(r"(?<![\d.-])([0-8]\d(?:\s?\d){4})(?![\d.]|-\d)")
_BY_SIGN = re.compile(r"(?:[(\[]\s?(?=\d{6}\s?[)\]])|〒\s?)(\d{6})(?!\d)")
# Canadian postcodes: some firms have offices there.
_WITH_LETTERS = re.compile(r"(?<![A-Za-z0-9])([A-Z]\d[A-Z]\s?\d[A-Z]\d)(?![A-Za-z0-9])")
# Digits behind letters are part of another account: QQ / 微信：8001234 / qinghe8001234.
_QQ = re.compile(r"(?<![\d._-])(?<![a-pr-zA-PR-Z])[1-9]\d{4,10}(?![\d@]|-\d)")
_COUNTING = re.compile(r"123456(?:7(?:8\d*)?)?")
_MOST_BETWEEN = 15  # characters before a number: a name, blanks
_QQ_LINK = re.compile(
    r"(?:wpa\.qq\.com|tencent:|mqqwpa:|qm\.qq\.com).*?(?:[?&;]|%3f|%26)(?:uin|exe)=(\d{5,11})(?!\d)",
    re.I,
)


def postcodes(text: str, *, labelled: bool = False) -> list[PlacedValue]:
    """Return the postcodes in a folded text; without a label only those in brackets or after 〒."""
    if not labelled:
        matches = list(_BY_SIGN.finditer(text))
    else:
        matches = near_one_another(_POSTCODE, text) or near_one_another(_WITH_LETTERS, text)
    found = []
    for match in matches:
        code = "".join(match[1].split()) if match[1][0].isdigit() else match[1]
        if len(set(code)) > 1 and code != "123456":
            found.append(PlacedValue(*match.span(1), code, 1.0, code))
    return found


def qq_numbers(text: str, *, labelled: bool = False) -> list[PlacedValue]:
    """Return the QQ numbers in a folded text; none without a label, as any number looks like one."""
    if not labelled:
        return []
    return [
        PlacedValue(*match.span(), match[0], 1.0, match[0])
        for match in near_one_another(_QQ, text)
        if len(set(match[0])) > 1 and not _COUNTING.fullmatch(match[0])
    ]


def near_one_another(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """Return the matches from the start of the text up to the first gap that is too wide."""
    found: list[re.Match[str]] = []
    for match in pattern.finditer(text):
        if match.start() - (found[-1].end() if found else 0) > _MOST_BETWEEN:
            break
        found.append(match)
    return found


def qq_of_link(href: str) -> str:
    """Return the QQ number of a link that opens a chat, ``""`` for other links."""
    match = _QQ_LINK.search(href)
    return match[1] if match else ""


# Web addresses as printed on pages.

_HOST_DOT = r"\s?\.\s?"
_KNOWN_ENDING = (
    r"(?:com\.cn|net\.cn|org\.cn|gov\.cn|edu\.cn|ac\.cn|com\.hk|com\.tw|com|cn|net|org|gov|edu|cc|info"
    r"|biz|co|io|tv|me|top|vip|xyz|hk|tw|ltd|shop|site|online|tech|store|wang|club|asia|mobi|name|pro)"
)
# There are over a thousand top-level domains; after http or www any of them is accepted.
_HOST_ENDING = rf"(?(www)[A-Za-z]{{2,24}}|(?(scheme)[A-Za-z]{{2,24}}|{_KNOWN_ENDING}))"
_PATH = r"(?:/[A-Za-z0-9_\-./?=&%#~]*)?"
_SITE = re.compile(
    rf"(?<![A-Za-z0-9@._-])(?:(?P<scheme>https?\s?:\s?/\s?/\s?)|(?P<www>www{_HOST_DOT}))?"
    rf"(?P<host>(?:[A-Za-z0-9-]{{1,63}}{_HOST_DOT}){{1,4}}{_HOST_ENDING})(?![A-Za-z0-9@-])(?::\d{{2,5}})?(?P<path>{_PATH})",
    re.IGNORECASE,
)
# Nothing but a host behind a label, under any top-level domain.
_WHOLE = re.compile(r"[\s:]*((?:[A-Za-z0-9-]{2,63}\.){1,3}[A-Za-z]{2,24})/?\s*")
_HOME = re.compile(r"/?|/index\.\w+|/(?:cn|en|zh)/?")
_BLANKS = re.compile(r"\s+")
# Sites that any page mentions: the register of sites, maps, browsers, sharing.
_OTHERS = re.compile(
    r"(?:^|\.)(?:gov\.cn/?$|miit\.gov\.cn|miibeian\.gov\.cn|beian\.gov\.cn|baidu\.com|qq\.com|weibo\.com"
    r"|google\.\w+|microsoft\.com|mozilla\.org|taobao\.com|tmall\.com|1688\.com|alibaba\.com|jd\.com|w3\.org|amap\.com"
    r"|cnzz\.com|bdimg\.com|youtube\.com|facebook\.com|twitter\.com|linkedin\.com|instagram\.com)(?:[/:]|$)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"(?:^|\.)(?:example|domain|yourdomain|yoursite|x{3,}|website)\.\w+", re.I)


def web_addresses(text: str, *, labelled: bool = False) -> list[PlacedValue]:
    """Return the web addresses in a folded text; ``www. abc .com`` is ``www.abc.com``.

    ``labelled`` also accepts those that begin with neither ``http`` nor ``www``, and those of a
    page within a site.
    """
    found = []
    whole = _WHOLE.fullmatch(text) if labelled else None
    if whole and not _EXAMPLE.search(whole[1]) and not _SITE.search(text):
        return [PlacedValue(*whole.span(1), whole[1], 0.9, _key(whole[1]))]
    for match in _SITE.finditer(text) if "." in text else ():
        if not labelled and not (
            (match["scheme"] or match["www"]) and _HOME.fullmatch(match["path"])
        ):
            continue
        value = _BLANKS.sub("", match[0]).rstrip("./?&#")
        key = _key(value)
        if not _EXAMPLE.search(key) and (labelled or not _OTHERS.search(key)):
            found.append(PlacedValue(match.start(), match.end(), value, 1.0, key))
    return found


def _key(value: str) -> str:
    bare = value.lower().partition("://")[2] or value.lower()
    return bare.removeprefix("www.").rstrip("/")


# E-mail addresses, including obfuscated ones.

_AT = r"\s?(?:@|[\[({<#]\s?(?:at|@)\s?[\])}>#]|#at#|\sat\s(?=[\w.-]+\.(?:com|cn|net|org)\b))\s?"
_DOT = r"(?:\.|\s?\.\s?(?=(?:com|cn|net|org)\b)|\s?[\[({#]\s?(?:dot|\.)\s?[\])}#]\s?)"
_EMAIL = re.compile(
    rf"(?<![A-Za-z0-9._%+-])([A-Za-z0-9][A-Za-z0-9._%+-]{{0,63}}){_AT}"
    rf"((?:[A-Za-z0-9-]{{1,40}}{_DOT}){{1,4}}[A-Za-z]{{2,24}})",
    re.IGNORECASE,
)
# Accepted only after a label: info#163.com (请将#换成@)
_DISGUISED = re.compile(
    rf"(?<![A-Za-z0-9._%+-])([A-Za-z0-9][A-Za-z0-9._%+-]{{0,63}})\s?(?:[#◎⊙*]|\(a\)|\[a\])\s?"
    rf"((?:[A-Za-z0-9-]{{1,40}}{_DOT}){{1,4}}[A-Za-z]{{2,24}})",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(r"[#◎⊙*]\s?[改换替]\S{0,3}\s?@")
_ANY_DOT = re.compile(_DOT, re.IGNORECASE)
# The following word may be attached to the address: abc@163.comTel
_ENDING = re.compile(
    r"\.(?:com\.cn|net\.cn|org\.cn|gov\.cn|edu\.cn|com|cn|net|org)(?=[a-z]*$)", re.I
)
_KNOWN_ENDINGS = frozenset(
    "com cn net org edu gov info biz cc co io me tv hk tw top vip xyz".split()
)
_FILES = frozenset("png jpg jpeg gif webp svg css js".split())
_MADE_UP_ADDRESS = re.compile(
    r"(?:x{2,}|your\w*|name|user(?:name)?|example|email|someone|test|abc|info|admin)@"
    r"(?:x{2,}|example|domain|yourdomain|yoursite|your\w*|company|email|mail|test|website|site|admin)\.\w+"
    r"|.*@(?:example\.(?:com|org|net|cn)|domain\.com|(?:x{2,}|\*+)\.\w+|sentry\..*)$",
    re.IGNORECASE,
)


def emails(text: str, *, labelled: bool = False) -> list[PlacedValue]:
    """Return the e-mail addresses in a folded text: ``abc#at#163.com`` is ``abc@163.com``.

    ``labelled`` also accepts those with another sign in place of the @.
    """
    found = []
    matches = list(_EMAIL.finditer(text)) if _may_hold(text) else []
    is_disguised = labelled or _EXPLAINED.search(text)
    for match in matches or (_DISGUISED.finditer(text) if is_disguised else ()):
        domain = _ANY_DOT.sub(".", match[2]).replace(" ", "").lower()
        cut = _cut(domain)
        value = f"{match[1].strip('.-_')}@{cut}"
        last = cut.rpartition(".")[2]
        if last not in _FILES and not _MADE_UP_ADDRESS.fullmatch(value):
            end = match.end() - (len(domain) - len(cut))
            found.append(PlacedValue(match.start(), end, value, 1.0, value.lower()))
    return found


def _may_hold(text: str) -> bool:
    return "@" in text or "at" in text.lower()


def _cut(domain: str) -> str:
    ending = domain.rpartition(".")[2]
    if ending in _KNOWN_ENDINGS or len(ending) <= 3:
        return domain
    cut = _ENDING.search(domain)
    return domain[: cut.end()] if cut else domain


# Telephone numbers as Chinese pages print them.

_GAP = r"[-\s.·]{0,3}"
_COUNTRY = r"(?P<country>(?:\+\s?|00)86|\((?:\+|00)?86\)|\((?:\+|00)?86-?(?=0?\d{2,3}\))|(?<!\d)86(?=[-\s(]|1[3-9]\d{9}(?!\d)))[-\s)]{0,3}"
_MOBILE = rf"(?P<mobile>1[3-9]\d(?:{_GAP}\d){{8}}|1\s[3-9](?:\s\d){{9}})(?!\d)"
_FREE = rf"(?P<free>[48]00(?:{_GAP}\d){{7}})(?!\d)"
_LOCAL_DIGITS = r"\d{2,4}[-\s.]?\d{2,4}(?:[-\s.]?\d{1,4})?"
_LAND = rf"(?P<land>[(\[]?\s?0(?:10|2\d|[3-9]\d\d)\s?[)\]]?)[-\s.*/·_:]{{0,3}}(?P<local>[1-9]{_LOCAL_DIGITS})(?!\d)"
_LAND_ABROAD = rf"(?P<land86>(?:\(0\)\s?|\(?0?)(?:10|2\d|[3-9]\d\d)\)?)[-\s.]{{0,3}}(?P<local86>[2-9]{_LOCAL_DIGITS})(?!\d)"
_INTERNATIONAL = (
    r"(?P<abroad>(?:\+|(?<!\d)00(?=[1-9]))(?:[-\s().]{0,2}\d){8,14}"
    r"|(?<!\d)1[-.]\s?\(?[2-9]\d\d\)?[-.\s]\s?\d{3}[-.\s]\d{4})(?!\d)"
)
# Taiwan, Hong Kong and Macau: (07)2345-6780, (089)345-670, 0800-345-670, 0912-345-670, (853) 2845 6780.
_REGIONAL = (
    r"(?P<regional>(?:\(0[2-8]\)\s?|0[2-8]-)[2-9]\d{2,3}-?\d{4}|0(?:9\d\d|800)-\d{3}-\d{3}"
    r"|(?:\(0(?:37|49|8[29])\)\s?|0(?:37|49|8[29])-)\d{3}-\d{3,4}"
    r"|\((?:85[23]|886)\)\s?\d{1,4}[-\s]?\d{3,4}[-\s]?\d{3,4})(?![\d-])"
)
_NUMBER = re.compile(
    rf"(?<![\d.@#_])(?:{_COUNTRY}(?:(?:\(0\)\s?)?{_MOBILE}|{_FREE}|{_LAND_ABROAD})|{_INTERNATIONAL}|{_MOBILE}|{_FREE}"
    rf"|{_REGIONAL}|{_LAND})".replace("?P<mobile>", "?P<mobile86>", 1).replace(
        "?P<free>", "?P<free86>", 1
    ),
)
_SINGLE_DIGITS = re.compile(r"\d(?:\s\d){10}")
# Accepted only after a label: numbers without area code, of a service (95588), or foreign ones. Those of
# authorities (12315) are no firm's.
_BARE = re.compile(
    r"(?<![\d.备证第])(?:[2-9]\d{2,3}[-\s]?\d{4}|\d{7,8}|(?:9[56]|1[01])\d{3}|[(\d][\d().\s-]{5,16}\d)"
    r"(?![\dXx*号])"
)
_EXTENSION = re.compile(
    r"\s?(?:-\s?|转\s?|轉\s?|\(?(?:转|轉)?分机(?:号)?[:：]?\s?|[Ee]xt\.?\s?[:：]?|[Xx]\s?|#\s?)(\d{1,5})\)?(?!\d|[-\s]\d)"
)
_SPOKEN_EXTENSION = re.compile(r"\s?(?:转|轉|[Ee]xt\.?)\s?(\d{1,5})(?!\d)")
# A further number that shares the area code of the one before: 0571-8800123 8800456, 88001200/88001201.
_FURTHER = re.compile(
    r"\s*+(?:\([^()\d]{1,12}\)\s*+)?(?:(?:[/、,;|\\-]|或|和)\s*+|(?<=\s))(?P<local>[2-9]\d{2,3}[-\s]?\d{3,4})(?![\d-])"
)
_OTHER_EXTENSION = re.compile(r"\s*[/、,]\s*-?\s?(\d{2,5})(?!\d|-)")
_OTHER_TAIL = re.compile(
    r"\s*[/、,-]\s?(\d{1,4})(?!\d|-\d|\s?\d{4}(?!\d)|\s?(?:小时|[天年月日号楼层室人元]|h\b))"
)
_LOCAL = re.compile(r"(?<![\d.@#_备证第-])[2-9]\d{2,3}-?\d{4}(?![\d@.号-])")
_LENGTHS = frozenset({5, *range(7, 14)})
_MOST_BETWEEN = 15  # characters between a label, or a number, and the next: a name
_DATE = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])")
_NOT_DIGITS = re.compile(r"\D")
_MADE_UP_NUMBER = re.compile(
    r"(\d)\1{6,}$|0*1?2345678\d*$|(?:86)?1(?:3800138000|[3-9]\d?0{8,9}|2345678\d+|[3-9]\d12345678)$|0\d{2,3}12345678$|.*0{7}$"
)


def phones(text: str, *, labelled: bool = False) -> list[PlacedValue]:
    """Return the telephone numbers in a folded text, with those that share an area code.

    Mainland numbers are normalised to ``13812345678``, ``0571-12345678``, ``0571-12345678-801`` with
    an extension, ``400-123-4567``, numbers with a country code to ``+86-571-12345678``. ``labelled``
    also accepts numbers that need a label to be recognised, such as those without area code.
    """
    found: list[PlacedValue] = []
    at = 0
    while match := _NUMBER.search(text, at):
        numbers = list(_read(match, text, labelled=labelled))
        found += numbers
        at = numbers[-1].end if numbers else match.end()
    if labelled:
        found = sorted([*found, *_local(text, found)]) if found else list(_bare(text))
    return [number for number in found if not _MADE_UP_NUMBER.match(number.key)]


def _read(match: re.Match[str], text: str, *, labelled: bool) -> Iterator[PlacedValue]:
    parts = match.groupdict()
    start, end = match.span()
    prefix = "+86-" if parts["country"] else ""
    if mobile := parts["mobile86"] or parts["mobile"]:
        digits = _digits(mobile)
        if _gaps(mobile) <= 4 or _SINGLE_DIGITS.fullmatch(mobile):
            yield PlacedValue(start, end, prefix + digits, 1.0, digits)
    elif free := parts["free86"] or parts["free"]:
        digits = _digits(free)
        value = f"{prefix}{digits[:3]}-{digits[3:6]}-{digits[6:]}"
        if extension := _SPOKEN_EXTENSION.match(text, end):
            end, value = extension.end(), f"{value}-{extension[1]}"
        yield PlacedValue(start, end, value, 1.0, _digits(value.removeprefix("+86")))
    elif parts["abroad"]:
        digits = _digits(parts["abroad"]).removeprefix("00")
        if labelled or _is_valid(f"+{digits}"):
            yield PlacedValue(start, end, f"+{digits}", 0.9, digits)
    elif parts["regional"]:
        digits = _digits(parts["regional"])
        yield PlacedValue(start, end, digits, 0.9, digits)
    else:
        area = _digits(parts["land86"] or parts["land"] or "")
        local = parts["local86"] or parts["local"] or ""
        yield from _landline(area, local, prefix, text, start, end, labelled=labelled)


def _landline(
    area: str, local: str, prefix: str, text: str, start: int, end: int, *, labelled: bool
) -> Iterator[PlacedValue]:
    # 86 0571 88001234: the 0 of an area code dialled within the country is kept.
    shown = prefix + area if prefix and not area.startswith("0") else "0" + area.removeprefix("0")
    area = "0" + area.removeprefix("0")
    # Digits after a space may be the next number: 0571-8800123 4 is one number, 0571-88001234 13 is not.
    digits = _digits(local)
    if not 7 <= len(digits) <= 8:
        cut = re.match(r"\d{7,8}(?!\d)|\d{3,4}[-\s.]\d{4}(?!\d)|\d{4}[-\s.]\d{3}(?!\d)", local)
        if not cut:
            return
        end -= len(local) - cut.end()
        digits = _digits(cut[0])
    sure = 1.0 if _is_valid(area + digits) else 0.6
    if sure < 1.0 and not labelled and len(digits) < 7:
        return
    yield from _with_others(f"{shown}-{digits}", area + digits, sure, text, start, end)
    while further := _FURTHER.match(text, end):
        digits = _digits(further["local"])
        if not 7 <= len(digits) <= 8:
            return
        start, end = further.start("local"), further.end()
        yield PlacedValue(start, end, f"{area}-{digits}", sure, area + digits)
        if extension := _EXTENSION.match(text, end):
            end = extension.end()


def _with_others(
    value: str, key: str, sure: float, text: str, start: int, end: int
) -> Iterator[PlacedValue]:
    """Yield a number with its extensions, or with those that differ in the last digits only."""
    if extension := _EXTENSION.match(text, end):
        first = extension[1]
        yield PlacedValue(start, extension.end(), f"{value}-{first}", sure, f"{key}-{first}")
        at = extension.end()
        while other := _OTHER_EXTENSION.match(text, at):
            if len(other[1]) != len(first):
                return
            yield PlacedValue(start, other.end(), f"{value}-{other[1]}", sure, f"{key}-{other[1]}")
            at = other.end()
        return
    yield PlacedValue(start, end, value, sure, key)
    while other := _OTHER_TAIL.match(text, end):
        tail, end = other[1], other.end()
        yield PlacedValue(start, end, value[: -len(tail)] + tail, sure, key[: -len(tail)] + tail)


def _bare(text: str) -> Iterator[PlacedValue]:
    end = 0
    for match in _BARE.finditer(text):
        digits = _digits(match[0])
        if match.start() - end > _MOST_BETWEEN:
            return
        if match[0].isdigit() and len(digits) > 8 and not digits.startswith("0"):
            return
        if len(digits) not in _LENGTHS or len(set(digits)) < 2 or _DATE.fullmatch(digits):
            return
        end = match.end()
        yield PlacedValue(match.start(), end, digits, 0.75, digits)


def _local(text: str, known: Sequence[PlacedValue]) -> Iterator[PlacedValue]:
    """Yield the numbers without area code next to ``known`` ones: 88001234 13812345678."""
    ends = sorted([0, *(number.end for number in known)])
    starts = sorted(number.start for number in known)
    digits_of = bytearray(len(text))
    for number in known:
        digits_of[number.start : number.end] = b"\1" * (number.end - number.start)
    for match in _LOCAL.finditer(text):
        start, end = match.span()
        if 1 in digits_of[start:end]:
            continue
        behind = _is_any_between(ends, start - _MOST_BETWEEN, start)
        before = _is_any_between(starts, end, end + _MOST_BETWEEN)
        if behind and (before or start > known[0].start) and not _DATE.fullmatch(match[0]):
            digits = _digits(match[0])
            yield PlacedValue(start, end, digits, 0.75, digits)


def _is_any_between(places: Sequence[int], first: int, last: int) -> bool:
    """Return whether any of ``places``, in ascending order, is from ``first`` to ``last``."""
    at = bisect_left(places, first)
    return at < len(places) and places[at] <= last


def _digits(text: str) -> str:
    return _NOT_DIGITS.sub("", text)


def _gaps(text: str) -> int:
    return len(re.findall(r"\D+", text))


@lru_cache(maxsize=4096)
def _is_valid(number: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number, "CN"))
    except phonenumbers.NumberParseException:
        return False


_EDGES = " \t:：,，、。;；|/-–—*·>》"
_END_OF_TEXT = re.compile(r"\s{3,}|[|｜]|\s*[\ue900-\ue907]")
_LETTER = re.compile(r"[^\W\d_]")
_LONGEST_TEXT = 300
_LONGEST_NAME = 40
_PLACEHOLDER = re.compile(
    r"[xX某*]{2,}|[xX]{2}[省市区路]|待定|暂无|首页|->|[>»]|[©®]|^(?:地址|内容)$|请(?:在此|输入|填写|选择)|您的"
)
_SHORTEST_ADDRESS, _LONGEST_ADDRESS = 4, 500  # the latter before trimming
_POSTCODE_FIRST = re.compile(r"〒?\s?\d{6}[\s,，]+")
_STRANGE = 0.5
_LIKE_ADDRESS = 0.2
_LIKE_WHOLE, _WHOLE_LINE = 0.65, 0.2
_SHORTEST_WHOLE, _LONGEST_WHOLE = 8, 60
_NO_LINE_OF_ADDRESS = re.compile(r"[。！？!?;；:：@©\ue900-\uf8ff]|\d{6}|\s{2}|公司|电话|手机")
_LAST_PART = re.compile(
    r"(?:[号室楼层座栋幢铺村镇乡屯组园区厦场城院路街道巷弄口侧旁边段南北东西内地馆站门]|(?:米|里|交[叉汇界])处|[A-Za-z]?\d{1,4}[A-Z]?|[)）])$"
)
_NO_ADDRESS = re.compile(r"@|www\.|https?:|[\d-]{11}|\.(?:com|cn|net)\b")


def read_typed(kind: FieldType, text: str, *, labelled: bool) -> list[PlacedValue]:
    """Return the values of a type in a text as printed.

    Values of the type text are only found after a label.
    """
    return _READERS[kind](text, labelled)


def _folding(
    reader: Callable[..., list[PlacedValue]],
) -> Callable[[str, bool], list[PlacedValue]]:
    return lambda text, labelled: reader(fold(text), labelled=labelled)


def _addresses(text: str, labelled: bool) -> list[PlacedValue]:
    if not labelled:
        return _of_spans(_whole_address(text) or addresses(text))
    if several := several_addresses(text):
        return _of_spans(several)
    start = len(text) - len(text.lstrip(_EDGES))
    if code := _POSTCODE_FIRST.match(text, start):
        start = code.end()
    value = without_tail(readable(trim_address(text[start : start + _LONGEST_ADDRESS])))
    if len(folded(value)) < _SHORTEST_ADDRESS or not _LETTER.search(value):
        return []
    if _PLACEHOLDER.search(value) or _NO_ADDRESS.search(value):
        return []
    likeness = looks_like_address(value)
    if likeness < _LIKE_ADDRESS and organisations(value):
        return []
    sure = min(1.0, _STRANGE + 2 * likeness)
    return [PlacedValue(start, _end_of(value, text, start), value, sure, folded(value))]


def _whole_address(text: str) -> list[Span]:
    """Return a text that as a whole is an address, even an unusual one, in a list; else an empty one."""
    value = text.strip(_EDGES)
    if not _SHORTEST_WHOLE <= len(value) <= _LONGEST_WHOLE or _NO_LINE_OF_ADDRESS.search(value):
        return []
    likeness = looks_like_address(value)
    if likeness < _LIKE_WHOLE or not start_of_place(fold(value), 0) or not _LAST_PART.search(value):
        return []
    if any(span.end >= len(value) for span in organisations(value)):
        return []
    start = text.index(value)
    return [Span(start, start + len(value), readable(value), min(1.0, likeness + _WHOLE_LINE))]


def _end_of(value: str, text: str, start: int) -> int:
    """Return the end in the text of a value whose whitespace was folded."""
    letters = [c for c in value if not c.isspace()]
    at = start
    for letter in letters:
        following = text.find(letter, at)
        if following < 0:
            break
        at = following + 1
    return at


def _organisations(text: str, labelled: bool) -> list[PlacedValue]:
    found = _of_spans(organisations(text))
    if found or not labelled:
        return found
    return [
        value
        for value in _texts(text, labelled)
        if 2 <= len(folded(value.value)) <= _LONGEST_NAME
        and _LETTER.search(value.value)
        and looks_like_address(value.value) < _LIKE_WHOLE
    ]


def _texts(text: str, labelled: bool) -> list[PlacedValue]:
    if not labelled:
        return []
    start = len(text) - len(text.lstrip(_EDGES))
    ending = _END_OF_TEXT.search(text, start)
    end = min(ending.start() if ending else len(text), start + _LONGEST_TEXT)
    value = readable(text[start:end].rstrip(_EDGES))
    if not value or not any(map(str.isalnum, value)):
        return []
    return [PlacedValue(start, end, value, 1.0, folded(value))]


def _of_spans(spans: list[Span]) -> list[PlacedValue]:
    return [
        PlacedValue(span.start, span.end, span.text, span.confidence, folded(span.text))
        for span in spans
        if not _PLACEHOLDER.search(span.text)
    ]


_READERS: Mapping[FieldType, Callable[[str, bool], list[PlacedValue]]] = {
    FieldType.ORGANISATION: _organisations,
    FieldType.ADDRESS: _addresses,
    FieldType.PHONE: _folding(phones),
    FieldType.EMAIL: _folding(emails),
    FieldType.URL: _folding(web_addresses),
    FieldType.POSTCODE: _folding(postcodes),
    FieldType.QQ: _folding(qq_numbers),
    FieldType.TEXT: _texts,
}
