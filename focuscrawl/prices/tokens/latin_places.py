"""Places and firms in Latin letters with their province: Changchun, Jilin; Luhai Starch in Weifang, Shandong."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.tokens.bulletin_words import latin_provinces
from focuscrawl.prices.tokens.line_tokens import NAME, Token

_FEWEST_WORDS = 2  # of a firm; one word may be Buyers or Spot


def with_whole_places(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the province before its places, and these before a firm of several words.

    That is the order of Chinese names. A name becomes a place by that, or a brand; the commas of a
    list of places join them.
    """
    if not any(_is_province(token) for token in tokens):
        return tokens
    kept: list[Token] = []
    firm: list[Token] = []
    is_open, index = False, 0
    while index < len(tokens):
        token = tokens[index]
        if _is_in_list(tokens, index):
            kept.append(Token("and", token.start, token.end, token.text))
        elif not firm and _links_firm(tokens, index) and (found := _pop_firm(kept)):
            firm = found
            is_open = is_open or token.kind == "open"
        elif kept and _links_province(tokens, index):
            is_open = is_open or token.kind == "open"
            index += 1 + (tokens[index + 1].text == "in")
            place = _pop_place(kept)
            kept += [tokens[index], *place, *firm]
            firm = []
        elif is_open and token.kind == "close":
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


def _is_in_list(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a comma joins places of a list: Jilin, Henan and Hebei."""
    if tokens[index].kind != "comma" or not 0 < index < len(tokens) - 3:
        return False
    before, place, link, last = tokens[index - 1], *tokens[index + 1 : index + 4]
    are_places = before.kind == place.kind == last.kind == "port" and last.text.isascii()
    return are_places and (link.kind == "comma" or link.text == "and")


def _links_province(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a token stands between a place and its province: a comma, a bracket, in, or , in."""
    if not (0 < index < len(tokens) - 1 and _is_link(tokens[index])):
        return False
    place, first = tokens[index - 1], index + 1 + (tokens[index + 1].text == "in")
    after = tokens[first : first + 3]
    is_listed = len(after) > 2 and _is_province(after[2]) and tokens[index].kind == "comma"
    is_place = place.kind in ("port", NAME) or place.text == "port"
    is_known = is_place and place.text.isascii() and not _is_province(place)
    return is_known and bool(after) and _is_province(after[0]) and not is_listed


def _is_link(token: Token) -> bool:
    return token.kind in ("comma", "open") or token.text == "in"


def _links_firm(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a token stands before a place and its province, or before a province."""
    if not _is_link(tokens[index]) or index + 1 == len(tokens):
        return False
    is_before_place = index + 2 < len(tokens) and _links_province(tokens, index + 2)
    return _is_province(tokens[index + 1]) or is_before_place


def _pop_place(kept: list[Token]) -> list[Token]:
    """Remove the place at the end of the tokens: one word, or two as in Shekou port."""
    words = 2 if kept[-1].text == "port" and len(kept) > 1 else 1
    place = kept[-words:]
    del kept[-words:]
    return [Token("port", t.start, t.end, t.text) if t.kind == NAME else t for t in place]


def _pop_firm(kept: list[Token]) -> list[Token]:
    """Remove the words of a firm at the end of the tokens; return them as one, or nothing."""
    first, end = len(kept), kept[-1].end if kept else 0
    while first and _is_word_of_name(kept[first - 1], end):
        first, end = first - 1, kept[first - 1].start - 1
    while first < len(kept) and kept[first].kind != NAME:
        first += 1
    words = kept[first:]
    if len(words) < _FEWEST_WORDS:
        return []
    del kept[first:]
    return [Token("brand", words[0].start, words[-1].end, " ".join(t.text for t in words))]


def _is_word_of_name(token: Token, end: int) -> bool:
    """Return whether a token is a capitalised word that ends at ``end``, before one space."""
    return token.text[0].isupper() and token.text.isascii() and token.end == end
