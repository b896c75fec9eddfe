"""Possible names in a line: firms, places, goods, and whatever else stands between delimiters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from focuscrawl.prices.names.price_subjects import SubjectMaker, find_groups
from focuscrawl.prices.quote_drafts import Subject
from focuscrawl.prices.tokens.line_tokens import NAME, Token

_NO_NAME = frozenset("price filler sale today date each unit water percent other recent".split())
_GOODS = frozenset({"commodity", "variety"})
_OF_GOODS = frozenset({"grade", "variety", "origin", "commodity", NAME})
_NO_BEGIN = frozenset({"and", "dash", "filler", "date", "today"})
_LONGEST_NAME, _LONGEST_PART = 14, 7
_FAMILIES = {"goods": "goods", "run": "run", "place": "place", "nation": "place"}


@dataclass(slots=True, eq=False)
class PossibleName:
    """A possible name: its text and kind, its first and last token, and its segment, by index."""

    text: str
    kind: str
    first: int
    last: int
    segment: int
    group: list[Token] = field(default_factory=list)

    @property
    def family(self) -> str:
        """Return ``goods``, ``run`` (any text), ``place``, or ``name`` for all other kinds."""
        return _FAMILIES.get(self.kind, "name")

    def subject(self, maker: SubjectMaker, heading: Subject | None) -> Subject:
        """Return the subject that the name would be."""
        if self.kind == "goods":
            return Subject("goods", self.text)
        made = maker.subject(list(self.group), [], heading) if self.group else None
        return made or Subject("weak", self.text)


def possible_names(
    tokens: Sequence[Token], segments: Sequence[tuple[int, int]], maker: SubjectMaker
) -> list[PossibleName]:
    """Return the possible names of a line, segment by segment; one may be part of another."""
    found: list[PossibleName] = []
    for number, (first, last) in enumerate(segments):
        own = [
            *_named(tokens, first, last, number, maker),
            *_goods(tokens, first, last, number, maker),
        ]
        run = _run(tokens, first, last, number, maker)
        if run is not None and all(run.text != name.text for name in own):
            own.append(run)
        found += own
    return found


def _named(
    tokens: Sequence[Token], first: int, last: int, number: int, maker: SubjectMaker
) -> Iterator[PossibleName]:
    part = list(tokens[first:last])
    at = {id(token): first + i for i, token in enumerate(part)}
    for group, _ in find_groups(part):
        subject = maker.subject(list(group), [], None)
        if subject is not None:
            a, b = at[id(group[0])], at[id(group[-1])]
            yield PossibleName(subject.mention, subject.kind, a, b, number, group)


def _goods(
    tokens: Sequence[Token], first: int, last: int, number: int, maker: SubjectMaker
) -> Iterator[PossibleName]:
    for index in range(first, last):
        if tokens[index].kind not in _GOODS:
            continue
        begin = index
        while (
            begin > first
            and tokens[begin - 1].kind in _OF_GOODS
            and tokens[begin - 1].end == tokens[begin].start
            and len(tokens[begin - 1].text) < _LONGEST_PART
        ):
            begin -= 1
        text = maker.printed(tokens[begin].start, tokens[index].end)
        yield PossibleName(text, "goods", begin, index, number)


def _run(
    tokens: Sequence[Token], first: int, last: int, number: int, maker: SubjectMaker
) -> PossibleName | None:
    """Return the text of a segment without figures and price words, whatever it says."""
    a = first
    while a < last and (tokens[a].figure is not None or tokens[a].kind in _NO_BEGIN):
        a += 1
    b = a
    while b < last and tokens[b].figure is None and tokens[b].kind not in _NO_NAME:
        if (
            b > a
            and tokens[b].start > tokens[b - 1].end
            and not _is_spaced(tokens[b - 1], tokens[b])
        ):
            break
        b += 1
    if b == a:
        return None
    text = maker.printed(tokens[a].start, tokens[b - 1].end)
    is_short = 2 <= len(text) <= _LONGEST_NAME
    return PossibleName(text, "run", a, b - 1, number) if is_short else None


def _is_spaced(token: Token, following: Token) -> bool:
    """Return whether the space between two tokens may stand within a name: 中 粮, Jilin Grain."""
    return following.text.isascii() or len(token.text) == len(following.text) == 1
