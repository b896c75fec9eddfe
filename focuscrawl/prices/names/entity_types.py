"""Types and locations of the entities of quotes, for the analysis of prices by region."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from focuscrawl.items import EntityType
from focuscrawl.prices.quote_drafts import Draft
from focuscrawl.prices.tokens.bulletin_words import BulletinLexicon
from focuscrawl.prices.tokens.line_tokens import MOST_SUBJECTS, Token, has_kind
from focuscrawl.prices.tokens.token_kinds import (
    GOODS,
    PRICE_LIKE,
    TokenKind,
)
from focuscrawl.text.normal_form import normal_form
from focuscrawl.text.places.gazetteer import Location
from focuscrawl.text.places.locations import located, place_at, places_by_name

# Shapes of clauses: lists of goods and prices.


def follows_a_price(descriptor: Sequence[Sequence[Token]]) -> bool:
    """Return whether a price directly follows another one: 2.1元、3.2元."""
    return all(t.kind is TokenKind.AND for clause in descriptor for t in clause)


def listed_goods(clause: Sequence[Token]) -> list[Token]:
    """Return the goods of a list with a price each, [] if there is no such list."""
    if not has_kind(clause, TokenKind.EACH):
        return []
    named = [t for t in clause if t.kind in GOODS or t.kind in (TokenKind.AND, TokenKind.NAME)]
    ends = [t for t, after in pairwise(named) if after.kind is TokenKind.AND] + named[-1:]
    is_list = len(ends) > 1 and all(t.kind is not TokenKind.AND for t in ends)
    return ends[:MOST_SUBJECTS] if is_list and any(t.kind in GOODS for t in ends) else []


def goods_in(descriptor: Sequence[Sequence[Token]]) -> str:
    """Return the last word for a commodity before a price, "" if there is none."""
    words = [t.text for clause in descriptor for t in clause if t.kind in GOODS]
    return words[-1] if words else ""


def are_in_order(tokens: Sequence[Token], index: int, clause: Sequence[Token]) -> bool:
    """Return whether as many prices as the clause lists names begin at ``index``: 兴贸、英轩2290、2300元."""
    names = 1 + sum(t.kind is TokenKind.AND for t in clause)
    rest = tokens[index + 1 : index + 2 * names + 1]
    joined = takewhile(
        lambda pair: pair[0].kind is TokenKind.AND and pair[1].kind in PRICE_LIKE,
        zip(rest[::2], rest[1::2], strict=False),
    )
    return names > 1 and clause[0].kind is not TokenKind.AND and sum(1 for _ in joined) == names - 1


_MARKETS = ("市场", "集市", "交易所", "交易中心")
_PORTS = ("港", "港口", "码头", "port", "ports")
# Their names are those of no county or prefecture.
_CITIES_OF_PORTS = {
    "鲅鱼圈": "辽宁营口",
    "北良": "辽宁大连",
    "蛇口": "广东深圳",
    "京唐": "河北唐山",
    "曹妃甸": "河北唐山",
    "麻涌": "广东东莞",
    "南沙": "广东广州",
    "黄埔": "广东广州",
    "洋浦": "海南",
}
_AVERAGES = ("均价", "均價", "平均")
# What the reader takes for the name of a firm, but is a group of buyers, a sort of goods or a phrase.
_NO_FIRM = re.compile(
    r"(?:rmb|合约|企业|储备库|粮库|粮点|收购点|库点|烘干塔|超市|园区|[纸膜]袋|这边|那边|地面|地头|经销)$"
    r"|^(?:全市|全省|路边|收了|各地|农业农村|按|连续|分[年品])"
    r"|某|个别|[一几多两三四五六七八九十\d][家个]|有人|[的也又]"
)
_AROUND = "地区|一带|周边|附近|当地|本地|境内|产区"
# Words between the place and a kind of buyer: 临沂地区饲料厂, 新乡大型面粉企业.
_SORTS = re.compile(rf"(?:{_AROUND}|大型|中型|小型|部分|主要|主流)+")
# Words behind the name of a place that is meant itself: 滑县这边, Hubei RMB.
_WHEREABOUTS = re.compile(rf"(?:{_AROUND}|这边|那边|地面|地头|rmb)$")


def entity_type_of(draft: Draft, words: BulletinLexicon, *, is_firm: bool) -> EntityType:
    """Return the type of the entity of a draft; ``is_firm``: the alias table has it."""
    subject = draft.subject
    bare = _compact(subject.mention)
    if is_firm:
        return "firm"
    if bare.endswith(_MARKETS) and subject.kind not in ("contract", "goods"):
        return "market"
    if bare.endswith(_PORTS) or (not bare.isascii() and words.kinds.get(bare) is TokenKind.PORT):
        return "port"
    place = _WHEREABOUTS.sub("", bare)
    is_whereabouts = place != bare and place in places_by_name()
    is_place = subject.kind == "place" or (
        subject.kind == "firm" and (is_whereabouts or _is_district(bare))
    )
    is_average = any(w in text for text in (draft.wording, *draft.condition) for w in _AVERAGES)
    if subject.kind == "nation" or (is_place and is_average):
        return "average"
    if is_place:
        return "place"
    return "firm" if subject.kind == "firm" and _may_be_firm(bare, words) else "other"


def _is_district(name: str) -> bool:
    """Return whether a name is a city and one of its districts or counties: 济宁任城."""
    rest = name[place_at(name, 0) :]
    return rest != name and rest in places_by_name() and bool(located(name).county)


def _may_be_firm(name: str, words: BulletinLexicon) -> bool:
    """Return whether an unknown name may be that of a firm, not of goods or of a group of buyers."""
    own = _without_places(name)
    if _NO_FIRM.search(name) or any(
        words.kinds.get(text[:n]) is TokenKind.ACTOR
        for text in (name, own)
        for n in range(2, len(text) + 1)
    ):
        return False
    is_goods = any(name[at:] in words.commodity_of for at in range(len(name)))
    return not is_goods or own != name


def _without_places(name: str) -> str:
    """Return what follows the places that a name begins with."""
    at = 0
    while length := place_at(name, at):
        at += length
    sort = _SORTS.match(name, at)
    return name[sort.end() :] if sort else name[at:]


@lru_cache(maxsize=4096)
def location_of(region: str, province: str, name: str, *, is_place: bool) -> Location:
    """Return the location of an entity.

    ``region`` has the place names around it as printed; without any, the ``province`` of which the
    reader is sure counts. ``is_place``: the whole name counts, as that of a place does, and that of a
    firm of the alias table (中粮公主岭); of others what they begin with.
    """
    name = _compact(name)
    port = next((city for port, city in _CITIES_OF_PORTS.items() if name.startswith(port)), "")
    own = port or (name if is_place or _is_district(name) else name[: place_at(name, 0)])
    return located(region or province, own)


def _compact(text: str) -> str:
    return "".join(normal_form(text).split())
