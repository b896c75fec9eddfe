"""Names of organisations in running text, recognised by their endings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from focuscrawl.templates.names.name_words import (
    EVENT,
    HAN,
    INSTITUTION,
    LEGAL,
    WEAK,
    Span,
    View,
    name_words,
)
from focuscrawl.text.places.gazetteer import CITY, gazetteer
from focuscrawl.text.places.locations import is_place, place_at

_LONGEST = 40
_CONFIDENCE = {LEGAL: 0.92, INSTITUTION: 0.85, EVENT: 0.75, WEAK: 0.72}
# Characters of a name; brackets in it contain a place.
_NAME_RUN = re.compile(
    rf"(?:[{HAN}A-Za-z0-9&·'’+]|(?<=[A-Za-z0-9])-(?=[A-Za-z0-9])|\([{HAN}A-Za-z·]{{2,12}}\)|[.](?=[A-Za-z0-9]))+$"
)
_BRACKET = re.compile(rf"\(([{HAN}]{{2,8}})\)")
_FORM = re.compile(r"(?:特殊)?(?:普通|有限)合伙|个人独资|个体工商户|集团")
_SHORTEST_STEM, _TELLING_ENDING = 3, 3  # characters
# 联系印厂 and 走进酒店 are entries of menus.
_MENU_VERB = re.compile("联系|联络|走进|关于|加入|找到|了解")
# A line break or space that separates a name from its ending.
_GAP_BEFORE_ENDING = re.compile(
    rf"(?<=[{HAN})）])[ \t\n]{{1,3}}(?=(?:有限责任|股份有限|有限)公司)"
    rf"|(?<=[{HAN}][)）])[ \t]{{1,3}}(?=[{HAN}]{{2,10}}(?:有限|股份)[{HAN}]{{0,4}}公司)"
)
_REPEATED = re.compile(rf".{{0,16}}?([{HAN}]{{2,3}}[市县区])[{HAN}]*?(\1)(?=[{HAN}])")
_COUNTED = re.compile(
    r"^(?:[-–~.·&'’+]|(?:19|20)\d\d(?:[-–~.年/]+(?=\d))?|\d{1,2}月(?:\d{1,2}日)?|\d{1,2}[日.、](?=\D)|\d{4,}|年度?|号(?:-\d+)?|"
    r"[一二三四五六七八九十]、)+"
)
_BLANK_LATIN = re.compile(r"^(?:[Rr]eserved|[Cc]opy[Rr]ight|by|com|cn|net|org|www|ICP备?)+")
_HOUSE_NUMBER = re.compile(r"\d号|\d{4}")
# The end of an address directly before a name: 某某路15号甲乙有限公司.
_NUMBERED = re.compile(r"\d号(?:[院楼]|\d+[室层楼栋幢座])*")
_STREETS = ("路", "街", "道", "大道")
# The heading of an office, behind its place: 上海办事处, 华南营销中心.
_OFFICE = re.compile(
    r"(?:大陆|[华东西][东南西北中]|国[内外]|海外)?(?:地区)?(?:办事处|(?:营销|运营|服务|销售)中心|工厂|[分总]厂|展厅|仓库|[门营][市业]部|销售部|业务部|直营店|专卖店)"
)
_PLACEHOLDER = re.compile(r"[*×xX某]{2}|[*×某]")
_LATIN_END = (
    r"(?:Co(?:\.|mpany)?,? ?(?:Ltd|Limited|L[Tt][Dd])\b\.?|CO\.?,? ?LTD\b\.?|Company Limited|(?:Pte|Pty)\.? ?Ltd\b\.?|Ltd\b\.?|Limited|Inc\b\.?"
    r"|LLC|L\.L\.C\.|Corp(?:\.|oration)|CORP\.|GmbH|S\.A\.|B\.V\.|University|College|Institute|Academy|Hospital|School"
    r"|Association|Society|Factory|Holdings|Group|Committee|Foundation)"
)
_LATIN_NAME = re.compile(
    rf"(?<![A-Za-z0-9.])(?:(?:[A-Z]|\d[A-Z])[A-Za-z0-9&.'’-]{{0,30}}(?: ?\([A-Z][A-Za-z ]{{1,20}}\))?(?: |, (?={_LATIN_END}))|(?:of|and|for|the|&) ){{1,8}}?{_LATIN_END}(?:,? {_LATIN_END})*(?![A-Za-z0-9])"
    r"(?: of(?: [A-Z][a-z]+){1,4})?"
)
_ENDING_ONLY = re.compile(rf"(?:of|and|for|the|&)?\s*(?:{_LATIN_END})?")
_LATIN_LEAD = re.compile(
    r"^(?:(?:Copyright|COPYRIGHT|Welcome|About|Contact|Us|The|By|All|Rights|Reserved|Powered|Designed|To|to|by|of|and|for|the)[-:|, ]+)+"
)


def organisations(text: str) -> list[Span]:
    """Return the names of organisations in ``text``, in order of appearance, without overlaps."""
    view = View(text, _GAP_BEFORE_ENDING)
    found = [_joined(view.span(*where)) for where in _chinese(view.text)]
    taken = bytearray(len(text))
    for span in found:
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    for start, end in _latin(view.text):
        span = view.span(start, end, 0.75)
        if 1 not in taken[span.start : span.end]:
            found.append(span)
    return sorted(found)


def _joined(span: Span) -> Span:
    """Return the span with its name and ending joined without space."""
    return span._replace(text=_GAP_BEFORE_ENDING.sub("", span.text))


def _chinese(text: str) -> Iterator[tuple[int, int, float]]:
    endings = list(name_words().ending.finditer(text))
    floor, at = 0, 0
    while at < len(endings):
        last = _last_of_name(text, endings, at)
        kind = str(max((endings[i] for i in range(at, last + 1)), key=_rank).lastgroup)
        at, match = last + 1, endings[last]
        start = _start_of_name(text, max(floor, match.end() - _LONGEST), match.start())
        if kind != EVENT:
            start = _without_counts(text, start, match.start())
        if kind != LEGAL:
            start = _behind_prose(text, start, match.start())
        end = _end_with_parts(text, match.end(), kind)
        if start < match.start() and _is_name(text[start:end], text[start : match.start()], kind):
            yield start, end, _confidence(text[start:end], kind)
            floor = end
            while at < len(endings) and endings[at].start() < end:
                at += 1


def _rank(match: re.Match[str]) -> float:
    return _CONFIDENCE[str(match.lastgroup)]


def _last_of_name(text: str, endings: list[re.Match[str]], at: int) -> int:
    """Return the index of the last ending of the name: 某研究所有限公司 has two, 研究所 and 公司."""
    while at + 1 < len(endings):
        this, following = endings[at], endings[at + 1]
        between = text[this.end() : following.start()]
        if (
            this.lastgroup == LEGAL
            or len(between) > 8
            or not re.fullmatch(rf"[{HAN}A-Za-z]*", between)
        ):
            break
        if (
            name_words().lead.search(between)
            or re.search("[和与及]", between)
            or place_at(between, 0)
        ):
            break
        at += 1
    return at


def _end_with_parts(text: str, end: int, kind: str) -> int:
    bracket = _BRACKET.match(text, end)
    if bracket and (is_place(bracket[1]) or _FORM.fullmatch(bracket[1])):
        end = bracket.end()
    part = name_words().part.match(text, end) if kind in (LEGAL, INSTITUTION) else None
    return part.end() if part and not name_words().lead.search(part[0]) else end


def _start_of_name(text: str, earliest: int, ending: int) -> int:
    """Return the start of the name whose ending is at ``ending``."""
    run = _NAME_RUN.search(text, earliest, ending)
    if not run:
        return ending
    start = run.start()
    for lead in name_words().lead.finditer(text, start, ending):
        # A word such as 的 belongs to the name if little else precedes the ending: 某的集团.
        if lead.end() + 2 <= ending:
            start = lead.end()
        elif lead.start() > start + 1:
            return ending
    for lead in name_words().maybe_lead.finditer(text, start, ending):
        start = max(start, _place_behind(text, lead.start(), ending))
    for number in _NUMBERED.finditer(text, start, ending):
        start = number.end()
    if start == earliest and text[start] in "和与及暨":
        start += 1
    return _behind_repetition(text, start, ending)


def _behind_repetition(text: str, start: int, ending: int) -> int:
    """Return the start of the name after its own address: 某省甲市乙区甲市第一中学, 乙区丙镇甲某某公司."""
    match = _REPEATED.match(text[start:ending])
    start = start + match.start(2) if match else start
    for at in range(start + 2, ending - 2):
        if text[at - 1] in "区县镇乡村道路号" and (length := place_at(text, at)):
            is_street = text.startswith(_STREETS, at + length)
            level = gazetteer()[text[at : at + length]].level
            if level <= CITY and not is_street and at + length < ending:
                start = at
    return start


def _place_behind(text: str, at: int, ending: int) -> int:
    """Return the start of the place name after the word at ``at``; 0 if there is none."""
    for begins in (at + 1, at + 2):
        length = 2 if text.startswith(("中国", "国家"), begins) else place_at(text, begins)
        if length and begins + length < ending:
            return begins
    return 0


def _without_counts(text: str, start: int, ending: int) -> int:
    """Return the start after dates, numbers and remains of a copyright line."""
    for pattern in (_COUNTED, _BLANK_LATIN, _COUNTED):
        if match := pattern.match(text[start:ending]):
            start += match.end()
    return start


def _behind_prose(text: str, start: int, ending: int) -> int:
    """Return the start after words of a sentence: the next place name, or the ending without one."""
    if not any(name_words().prose.finditer(text, start, ending)):
        return start
    last = max(match.end() for match in name_words().prose.finditer(text, start, ending))
    return next((at for at in range(last, ending - 1) if place_at(text, at)), ending)


def _is_name(name: str, stem: str, kind: str) -> bool:
    if (
        name_words().never.search(name)
        or _PLACEHOLDER.search(stem)
        or len(stem) < 2
        or name.count("(") != name.count(")")
    ):
        return False
    if _OFFICE.fullmatch(name, place_at(name, 0)):
        return False
    bare = re.sub(r"[^\w]", "", stem)
    is_telling = len(name) - len(stem) >= _TELLING_ENDING
    if kind in (WEAK, EVENT) and not _SHORTEST_STEM - is_telling <= len(bare) <= 16:
        return False
    if kind in (INSTITUTION, WEAK) and (_MENU_VERB.match(stem) or _HOUSE_NUMBER.search(stem)):
        return False
    place = 2 if bare.startswith("中国") else place_at(bare, 0)
    if kind in (LEGAL, INSTITUTION) and place:
        return True
    return not name_words().generic.fullmatch(bare[place:])


def _confidence(name: str, kind: str) -> float:
    """Return the confidence in a name: higher if it begins with a place, lower if it is overlong."""
    if kind == WEAK and name.endswith("公司"):
        # Half of such names are keywords for search engines: 某地装修公司.
        return 0.5
    if name.endswith("集团"):
        return 0.55  # the short form of several firms
    sure = _CONFIDENCE[kind] + (0.05 if place_at(name, 0) or kind == LEGAL else -0.15)
    return min(sure, 1.0) * (0.6 if len(name) > 28 else 1.0)


def _latin(text: str) -> Iterator[tuple[int, int]]:
    for match in _LATIN_NAME.finditer(text):
        lead = _LATIN_LEAD.match(match[0])
        start = match.start() + (lead.end() if lead else 0)
        if not _ENDING_ONLY.fullmatch(text, start, match.end()):
            yield start, match.end()
