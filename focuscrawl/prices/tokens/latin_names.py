"""Names in Latin letters: firms of several words, and places with their province (Changchun, Jilin)."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.tokens.bulletin_words import latin_provinces
from focuscrawl.prices.tokens.line_tokens import NAME, Token

_FEWEST_WORDS = 2  # of a firm; one word may be Buyers or Spot


def with_whole_names(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the words of a firm as one, and with provinces before what is in them.

    That is the order of Chinese names: province, place, firm. A name before its province becomes a
    place; the commas of a list of places join them.
    """
    if not any(t.kind in (NAME, "port") and t.text.isascii() for t in tokens):
        return tokens
    return _in_chinese_order(_with_firms(tokens))


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
            kept.append(Token("brand", tokens[index].start, tokens[end - 1].end, text))
            index = end
    return kept


def _goes_on(tokens: Sequence[Token], first: int, index: int) -> bool:
    """Return whether a firm that begins at ``first`` has a word at ``index``."""
    token = tokens[index]
    if not (token.text.isascii() and token.text[0].isupper()):
        return False
    return token.kind == NAME if index == first else token.start == tokens[index - 1].end + 1


def _in_chinese_order(tokens: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    firm: list[Token] = []
    is_open, index = False, 0
    while index < len(tokens):
        token = tokens[index]
        if _is_in_list(tokens, index):
            kept.append(Token("and", token.start, token.end, token.text))
        elif _links_firm(tokens, index):
            firm = [kept.pop()]
            is_open = is_open or token.kind == "open"
        elif kept and _links_province(tokens, index):
            is_open = is_open or token.kind == "open"
            index += 1 + (tokens[index + 1].text == "in")
            kept += [tokens[index], *_pop_place(kept), *firm]
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


def _is_link(token: Token) -> bool:
    return token.kind in ("comma", "open") or token.text == "in"


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


def _links_firm(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a token stands between a firm and its province, or its place and province."""
    if not (0 < index < len(tokens) - 1 and _is_link(tokens[index])):
        return False
    firm = tokens[index - 1]
    is_before_place = index + 2 < len(tokens) and _links_province(tokens, index + 2)
    is_firm = firm.kind == "brand" and firm.text.isascii()
    return is_firm and (_is_province(tokens[index + 1]) or is_before_place)


def _pop_place(kept: list[Token]) -> list[Token]:
    """Remove the place at the end of the tokens: one word, or two as in Shekou port."""
    words = 2 if kept[-1].text == "port" and len(kept) > 1 else 1
    place = kept[-words:]
    del kept[-words:]
    return [Token("port", t.start, t.end, t.text) if t.kind == NAME else t for t in place]
