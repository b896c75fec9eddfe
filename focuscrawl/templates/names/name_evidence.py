"""Evidence for the owner of a site: names on its pages, weighed against one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from focuscrawl.templates.names.name_clues import BRAND, WEIGHT, Clue, Source, clues
from focuscrawl.templates.names.text_spans import folded
from focuscrawl.text.places.place_names import place_at

# Further mentions from the same source add less and less.
_MENTIONS = (1.0, 0.4, 0.2, 0.1, 0.1, 0.1)
_MOST_OF_TEXT = 3.5
_ENOUGH = 1.2
_RIVAL = 0.7
_MOST = 60
# The share of its score that a shorter form adds to a longer one, which needs a score of _KNOWN of
# its own unless its form is the surer one.
_SHARE, _LOOSE_SHARE, _KNOWN = 0.9, 0.6, 1.5
_STRONG = frozenset({"label", "jsonld", "title", "copyright", "icp", "logo"})
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
    labelled: bool = False
    counts: dict[Source, int] = field(default_factory=dict)
    points: dict[Source, float] = field(default_factory=dict)
    score: float = 0.0

    def add(self, clue: Clue, source: Source) -> None:
        self.sureness = max(self.sureness, clue.sureness)
        self.labelled = self.labelled or source == "label"
        at = self.counts.get(source, 0)
        self.counts[source] = at + 1
        if at < len(_MENTIONS):
            points = self.points.get(source, 0.0) + WEIGHT[source] * _MENTIONS[at] * clue.factor
            self.points[source] = min(points, _MOST_OF_TEXT) if source == "text" else points
        self.score = sum(self.points.values())


def site_name(evidence: Sequence[NameEvidence]) -> list[tuple[str, float]]:
    """Return the names of the site's owner, with confidences, the surest first.

    Normally one; more only if several are labelled as such, or the first is a brand. Agreement of
    sources counts; a legal name beats a brand that it contains.
    """
    candidates = sorted(_counted(evidence), key=lambda c: -c.score)[:_MOST]
    everything = "\n".join(folded(text) for text, _ in evidence)
    for candidate in candidates:
        mentions = everything.count(_short_form(candidate.key))
        candidate.score += _MENTION * min(mentions, _MOST_MENTIONS)
    supports = [_support_of(candidate, candidates) for candidate in candidates]
    for candidate, support in zip(candidates, supports, strict=True):
        candidate.score += support
    ranked = sorted(candidates, key=lambda c: -c.score * c.sureness)
    chosen: list[_Candidate] = []
    for candidate in _legal_first(ranked):
        if candidate.score >= _ENOUGH and (not chosen or _is_second_owner(candidate, chosen)):
            chosen.append(candidate)
    chosen += _firm_of_brand(chosen, ranked)
    return [(c.name, round(c.score / (c.score + 1.0) * c.sureness**0.3, 3)) for c in chosen]


def _counted(evidence: Sequence[NameEvidence]) -> list[_Candidate]:
    found: dict[str, _Candidate] = {}
    specific = {text for text, source in evidence if source != "text"}
    for text, source in evidence:
        if source == "text" and text in specific:
            continue
        for clue in clues(text, source):
            if key := folded(clue.name):
                found.setdefault(key, _Candidate(clue.name, key)).add(clue, source)
    return list(found.values())


def _short_form(key: str) -> str:
    """Return the colloquial name of the firm: four characters of the name after its place."""
    if key.isascii():
        return key[:12]
    return key[place_at(key, 0) :][:4] or key


def _support_of(candidate: _Candidate, candidates: Sequence[_Candidate]) -> float:
    """Return the score that other forms of the candidate's name add."""
    scores = [_share(other, candidate) * other.score for other in candidates]
    return sum(sorted(scores, reverse=True)[:2])


def _share(other: _Candidate, candidate: _Candidate) -> float:
    """Return the share of its score that ``other`` adds, if it is another form of the name."""
    short, long = other.key, candidate.key
    if candidate.sureness <= BRAND:
        # Of two brands the shorter is the name; the longer includes a slogan.
        return _SHARE if len(short) > len(long) >= 4 and long in short else 0.0
    if _is_department(other, candidate):
        return _LOOSE_SHARE
    if not 2 <= len(short) < len(long) or _is_department(candidate, other):
        return 0.0
    if other.sureness > candidate.sureness - 0.1 and candidate.score < _KNOWN:
        return 0.0
    if short in long:
        return _SHARE
    letters = iter(long)
    return _LOOSE_SHARE if len(short) >= 4 and all(c in letters for c in short) else 0.0


def _is_department(one: _Candidate, firm: _Candidate) -> bool:
    """Return whether a name extends the firm's, without strong evidence that it owns the site."""
    longer = len(one.key) > len(firm.key) and one.key.startswith(firm.key)
    return longer and firm.sureness > BRAND and not one.points.keys() & _STRONG


def _legal_first(ranked: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates with full names that contain the leading brand moved before it."""
    if ranked and ranked[0].sureness <= BRAND:
        full = [c for c in ranked if c.sureness > BRAND and ranked[0].key in c.key]
        return [*(c for c in full if c.score >= _ENOUGH), *ranked]
    return ranked


def _firm_of_brand(
    chosen: Sequence[_Candidate], ranked: Sequence[_Candidate]
) -> Sequence[_Candidate]:
    """Return the name of the firm behind a brand, if only the brand was chosen.

    None if other firms have similar scores: they are partners or customers.
    """
    if not chosen or any(c.sureness > BRAND for c in chosen):
        return ()
    firms = sorted((c for c in ranked if c.sureness > BRAND), key=lambda c: -c.score)
    if not firms or firms[0].score < _ENOUGH:
        return ()
    rivals = [c for c in firms[1:] if not _alike(c.key, firms[0].key)]
    is_alone = all(c.score < _RIVAL * firms[0].score for c in rivals)
    return firms[:1] if is_alone else ()


def _is_second_owner(candidate: _Candidate, chosen: list[_Candidate]) -> bool:
    """Return whether a further name is labelled like the first, and not another form of a chosen one."""
    if not (candidate.labelled and chosen[0].labelled):
        return False
    return not any(_alike(candidate.key, other.key) for other in chosen)


def _alike(one: str, other: str) -> bool:
    first, second = set(one), set(other)
    return len(first & second) > 0.7 * min(len(first), len(second))
