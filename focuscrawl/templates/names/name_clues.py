"""Clues to the name of a site's owner, each with a strength."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from focuscrawl.templates.names.name_finder import organisations
from focuscrawl.templates.names.page_titles import is_navigation, title_names
from focuscrawl.templates.names.postal_addresses import looks_like_address
from focuscrawl.templates.names.text_spans import HAN, Span, folded, readable

Source = Literal[
    "label", "title", "heading", "copyright", "icp", "jsonld", "meta", "logo", "text", "contact"
]
WEIGHT: dict[Source, float] = {
    "label": 4.0,
    "jsonld": 3.0,
    "title": 3.0,
    "copyright": 3.0,
    "icp": 3.0,
    "contact": 2.5,
    "heading": 2.0,
    "logo": 2.0,
    "meta": 1.0,
    "text": 0.5,
}
# Confidence in the form of a name without an ending of an organisation.
BRAND = 0.55
_LINE = 60
_SHORT = 30
_MAKERS = "技术支持|网站建设|网站制作|网页设计|网站设计|网页制作|设计制作|制作单位|制作维护|建站|品牌策划|策划设计|设计单位|托管"
_SHOWN = (
    "友情链接|合作伙伴|合作客户|合作单位|合作企业|成功案例|开发商|供应商(?:名称)?|采购人|采购单位|中标单位|成交单位|客户名称|会员单位"
    "|理事单位|代理品牌|建设单位|施工单位|用户单位|服务客户|承办单位|协办单位|支持单位|指导单位"
)
# Makers of the site, or firms shown on it: the name behind such words is not the owner's.
_OTHERS = re.compile(
    rf"(?:(?:{_MAKERS}|技術支持|{_SHOWN}|友情連接)\s*[:：]|(?<![{HAN}])(?:技[术術]支持|(?:{_MAKERS})(?=\s)))\s*[^\s|｜，,;；。<>]*"
    r"|(?:Powered|Designed|Design|Supported|Hosted)\s*by\s*[:：]?[^|｜。©\n]*",
    re.I,
)
_ABOUT_ITSELF = re.compile(
    r"\s*(?:[（(]\s*(?:以下)?简称|是一[家个所]|是[^，。]{0,12}(?:公司|企业|厂家)|成立于|创建于|创立于|始建于|创办于|建于|位于|坐落|座落|地处)"
)
_PARENT = re.compile(
    r"\s*(?:[（(][^（）()]{0,40}[）)])?\s*(?:旗下|下属|子公司|控股|授权|的?(?:代理|经销))"
)
_OWNER = re.compile(
    r"(?:主办单位|主办方?|运营(?:单位|机构|公司|方)|(?:单位|公司|企业|机构|学校)(?:名称|全称)|版权(?:所有|归|属于?)|开?户名|收款(?:单位|人)"
    r"|(?:^|\s)公\s*司)\s*[:：]?\s*$"
)
_BOILERPLATE = re.compile(
    r"copy\s*right|copy\s*©|all\s*rights?\s*re\w*|rights?\s*reserved|版权所有权?[:：\s]*归?|版权所|版权归?|所有|未经\w*|不得转载|[©®™@]|\(c\)"
    r"|(?:19|20)\d\d\s*[-–—~至]?\s*(?:(?:19|20)\d\d)?年?"
    rf"|[{HAN}]?\s*ICP\s*[备证][^|]*|[{HAN}]公网安备[^|]*|(?:https?://)?(?:[\w-]+\.)+[a-z]{{2,6}}\b\S*|DEDECMS|wordpress",
    re.I,
)
_LABEL = re.compile(r"^[^:：]{0,8}[:：]\s*")


class Clue(NamedTuple):
    """A name, the confidence in its form, and a factor of its source's weight."""

    name: str
    sureness: float
    factor: float


def clues(text: str, source: Source) -> Iterator[Clue]:
    """Yield the candidates for the site's name in a piece of evidence."""
    own = text if source == "label" else _OTHERS.sub(" | ", text)
    spans = organisations(own)
    for span in spans:
        yield Clue(span.text, span.confidence, _emphasis(own, span, source))
    if all(span.confidence <= BRAND for span in spans):
        for name in _brands(own, source):
            yield Clue(name, BRAND, 0.4 if source == "heading" else 0.8)


def _emphasis(text: str, span: Span, source: Source) -> float:
    """Return the factor of a name by the text around it."""
    if source in ("title", "heading", "logo") or (source == "contact" and len(text) <= _LINE):
        return 1.0 if _fills_its_part(text, span) else 0.3
    if source not in ("text", "contact"):
        return 1.0
    return _emphasis_in_prose(text, span) * WEIGHT["text"] / WEIGHT[source]


def _emphasis_in_prose(text: str, span: Span) -> float:
    """Return the factor of a name in prose: higher as the owner, the subject, or the whole text."""
    if _OWNER.search(text[max(0, span.start - 12) : span.start]):
        return 6.0
    if _PARENT.match(text[span.end : span.end + 60]):
        return 0.5
    if _ABOUT_ITSELF.match(text[span.end : span.end + 30]):
        return 4.0
    return 2.5 if len(text.strip()) <= span.end - span.start + 2 else 1.0


def _fills_its_part(text: str, span: Span) -> bool:
    """Return whether the name is most of the text between two separators, not a mention in a headline."""
    parts = r"[|｜_>:：,，]" if span.text.isascii() else r"[|｜_\-–—\s>:：,，]"
    before = re.split(parts, text[: span.start])[-1]
    behind = re.split(parts, text[span.end :])[0]
    return len(before) + len(behind) <= 0.5 * (span.end - span.start) + 2


def _brands(text: str, source: Source) -> list[str]:
    """Return candidate names without the ending of an organisation."""
    if source == "title" or (source in ("logo", "heading", "meta") and len(text) <= _SHORT):
        return title_names(text)
    if source == "copyright":
        parts = [part for part in _BOILERPLATE.sub("|", text).split("|") if folded(part)]
        return [name for name in title_names("|".join(parts[:1])) if not _is_address(name)]
    if source in ("label", "jsonld"):
        value = readable(_LABEL.sub("", text))
        fits = 2 <= len(value) <= _SHORT and not is_navigation(value)
        return [value] if fits and not _is_address(value) else []
    return []


def _is_address(text: str) -> bool:
    return looks_like_address(text) >= 0.6
