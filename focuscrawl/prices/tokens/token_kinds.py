"""Kinds of the tokens of a bulletin: figures, known words, punctuation and unknown text."""

from __future__ import annotations

from enum import StrEnum


class TokenKind(StrEnum):
    """Kind of a token.

    The values are part of the signs that trained models have weights for. Those of words are the
    keys of ``lists/words.yaml``, those of figures the names of groups in the patterns of figures.
    """

    # Figures.
    AMOUNT = "amount"  # yuan per unit of weight
    YUAN = "yuan"  # yuan, without a weight
    SMALL = "small"  # 厘, 分, 毛; low and high are in yuan
    PERCENT = "percent"
    WATER = "water"
    POINTS = "points"
    BARE = "bare"
    FOREIGN = "foreign"
    DATE = "date"
    CONTRACT = "contract"
    UNIT = "unit"  # a unit without a number, as in a heading
    OTHER = "other"

    # Words.
    PRICE_WORD = "price"  # 价格, 报价: a word for a price
    COMMODITY = "commodity"
    PLACE = "place"
    PORT = "port"
    ZONE = "zone"
    BRAND = "brand"
    NAME_END = "name_end"
    ACTOR = "actor"
    SALE = "sale"
    GRADE = "grade"
    ORIGIN = "origin"
    QUALITY = "quality"
    MOISTURE = "moisture"
    UP = "up"
    DOWN = "down"
    UP_OR_DOWN = "up_or_down"
    TO = "to"
    TOWARD = "toward"
    THAN = "than"
    OLD = "old"
    RECENT = "recent"
    TODAY = "today"
    YEARLY = "yearly"
    TOTAL = "total"
    EACH = "each"
    CONVERTED = "converted"
    NOT_PRICE = "not_price"
    FACT = "fact"
    MOD = "mod"
    FILLER = "filler"

    # Unknown text.
    NAME = "name"  # mostly a firm
    VARIETY = "variety"  # 大蒜, 白条鸡: ends like goods
    BRACKET = "bracket"  # what stands in brackets behind a name

    # Punctuation.
    STOP = "stop"
    SEMI = "semi"
    COMMA = "comma"
    AND = "and"
    COLON = "colon"
    OPEN = "open"
    CLOSE = "close"
    QUOTE = "quote"
    TAB = "tab"
    DASH = "dash"
    BOUND = "bound"


PRICE_LIKE = frozenset({TokenKind.AMOUNT, TokenKind.YUAN, TokenKind.BARE})
MOVE_LIKE = PRICE_LIKE | {TokenKind.SMALL, TokenKind.POINTS}
PLACES = frozenset({TokenKind.PLACE, TokenKind.ZONE, TokenKind.PORT})
FIRM_NAMES = frozenset({TokenKind.BRAND, TokenKind.NAME, TokenKind.NAME_END})
BUYERS = FIRM_NAMES | {TokenKind.ACTOR}
GOODS = frozenset({TokenKind.COMMODITY, TokenKind.VARIETY})
GRADED_GOODS = GOODS | {TokenKind.GRADE}
SIGN_OF = {TokenKind.UP: 1, TokenKind.DOWN: -1}
MOVES = frozenset(SIGN_OF)
SENTENCE_ENDS = frozenset({TokenKind.STOP, TokenKind.SEMI})
