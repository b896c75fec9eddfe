"""Tokeniser of bulletin lines: figures, known words, punctuation, and runs of unknown text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from focuscrawl.prices.tokens.bulletin_words import BulletinLexicon, latin_provinces
from focuscrawl.prices.tokens.figures import Figure, find_figures
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.prices.tokens.token_kinds import MOVES, TokenKind

_PUNCTUATION = {
    **dict.fromkeys("。!?…", TokenKind.STOP), ";": TokenKind.SEMI, ",": TokenKind.COMMA,
    **dict.fromkeys("、/", TokenKind.AND), **dict.fromkeys(":=", TokenKind.COLON),
    **dict.fromkeys("([<《", TokenKind.OPEN), **dict.fromkeys(")]>》", TokenKind.CLOSE),
    **dict.fromkeys("\"'", TokenKind.QUOTE), "\t": TokenKind.TAB, "→": TokenKind.TO,
    "-": TokenKind.DASH, "↑": TokenKind.UP, "↓": TokenKind.DOWN,
    **dict.fromkeys("≤≥", TokenKind.BOUND),
}  # fmt: skip
_SECOND_IN_NAMES = MOVES | {
    TokenKind.PRICE_WORD, TokenKind.MOISTURE, TokenKind.THAN, TokenKind.AND,
}  # fmt: skip
_NO_NAME_BEGINS = frozenset("稳均价每日周月年再又仍已")
_NEVER_INSIDE = frozenset({
    TokenKind.CONVERTED, TokenKind.THAN, TokenKind.OLD, TokenKind.MOD, TokenKind.TODAY,
    TokenKind.TOTAL, TokenKind.GRADE,
})  # fmt: skip
_TIED = frozenset({"市场", "站台"})
_SHORT_GAP, _SHORT_LINE = 40, 200  # characters up to which what is read of a text is cached
_JOINERS = frozenset("和与及")
_PLACE_SHAPE = re.compile(
    r"[^\s]{1,4}?(?:自治区|自治州|省|市(?!场)|县|区(?!间|域)|旗|镇|乡|港(?!口|务))"
)
_SPACED = re.compile(r"([\u4e00-\u9fff]) {1,4}([\u4e00-\u9fff])")
_VARIETY = re.compile(r"[^\s]{0,4}[蒜椒葱姜麦稻米豆粕粉糖蛋猪牛羊鸡鸭鱼薯菜瓜果菇茄柿梨桃枣]")
_NOT_A_PLACE = re.compile(
    r"价区|^[从我本全各该某在所]|^[东西南北中老新]区|(?:社|小|园|产|销|地|厂|城|郊|灾|战|市|辖)区|(?:超|上|股|都|楼|城|菜|夜|集)市|[收采求]购"
)


@dataclass(slots=True)  # not frozen: that would double the time to create one
class Token:
    """A piece of a line; ``start`` and ``end`` are offsets in the whole text."""

    kind: TokenKind
    start: int
    end: int
    text: str
    figure: Figure | None = None


def has_kind(tokens: Iterable[Token], *kinds: TokenKind) -> bool:
    """Return whether any of the tokens is of one of ``kinds``."""
    for token in tokens:  # noqa: SIM110 (any() takes twice as long)
        if token.kind in kinds:
            return True
    return False


def last_unit(tokens: Sequence[Token]) -> Unit | None:
    """Return the last unit that stands without a number, None if there is none."""
    units = (t.figure.unit for t in reversed(tokens) if t.kind is TokenKind.UNIT and t.figure)
    return next(units, None)


_END_OF_PLACE = re.compile(
    "[沟坪寨园街河山岭湾塘桥庄屯堡营店铺坡树梁峪]?(?:乡(?![镇村间下])|镇(?!上)|村(?![里民级])|街道)"
)


def tokenise(text: str, start: int, end: int, words: BulletinLexicon) -> list[Token]:
    """Return the tokens of ``text[start:end]``, a normalised line, in order and without spaces."""
    line = text[start:end]
    read = _read_before if len(line) <= _SHORT_LINE else _read
    # Copies, since a reader may change the kind of a token.
    return [
        Token(t.kind, start + t.start, start + t.end, t.text, t.figure) for t in read(line, words)
    ]


def _read(line: str, words: BulletinLexicon) -> list[Token]:
    """Return the tokens of a line, with offsets in the line."""
    tokens: list[Token] = []
    position = 0
    for figure in find_figures(line):
        if position < figure.start:
            _add_words(line[position : figure.start], position, words, tokens)
        position = figure.end
        piece = line[figure.start : figure.end]
        tokens.append(Token(figure.kind, figure.start, figure.end, piece, figure))
    if position < len(line):
        _add_words(line[position:], position, words, tokens)
    return tokens


def _add_words(gap: str, base: int, words: BulletinLexicon, tokens: list[Token]) -> None:
    """Append the tokens of text without figures."""
    pieces = _pieces_before if len(gap) <= _SHORT_GAP else _pieces
    for kind, start, end in pieces(gap, words):
        text = gap[start:end]
        if " " in text and kind is TokenKind.PLACE:
            text = "".join(text.split())
        tokens.append(Token(kind, base + start, base + end, text))


def _pieces(gap: str, words: BulletinLexicon) -> list[tuple[TokenKind, int, int]]:
    """Return kind, start and end of the words, punctuation and unknown runs of ``gap``."""
    found: list[tuple[TokenKind, int, int]] = []
    run = position = 0
    end = len(gap)
    while position < end:
        word_end, kind = _word_at(gap, position, end, words)
        if (
            kind is not TokenKind.PLACE
            and run == position
            and (spaced := _SPACED.match(gap, position))
        ):
            joined = spaced[1] + spaced[2]
            if words.kinds.get(joined) is TokenKind.PLACE:
                word_end, kind = spaced.end(), TokenKind.PLACE  # 江 西, 莘 县
        is_inside = run < position and word_end == position + 1 and kind in _NEVER_INSIDE
        if is_inside and word_end < end and gap[word_end].isalpha():
            word_end = position  # 大合生物: 合 is part of the name
        is_begun = position - run == 1 and word_end == position + 1 and kind in _SECOND_IN_NAMES
        if is_begun and _is_han(gap[run]) and _is_han(gap[position]):
            word_end = position  # 发达面粉, 浠水: a name has at least two characters
        if run == position > 0 and _is_joiner(gap, position, word_end, kind, words):
            word_end, kind = position + 1, TokenKind.AND
        if word_end == position:
            position += 1
            continue
        if run < position:
            _add_unknown(gap, run, position, found)
        if kind:
            found.append((kind, position, word_end))
        run = position = word_end
    if run < end:
        _add_unknown(gap, run, end, found)
    return found


# A bulletin repeats whole lines of the day before, and the words between figures in many lines.
_read_before = lru_cache(maxsize=500)(_read)
_pieces_before = lru_cache(maxsize=4_000)(_pieces)


def _is_joiner(
    gap: str, position: int, word_end: int, kind: TokenKind | None, words: BulletinLexicon
) -> bool:
    """Return whether 和 joins what is around it: 辽宁和龙江, unlike 沈阳和平区 and 延边和龙.

    Between punctuation and unknown text it begins a name: ,和美集团.
    """
    if gap[position] not in _JOINERS:
        return False
    following = position + 1
    if following == len(gap):
        return True
    after = _word_at(gap, following, len(gap), words)[0]
    if kind is TokenKind.PLACE:
        return after > word_end
    is_begun = gap[position] == "和" and gap[position - 1] in _PUNCTUATION
    return not is_begun or after > following


def _is_of_place(line: str, position: int, end: int, words: BulletinLexicon) -> bool:
    """Return whether goods are the beginning of a place's name that ends there, unlike 玉米|镇赉."""
    if not _END_OF_PLACE.match(line, position, end):
        return False
    return _word_at(line, position, end, words)[0] == position


def _is_han(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff" and char not in _NO_NAME_BEGINS


def _word_at(
    line: str, position: int, end: int, words: BulletinLexicon
) -> tuple[int, TokenKind | None]:
    """Return the end and kind of the known word at ``position``; the position itself if none.

    Spaces and signs without a meaning have no kind.
    """
    char = line[position]
    if char.isspace() and char != "\t":
        return position + 1, None
    if char == "…" and (position + 1 == end or line[position + 1] == "…"):
        return position + 1, None  # 尿素……2100元
    if kind := _PUNCTUATION.get(char):
        return position + 1, kind
    if char == ".":
        is_initial = (
            position > 1 and line[position - 1].isupper() and not line[position - 2].isalpha()
        )
        is_stop = not is_initial and (position + 1 >= end or line[position + 1] in " \t")
        return (position + 1, TokenKind.STOP) if is_stop else (position, None)
    if char.isascii() and char.isalpha():
        return _latin_word(line, position, end, words)
    if char.isascii():
        return position + 1, None
    for length in words.lengths.get(char, ()):
        word = line[position : position + length]
        if position + length > end or word not in words.kinds:
            continue
        if length > 1 and word[-1] + line[position + length : position + length + 1] in _TIED:
            continue  # 临沂|市场, 粮|站台价
        if word[-1] == "市" and line[position + length - 1 : position + length + 2] in words.kinds:
            continue  # 济南|市中区
        if words.kinds[word] is TokenKind.COMMODITY and _is_of_place(
            line, position + length, end, words
        ):
            continue  # 葡萄沟乡
        if length > 1:
            return position + length, words.kinds[word]
        if _is_clear(line, position + 1, end, words):
            return position + 1, words.kinds[word]
    if char in _JOINERS and _is_clear(line, position + 1, end, words):
        return position + 1, TokenKind.AND
    return position, None


def _is_clear(line: str, position: int, end: int, words: BulletinLexicon, depth: int = 2) -> bool:
    """Return whether a one-character word may end here, since a known word follows."""
    if position >= end:
        return True
    char = line[position]
    if not char.isalpha():
        return True
    for length in words.lengths.get(char, ()):
        if position + length <= end and line[position : position + length] in words.kinds:
            return length > 1 or (
                depth > 0 and _is_clear(line, position + 1, end, words, depth - 1)
            )
    return False


_LATIN = re.compile(r"[A-Za-z]{1,30}(?:-[A-Za-z]{1,30})*")
_SECOND = re.compile(r"\s[A-Za-z]+")


def _latin_word(
    line: str, position: int, end: int, words: BulletinLexicon
) -> tuple[int, TokenKind | None]:
    match = _LATIN.match(line, position, end)
    assert match is not None
    word = match.group()
    two = _SECOND.match(line, match.end(), end)
    if two and (kind := words.kinds.get(f"{word}-{two.group().strip()}".lower())):
        return two.end(), kind
    kind = words.kinds.get(word.lower())
    if not kind:
        kind = TokenKind.NAME if word[0].isupper() else TokenKind.FILLER
    return match.end(), kind


def _add_unknown(gap: str, start: int, end: int, found: list[tuple[TokenKind, int, int]]) -> None:
    """Add an unknown run; places recognised by their ending (某某县) are separate tokens."""
    while start < end:
        match = _PLACE_SHAPE.match(gap, start, end)
        if match is None or _NOT_A_PLACE.search(match.group()) or len(match.group()) < 2:
            kind = TokenKind.VARIETY if _VARIETY.fullmatch(gap, start, end) else TokenKind.NAME
            found.append((kind, start, end))
            return
        found.append((TokenKind.PLACE, start, match.end()))
        start = match.end()


# Names in Latin letters: firms of several words, and places with their province (Changchun, Jilin).

_MAYBE_LATIN = (TokenKind.NAME, TokenKind.PORT)
_FEWEST_WORDS = 2  # of a firm; one word may be Buyers or Spot


def with_whole_names(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the words of a firm as one, and with provinces before what is in them.

    That is the order of Chinese names: province, place, firm. A name before its province becomes a
    place.
    """
    for token in tokens:
        if token.kind in _MAYBE_LATIN and token.text.isascii():
            return _in_chinese_order(_with_firms(tokens))
    return tokens


def _with_firms(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with each run of capitalised words as one, from the first name on."""
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        end = index
        while end < len(tokens) and _goes_on(tokens, index, end):
            end += 1
        if end - index < _FEWEST_WORDS:
            kept.append(tokens[index])
            index += 1
        else:
            text = " ".join(token.text for token in tokens[index:end])
            kept.append(Token(TokenKind.BRAND, tokens[index].start, tokens[end - 1].end, text))
            index = end
    return kept


def _goes_on(tokens: Sequence[Token], first: int, index: int) -> bool:
    """Return whether a firm that begins at ``first`` has a word at ``index``."""
    token = tokens[index]
    if not (token.text.isascii() and token.text[0].isupper()):
        return False
    return (
        token.kind is TokenKind.NAME if index == first else token.start == tokens[index - 1].end + 1
    )


def _in_chinese_order(tokens: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    firm: list[Token] = []
    is_open, index = False, 0
    while index < len(tokens):
        token = tokens[index]
        if _links_firm(tokens, index):
            firm = [kept.pop()]
            is_open = is_open or token.kind is TokenKind.OPEN
        elif kept and _links_province(tokens, index):
            is_open = is_open or token.kind is TokenKind.OPEN
            index += 1 + (tokens[index + 1].text == "in")
            kept += [tokens[index], *_pop_place(kept), *firm]
            firm = []
        elif is_open and token.kind is TokenKind.CLOSE:
            is_open = False
        else:
            kept.append(token)
            if firm and _is_province(token):
                kept += firm
                firm = []
        index += 1
    return kept


def _is_province(token: Token) -> bool:
    return token.text.lower() in latin_provinces()


def _is_link(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a comma, a bracket or in stands between two tokens."""
    is_inside, token = 0 < index < len(tokens) - 1, tokens[index]
    return is_inside and (token.kind in (TokenKind.COMMA, TokenKind.OPEN) or token.text == "in")


def _links_province(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a token stands between a place and its province: a comma, a bracket, in, or , in."""
    if not _is_link(tokens, index):
        return False
    place, first = tokens[index - 1], index + 1 + (tokens[index + 1].text == "in")
    after = tokens[first : first + 3]
    is_listed = len(after) > 2 and _is_province(after[2]) and tokens[index].kind is TokenKind.COMMA
    is_place = place.kind in (TokenKind.PORT, TokenKind.NAME) or place.text == "port"
    is_known = is_place and place.text.isascii() and not _is_province(place)
    return is_known and bool(after) and _is_province(after[0]) and not is_listed


def _links_firm(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a token stands between a firm and its province, or its place and province."""
    if not _is_link(tokens, index):
        return False
    firm = tokens[index - 1]
    is_before_place = index + 2 < len(tokens) and _links_province(tokens, index + 2)
    is_firm = firm.kind is TokenKind.BRAND and firm.text.isascii()
    return is_firm and (_is_province(tokens[index + 1]) or is_before_place)


def _pop_place(kept: list[Token]) -> list[Token]:
    """Remove the place at the end of the tokens: one word, or two as in Shekou port."""
    words = 2 if kept[-1].text == "port" and len(kept) > 1 else 1
    place = kept[-words:]
    del kept[-words:]
    return [
        Token(TokenKind.PORT, t.start, t.end, t.text) if t.kind is TokenKind.NAME else t
        for t in place
    ]


# Limits of the search for a price in a line, which keep the time linear in its length.

MOST_TOKENS = 120
"""Maximum per clause."""
MOST_FIGURES = 24
"""Maximum per clause, because each figure is classified by all tokens before it in its clause."""
MOST_CLAUSES, MOST_TOKENS_BEFORE = 12, 240
"""Maximum numbers of clauses before a price, and of their tokens, searched for its subject."""
MOST_SUBJECTS = 20
"""Maximum number of subjects that share one price."""
MOST_PLACES = 8
"""Maximum per region."""
MOST_DRAFTS = 100
"""Maximum number of preceding prices to which a change, a moisture or a note can apply."""
MOST_CONDITIONS = 20
"""Maximum per price."""
LONGEST_SPAN, LONGEST_ROW = 80, 500
"""Maximum characters of the span of a price in running text, and in a table row."""


def nearest(clauses: Sequence[list[Token]], last: list[Token]) -> list[list[Token]]:
    """Return the last of ``clauses`` followed by ``last``, in order, within the limits."""
    found, left = [last], MOST_TOKENS_BEFORE
    for clause in reversed(clauses[-MOST_CLAUSES:]):
        left -= len(clause)
        if left < 0:
            break
        found.append(clause)
    return found[::-1]


def is_too_long(clause: Sequence[Token]) -> bool:
    """Return whether a clause exceeds a limit."""
    if len(clause) <= MOST_FIGURES:
        return False
    return len(clause) > MOST_TOKENS or sum(t.figure is not None for t in clause) > MOST_FIGURES
