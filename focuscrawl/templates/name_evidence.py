"""Whose site it is: the names that a site gives, weighed against one another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from .addresses import looks_like_address
from .name_finder import organisations
from .place_names import place_at
from .spans import Span, folded, readable
from .titles import is_navigation, title_names

Source = Literal[
    "label", "title", "heading", "copyright", "icp", "jsonld", "meta", "logo", "text", "contact"
]

_WEIGHT: dict[Source, float] = {
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
# A second and third mention from the same source add less and less.
_MENTIONS = (1.0, 0.4, 0.2, 0.1, 0.1, 0.1)
_BRAND = 0.55
_ENOUGH = 1.2
_MOST = 60
# The share of its score that a shorter form adds to a longer one, which must be known by itself
# unless its form is the surer one.
_SHARE, _LOOSE_SHARE, _KNOWN = 0.9, 0.6, 1.5
_LINE = 60
_SHORT = 30
_MOST_OF_TEXT = 3.5
# What each mention of its short form anywhere on the site adds to a name.
_MENTION = 0.05
# Who made the site, or is shown on it: what stands behind such words is another's name.
_OTHERS = re.compile(
    r"(?:技术支持|技術支持|网站建设|网站制作|网页设计|网站设计|网页制作|设计制作|制作单位|制作维护|建站|品牌策划|策划设计|设计单位|"
    r"友情链接|友情連接|合作伙伴|合作客户|成功案例|开发商|托管|Powered\s*by|Design(?:ed)?\s*by|Supported\s*by)"
    r"\s*[:：]?\s*[^\s|｜，,;；。<>]*",
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
    r"(?:copy\s*right|copy\s*©|all\s*rights?\s*re\w*|rights?\s*reserved|版权所有权?[:：\s]*归?|版权所|版权归?|所有|未经\w*|不得转载|[©®™@]|\(c\)"
    r"|(?:19|20)\d\d\s*[-–—~至]?\s*(?:(?:19|20)\d\d)?年?"
    r"|[\u4e00-\u9fff]?\s*ICP\s*[备证][^|]*|[\u4e00-\u9fff]公网安备[^|]*|(?:https?://)?(?:[\w-]+\.)+[a-z]{2,6}\b\S*|DEDECMS|wordpress)",
    re.I,
)
_LABEL = re.compile(r"^[^:：]{0,8}[:：]\s*")


class NameEvidence(NamedTuple):
    """A text that may hold the site's name, and where it stood."""

    text: str
    source: Source


@dataclass
class _Candidate:
    name: str
    sureness: float
    labelled: bool = False
    counts: dict[Source, int] = field(default_factory=dict)
    points: dict[Source, float] = field(default_factory=dict)
    score: float = 0.0

    def count(self, source: Source, factor: float) -> None:
        at = self.counts.get(source, 0)
        self.counts[source] = at + 1
        if at < len(_MENTIONS):
            self.points[source] = (
                self.points.get(source, 0.0) + _WEIGHT[source] * _MENTIONS[at] * factor
            )
        if source == "text":
            self.points[source] = min(self.points[source], _MOST_OF_TEXT)
        self.score = sum(self.points.values())
        self.labelled = self.labelled or source == "label"


def site_name(evidence: Sequence[NameEvidence]) -> list[tuple[str, float]]:
    """Return the names of the organisation whose site it is, with confidences, the surest first.

    Normally one; more only where several are labelled as such. Agreement of sources counts; a
    legal name beats a brand that it holds.
    """
    candidates = sorted(_counted(evidence).values(), key=lambda c: -c.score)[:_MOST]
    everything = "\n".join(folded(text) for text, _ in evidence)
    for candidate in candidates:
        candidate.score += _MENTION * min(everything.count(_short_form(candidate.name)), 20)
    supports = [_support_of(candidate, candidates) for candidate in candidates]
    for candidate, support in zip(candidates, supports, strict=True):
        candidate.score += support
    ranked = sorted(candidates, key=lambda c: -c.score * c.sureness)
    chosen: list[_Candidate] = []
    for candidate in _legal_first(ranked):
        if candidate.score >= _ENOUGH and (not chosen or _stands_beside(candidate, chosen)):
            chosen.append(candidate)
    return [(c.name, round(c.score / (c.score + 1.0) * c.sureness**0.3, 3)) for c in chosen]


def _legal_first(ranked: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates with the full name before the brand that leads them and that it holds."""
    if ranked and ranked[0].sureness <= _BRAND:
        brand = folded(ranked[0].name)
        full = [c for c in ranked if c.sureness > _BRAND and brand in folded(c.name)]
        return [*(c for c in full if c.score >= _ENOUGH), *ranked]
    return ranked


def _counted(evidence: Sequence[NameEvidence]) -> dict[str, _Candidate]:
    found: dict[str, _Candidate] = {}
    told = {text for text, source in evidence if source != "text"}
    for text, source in evidence:
        for name, sureness, factor in (
            _names(text, source) if source != "text" or text not in told else ()
        ):
            if key := folded(name):
                known = found.setdefault(key, _Candidate(name, sureness))
                known.sureness = max(known.sureness, sureness)
                known.count(source, factor)
    return found


def _names(text: str, source: Source) -> Iterator[tuple[str, float, float]]:
    """Yield each name of a piece of evidence, how sure its form is, and a factor of its weight."""
    own = text if source == "label" else _OTHERS.sub(" | ", text)
    spans = organisations(own)
    for span in spans:
        yield span.text, span.confidence, _emphasis(own, span, source)
    if all(span.confidence <= _BRAND for span in spans):
        for name in _brands(own, source):
            yield name, _BRAND, 0.4 if source == "heading" else 0.8


def _emphasis(text: str, span: Span, source: Source) -> float:
    """Return how much a name counts by what stands round it."""
    if source in ("title", "heading", "logo") or (source == "contact" and len(text) <= _LINE):
        return 1.0 if _fills_its_part(text, span) else 0.3
    if source not in ("text", "contact"):
        return 1.0
    return _emphasis_in_prose(text, span) * _WEIGHT["text"] / _WEIGHT[source]


def _emphasis_in_prose(text: str, span: Span) -> float:
    """Return how much more a name counts that tells of itself, is the owner's, or stands alone."""
    if _OWNER.search(text[max(0, span.start - 12) : span.start]):
        return 6.0
    if _PARENT.match(text[span.end : span.end + 60]):
        return 0.5
    if _ABOUT_ITSELF.match(text[span.end : span.end + 30]):
        return 4.0
    return 2.5 if len(text.strip()) <= span.end - span.start + 2 else 1.0


def _fills_its_part(text: str, span: Span) -> bool:
    """Whether the name is most of the text between two separators: no mention in a headline."""
    parts = r"[|｜_>:：,，]" if span.text.isascii() else r"[|｜_\-–—\s>:：,，]"
    before = re.split(parts, text[: span.start])[-1]
    behind = re.split(parts, text[span.end :])[0]
    return len(before) + len(behind) <= 0.5 * (span.end - span.start) + 2


def _short_form(name: str) -> str:
    """Return what people call the firm: the name without its place, four characters of it."""
    short = folded(name)
    if short.isascii():
        return short[:12]
    return short[place_at(short, 0) :][:4] or short


def _brands(text: str, source: Source) -> list[str]:
    """Return what may be a name without an ending that tells so."""
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


def _support_of(candidate: _Candidate, candidates: Sequence[_Candidate]) -> float:
    """Return what shorter forms of the candidate's name add to its score."""
    scores = [_supports(other, candidate) * other.score for other in candidates]
    return sum(sorted(scores, reverse=True)[:2])


def _supports(other: _Candidate, candidate: _Candidate) -> float:
    """Return the share of its score that ``other`` adds, if it is a shorter form of the name."""
    short, long = folded(other.name), folded(candidate.name)
    if candidate.sureness <= _BRAND:
        # Of two brands the shorter is the name, the longer has a slogan with it.
        return _SHARE if len(short) > len(long) >= 4 and long in short else 0.0
    if not 2 <= len(short) < len(long):
        return 0.0
    if other.sureness > candidate.sureness - 0.1 and candidate.score < _KNOWN:
        return 0.0
    if short in long:
        return _SHARE
    letters = iter(long)
    return _LOOSE_SHARE if len(short) >= 4 and all(c in letters for c in short) else 0.0


def _stands_beside(candidate: _Candidate, chosen: list[_Candidate]) -> bool:
    """Whether a further name is labelled as the first one is, and no other form of a chosen one."""
    if not (candidate.labelled and chosen[0].labelled):
        return False
    return not any(_alike(candidate.name, other.name) for other in chosen)


def _alike(one: str, other: str) -> bool:
    first, second = set(folded(one)), set(folded(other))
    return len(first & second) > 0.7 * min(len(first), len(second))
