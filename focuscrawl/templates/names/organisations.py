"""Names of organisations: in running text, and that of a site's owner."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from focuscrawl.templates.names.name_clues import BRAND, WEIGHT, Mention, Role, Source, mentions
from focuscrawl.templates.names.name_finder import organisations
from focuscrawl.templates.names.name_words import Span, folded, name_words
from focuscrawl.text.places.gazetteer import gazetteer
from focuscrawl.text.places.locations import is_place, place_at

# Evidence for the owner of a site: names on its pages, weighed against one another.

# Further mentions in the same role add less and less.
_MENTIONS = (1.0, 0.4, 0.2, 0.1, 0.1, 0.1)
_ENOUGH = 1.2
_RIVAL = 0.7
_MOST = 60
# The share of its score that a shorter form adds to a longer one, which needs a score of _KNOWN of
# its own unless its form is the surer one.
_SHARE, _LOOSE_SHARE, _KNOWN = 0.9, 0.6, 1.5
# Confidence in the form of the name of a registered firm.
_REGISTERED = 0.9
_STRONG = frozenset({"label", "jsonld", "title", "copyright", "icp", "logo", "owner"})
# Two names side by side in a line with one of these roles can both be the owner's.
_OF_A_LINE = frozenset({"copyright", "icp", "owner"})
# Characters by which two firms of one owner differ at least: 某某纺织, 某某印染.
_OTHER_TRADE = 2
# Departments that keep the site of an institution.
_EDITORS = frozenset("信息中心 网络中心 新闻中心 办公室 宣传部 信息办 网信办 秘书处".split())
_MENTIONED = frozenset({"line", "text", "meta", "other"})
_LATIN = re.compile(r"[!-~]+")
# 某某事务所有限公司 is the full name of 某某事务所, not a part of it.
_LEGAL_FORM = re.compile("(?:控股)?(?:集团)?(?:股份)?有限(?:责任)?公司")
# Score for each mention of the short form of a name anywhere on the site.
_MENTION, _MOST_MENTIONS = 0.05, 20


class NameEvidence(NamedTuple):
    """A text that may contain the site's name, and its source."""

    text: str
    source: Source


@dataclass
class _Candidate:
    name: str
    key: str
    sureness: float = 0.0
    counts: dict[Role, int] = field(default_factory=dict)
    lines: set[str] = field(default_factory=set)
    score: float = 0.0

    def add(self, mention: Mention, line: str) -> None:
        role = mention.role
        self.sureness = max(self.sureness, mention.sureness)
        at = self.counts.get(role, 0)
        self.counts[role] = at + 1
        if at < len(_MENTIONS):
            self.score += WEIGHT[role] * _MENTIONS[at] * mention.factor
        if role in _OF_A_LINE:
            self.lines.add(line)

    @property
    def is_firm(self) -> bool:
        """Return whether the name has the ending of an organisation."""
        return self.sureness > BRAND

    @property
    def core(self) -> str:
        """The key behind the places at its start; a place elsewhere after another is part of the name."""
        at, provinces = 0, None
        while (length := place_at(self.key, at)) and at + length < len(self.key):
            place = gazetteer()[self.key[at : at + length]].provinces
            if provinces and not provinces & place:
                break
            at, provinces = at + length, place
        return self.key[at:]


def site_name(evidence: Sequence[NameEvidence]) -> list[tuple[str, float]]:
    """Return the names of the site's owner, with confidences, the surest first.

    The roles of all mentions of a name add up, and its other forms and the brand support it. A full
    name comes before the brand that it contains. There are more than one if several firms have the
    same strong role, if the first is a brand that the firm does not contain, or a translation.
    """
    candidates = sorted(_counted(evidence), key=lambda c: -c.score)[:_MOST]
    everything = "\n".join(folded(text) for text, _ in evidence)
    for candidate in candidates:
        count = everything.count(_short_form(candidate))
        candidate.score += _MENTION * min(count, _MOST_MENTIONS)
    supports = [_support_of(candidate, candidates) for candidate in candidates]
    for candidate, support in zip(candidates, supports, strict=True):
        candidate.score += support
    ranked = sorted(candidates, key=lambda c: -c.score * c.sureness)
    chosen = _owners([c for c in ranked if c.score >= _ENOUGH])
    return [(c.name, round(c.score / (c.score + 1.0) * c.sureness**0.3, 3)) for c in chosen]


def _counted(evidence: Sequence[NameEvidence]) -> list[_Candidate]:
    found: dict[str, _Candidate] = {}
    for text, source in evidence:
        for mention in mentions(text, source):
            if key := folded(mention.name):
                found.setdefault(key, _Candidate(mention.name, key)).add(mention, text)
    return list(found.values())


def _short_form(candidate: _Candidate) -> str:
    """Return the colloquial name of the firm: four characters of the name after its place."""
    return candidate.key[:12] if candidate.key.isascii() else candidate.core[:4]


def _support_of(candidate: _Candidate, candidates: Sequence[_Candidate]) -> float:
    """Return the score that other forms of the candidate's name add."""
    scores = [_share(other, candidate) * max(other.score, 0.0) for other in candidates]
    return sum(sorted(scores, reverse=True)[:2])


def _share(other: _Candidate, candidate: _Candidate) -> float:
    """Return the share of its score that ``other`` adds, if it is another form of the name."""
    short, long = other.key, candidate.key
    if not candidate.is_firm:
        if short != long and long.endswith(short) and is_place(long[: -len(short)]):
            return _SHARE
        # Of two brands the shorter is the name: the longer includes a slogan, if no place.
        is_slogan = short.startswith(long) or not is_place(short[: -len(long)])
        return _SHARE if len(short) > len(long) >= 4 and long in short and is_slogan else 0.0
    if _is_department(other, candidate):
        return _LOOSE_SHARE
    if len(short) < 2 or short == long or _is_department(candidate, other):
        return 0.0
    if other.sureness > candidate.sureness - 0.1 and candidate.score < _KNOWN:
        return 0.0
    if short in long:
        return _SHARE
    is_form = len(short) >= 4 and _is_within(short, long)
    return (
        _LOOSE_SHARE if is_form or (not other.is_firm and _are_related(other, candidate)) else 0.0
    )


def _are_related(brand: _Candidate, firm: _Candidate) -> bool:
    """Return whether the distinctive beginning of a brand, behind its places, is in a firm's name.

    A firm may begin like a brand, 某某旅游网, whose beginning is a place as well.
    """
    if firm.key.isascii():
        return brand.key in firm.key
    starts = [_LATIN.sub("", key)[:2] for key in (brand.core, brand.key)]
    own = firm.core[:2]
    return any(
        len(start) == 2 and not name_words().generic.fullmatch(start)
        for start in (starts[0] if starts[0] in firm.core else "", own if own in starts else "")
    )


def _is_within(short: str, long: str) -> bool:
    """Return whether the characters of ``short`` are in ``long`` in their order."""
    letters = iter(long)
    return all(letter in letters for letter in short)


def _is_department(one: _Candidate, firm: _Candidate) -> bool:
    """Return whether a name extends the firm's, without strong evidence that it owns the site."""
    longer = len(one.key) > len(firm.key) and one.key.startswith(firm.key)
    longer = longer and not _LEGAL_FORM.fullmatch(one.key, len(firm.key))
    if not longer or not firm.is_firm:
        return False
    part = one.key[len(firm.key) :]
    return not one.counts.keys() & _STRONG or (
        part in _EDITORS and bool(firm.counts.keys() & _STRONG)
    )


def _owners(ranked: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the owners among the candidates with enough evidence, the best first."""
    if not ranked:
        return []
    lead, firms = ranked[0], [c for c in ranked if c.is_firm]
    if not lead.is_firm:
        firms = [c for c in firms if _are_related(lead, c)] or _alone(firms)
    elif lead.key.isascii():
        firms = _alone([c for c in firms if not c.key.isascii()])
    if not firms:
        return [lead]
    first = firms[0]
    chosen = [first]
    for other in firms[1:]:
        if all(_are_both_owners(other, one) for one in chosen):
            chosen.append(other)
    if lead not in chosen and not _are_related(lead, first):
        chosen.insert(0, lead)
    return chosen


def _alone(firms: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the best firm that is more than mentioned, if no other one rivals it.

    Several are partners or customers.
    """
    ordered = sorted(firms, key=lambda c: -c.score)
    if not ordered or not ordered[0].counts.keys() - _MENTIONED:
        return []
    rivals = [c for c in ordered[1:] if not _are_forms(c, ordered[0])]
    is_alone = all(c.score < _RIVAL * ordered[0].score for c in rivals)
    return ordered[:1] if is_alone else []


def _are_both_owners(one: _Candidate, other: _Candidate) -> bool:
    """Return whether two names, no forms of each other, have the same strong role."""
    shared = one.counts.keys() & other.counts.keys()
    both_head = "block" in shared
    short, long = sorted((one.key, other.key), key=len)
    if _is_within(short, long):
        # A branch with contact data of its own, or firms of one group: 某某货运有限公司, 某市某某货运代理有限公司.
        is_branch = long.startswith(short) and long.endswith("分公司")
        is_firm = short not in long and min(one.sureness, other.sureness) >= _REGISTERED
        return both_head and (is_branch or is_firm)
    if _are_forms(one, other) and min(map(len, _differences(one, other))) < _OTHER_TRADE:
        return False
    if "label" in shared or one.lines & other.lines:
        return True
    return both_head and (one.score > _RIVAL * other.score or _are_related(other, one))


def _differences(one: _Candidate, other: _Candidate) -> tuple[set[str], set[str]]:
    """Return the characters that only one of two names has, and those that only the other has."""
    first, second = set(one.key), set(other.key)
    return first - second, second - first


def _are_forms(one: _Candidate, other: _Candidate) -> bool:
    """Return whether two names are likely spellings of one: a short form, or nearly the same letters."""
    short, long = sorted((one.key, other.key), key=len)
    if _is_within(short, long):
        return True
    places = {c.key[: place_at(c.key, 0)] for c in (one, other)} - {""}
    return len(places) < 2 and len({*short} & {*long}) > 0.7 * min(len({*short}), len({*long}))


__all__ = ["NameEvidence", "Span", "organisations", "site_name"]
