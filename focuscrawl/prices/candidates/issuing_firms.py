"""Firms that issue a text: named in its title, before its first price, or below its last one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from focuscrawl.prices.candidates.candidate_signs import segments_of
from focuscrawl.prices.candidates.possible_names import PossibleName, possible_names
from focuscrawl.prices.names.price_subjects import SubjectMaker
from focuscrawl.prices.quote_drafts import Document, Subject
from focuscrawl.prices.tokens.bulletin_words import Lexicon
from focuscrawl.prices.tokens.figures import PRICE
from focuscrawl.prices.tokens.line_tokens import tokenise

_LONGEST = 200  # characters of each part that is searched
_OWN = ("我公司", "我厂", "我司", "本公司", "本厂", "我库", "本库", "我站", "本站")
_KINDS = ("firm", "actor")  # the first one counts


def issuers(document: Document) -> list[tuple[Subject, list[str]]]:
    """Return the possible issuers of a text, at most one a part, with signs of where they stand."""
    plain, title = document.plain, document.title
    prices = [d for d in document.drafts if d.figure.kind == PRICE] or document.drafts
    first = min((d.start for d in prices), default=0)
    last = max((d.end for d in prices), default=len(plain))
    in_text = SubjectMaker(document.text)
    parts = (
        ("title", SubjectMaker(title), title, 0, min(len(title), _LONGEST)),
        ("introduction", in_text, plain, 0, min(first, _LONGEST)),
        ("closing", in_text, plain, max(last, len(plain) - _LONGEST), len(plain)),
    )
    speaks = ["issuer speaks"] if any(word in plain for word in _OWN) else []
    found = []
    for where, maker, text, start, end in parts:
        names = _names(text, start, end, document.words, maker)
        best = _best(names if where != "closing" else names[::-1])
        if best is not None:
            subject = best.subject(maker, None)
            found.append((subject, [f"issuer of {where}", f"issuer {subject.kind}", *speaks]))
    return found


def _names(
    text: str, start: int, end: int, words: Lexicon, maker: SubjectMaker
) -> list[PossibleName]:
    found: list[PossibleName] = []
    for first, last in _lines(text, start, end):
        tokens = tokenise(text, first, last, words)
        found += possible_names(tokens, segments_of(tokens), maker)
    return found


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _best(names: Sequence[PossibleName]) -> PossibleName | None:
    return next((name for kind in _KINDS for name in names if name.kind == kind), None)
