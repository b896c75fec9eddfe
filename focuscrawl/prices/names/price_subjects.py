"""Subjects before a price: firms, actors, places and contracts among the tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence

from focuscrawl.prices.quote_drafts import Subject
from focuscrawl.prices.tokens.bulletin_words import commodities
from focuscrawl.prices.tokens.line_tokens import MOST_PLACES, Token
from focuscrawl.prices.tokens.token_kinds import (
    BUYERS,
    FIRM_NAMES,
    GRADED_GOODS,
    MOVES,
    PLACES,
    TokenKind,
)
from focuscrawl.text.places.gazetteer import CITY, PROVINCE, Place, gazetteer

_PARTS = PLACES | BUYERS | {TokenKind.MOD, TokenKind.CONTRACT}
_MADE_NAMES = (TokenKind.BRAND, TokenKind.NAME)
_GOODS_OF_NAMES = ("淀粉", "面粉", "乙醇", "酒精", "柠檬酸", "饲料", "粕", "油")
_CORE = FIRM_NAMES | {TokenKind.VARIETY}
_ENDS_COMPARISON = MOVES | {TokenKind.NOT_PRICE}
_ON_THE_WAY = PLACES | {TokenKind.ACTOR}
_MARKETS = frozenset({"市场", "批发市场", "农贸市场"})
_AREAS = frozenset({"产区", "销区"})
_THAN = frozenset({"高于", "低于", "多于", "少于"})
_NATION = frozenset({"全国", "国内", "全國", "國內"})
_NOT_A_NAME = re.compile(
    r"[的了是就都又还那这你我他她它们么吗呢]|[前后]$|[说称]|抽样|调查|监测|统计|走访|^(?:RMB|CNY|按.+|[定调改]为|从.*|在.*|看.*|分.+看|.*[一二两三四五六七八九十][个家户根辆车批])$|城市|^[有无已正较仍未暂需]|[扣超拒折卸惜每再最]|一样|其中|以来|表示|认为|余粮|库存|见底|节奏|心态|氛围|偏[多少强弱快慢高低紧松]|应为"
    r"|^(?:走进|来到|回到|背到|不过|至于|真要|两人|同[镇村县市省一]|等|隔壁|附近|邻|外来|据)|(?:所在地|只给|一边|更|要|传|拿货|[出给卖收]到)$"
    r"|没人|手里|网上|门口|自家|一路|越来越|已经|[想肯敢愿]"
    r"|^(?:省|市|县|区|个|家|周|日|月|份|不)$"
)
UNMOVED = frozenset("持平 平稳 稳定 一致 相同 一样 不变".split())
_DIRECTION = re.compile(r"[东西南北中]{1,2}部$|沿[江海线]")
_FULL_NAME = ("公司", "集团")
_MAX_MENTION = 30
_LONGEST_GOODS = 12  # characters before a contract
_OF_CONTRACT = re.compile(r"(?:期货|期价|主力|合约)+$")
_PORTS = frozenset({"port", "港", "港口", "ports"})

Group = list[Token]


def find_groups(clause: Sequence[Token]) -> list[tuple[Group, bool]]:
    """Return the groups of tokens that may be names, and whether 、 or 和 joins each to the last one.

    Objects of a comparison (比…) and origins (吉林产) are omitted.
    """
    groups: list[tuple[Group, bool]] = []
    group: Group = []
    is_joined = is_compared = is_sent = False
    for index, token in enumerate(clause):
        if token.kind is TokenKind.THAN or token.text in _THAN:
            is_compared = True
        elif token.kind in _ENDS_COMPARISON or token.text in UNMOVED:
            is_compared = False
        is_sent = token.kind is TokenKind.TOWARD or (is_sent and token.kind in _ON_THE_WAY)
        if (
            group
            and group[-1].kind is TokenKind.ACTOR
            and token.kind in (TokenKind.NAME, TokenKind.MOD)
        ):
            groups.append((group, is_joined))
            group, is_joined = [], False
            continue  # 农户手中无货: words after a kind of buyer are not part of its name
        is_apart = bool(group) and token.start - group[-1].end > 1
        if is_apart and group[-1].kind is TokenKind.NAME and token.kind in _MADE_NAMES:
            groups.append((group, is_joined))
            group, is_joined = [], False
        if not is_compared and not is_sent and _belongs(clause, index, group):
            group.append(token)
            continue
        if _is_origin_before(token, group):
            group.pop()
        if group:
            groups.append((group, is_joined))
            is_joined = False
        group = []
        is_link = token.kind is TokenKind.AND or token.text == "and"
        is_joined = is_link and (is_joined or bool(groups))
    if group:
        groups.append((group, is_joined))
    return groups


def _is_origin_before(token: Token, group: Group) -> bool:
    """Return whether the last place of a group is the origin of the goods: 济宁东北大豆, 吉林产玉米."""
    if not group or group[-1].kind not in PLACES or group[-1].end != token.start:
        return False
    if token.kind is TokenKind.ORIGIN:
        return True
    if token.kind not in GRADED_GOODS or len(group) < 2:
        return False
    if group[-1].kind is TokenKind.ZONE:
        return any(t.kind is not TokenKind.ZONE for t in group[:-1])
    above, own = province_of(group[0]), province_of(group[-1])
    return bool(above and own and above != own)


def _belongs(clause: Sequence[Token], index: int, group: Group) -> bool:
    token = clause[index]
    following = clause[index + 1] if index + 1 < len(clause) else None
    if token.kind is TokenKind.NAME:
        is_stub = len(token.text) < 2 and not (following and following.text == "玉米")
        return not is_stub and (_has_end(token, following) or not _NOT_A_NAME.search(token.text))
    if token.kind in _PARTS:
        return True
    if token.kind is TokenKind.BRACKET:
        is_inside = following is not None and following.kind in (
            TokenKind.NAME,
            TokenKind.NAME_END,
            TokenKind.ACTOR,
        )
        return bool(group) and (is_inside or token.text in gazetteer())
    return token.kind is TokenKind.COMMODITY and _is_part_of_name(token, following, group)


def _has_end(token: Token, following: Token | None) -> bool:
    """Return whether a word such as 奶业 directly follows, so that the token before it is a name."""
    ends = (
        following is not None
        and following.kind is TokenKind.NAME_END
        and following.start == token.end
    )
    return ends and len(token.text) > 1


def _is_part_of_name(token: Token, following: Token | None, group: Group) -> bool:
    """Return whether a commodity word is part of a name: 玉米深加工企业, 嘉穗淀粉."""
    if following is not None and following.kind in (TokenKind.ACTOR, TokenKind.NAME_END):
        return True
    is_attached = bool(group) and group[-1].end == token.start and group[-1].kind in _MADE_NAMES
    return is_attached and token.text.endswith(_GOODS_OF_NAMES)


def lookup(token: Token) -> Place | None:
    """Return the gazetteer entry of a place token, None if there is none."""
    return gazetteer().get(token.text)


def province_of(token: Token) -> str:
    """Return the province of a place token, ``""`` if unknown or ambiguous."""
    place = lookup(token)
    return next(iter(place.provinces)) if place and len(place.provinces) == 1 else ""


class SubjectMaker:
    """Factory of a :class:`Subject` from a group, the text as printed and the current region."""

    def __init__(self, text: str) -> None:
        self._text = text

    def printed(self, start: int, end: int) -> str:
        """Return a slice of the text as printed, stripped of whitespace."""
        return self._text[start:end].strip()

    def places_as_printed(self, places: Sequence[Token]) -> str:
        """Return places as they are printed: 山东寿光; Shouguang, Shandong."""
        if not places[0].text.isascii():
            return "".join(self.printed(t.start, t.end) for t in places)
        return ", ".join(
            self.printed(t.start, t.end) for t in sorted(places, key=lambda t: t.start)
        )

    def subject(self, group: Group, before: Group, carried: Subject | None) -> Subject | None:
        """Return the subject named by a group, or None.

        ``before`` are place tokens before the group, ``carried`` is the subject whose region
        applies if the group gives none.
        """
        while group and group[-1].kind is TokenKind.BRACKET and group[-1].text not in gazetteer():
            group = group[:-1]
        if contract := next((t for t in group if t.kind is TokenKind.CONTRACT), None):
            region = self._region(before + [t for t in group if t.kind in PLACES], carried, True)
            mention = self.printed(self._contract_start(contract), contract.end)
            return Subject("contract", mention, *region)
        while len(group) > 1 and group[0].kind is TokenKind.MOD and group[1].kind in PLACES:
            group = group[1:]
        leading = 0
        while leading < len(group) and group[leading].kind in PLACES:
            leading += 1
        places, core = group[max(0, leading - MOST_PLACES) : leading], group[leading:]
        if not any(t.kind in _CORE or t.kind is TokenKind.ACTOR for t in core):
            return self._place(places, core, before, carried)
        return self._named(places, core, before, carried)

    def _contract_start(self, contract: Token) -> int:
        """Return where a contract begins: a month without letters with its goods, 玉米主力|2605合约."""
        before = self._text[max(0, contract.start - _LONGEST_GOODS) : contract.start]
        goods = _OF_CONTRACT.sub("", before)
        known = (n for n in range(len(goods), 1, -1) if goods[-n:] in commodities())
        length = next(known, 0) if contract.text[:1].isdigit() else 0
        return contract.start - (len(before) - len(goods) + length if length else 0)

    def _place(
        self, places: Group, core: Group, before: Group, carried: Subject | None
    ) -> Subject | None:
        if not places:
            return None
        if len(places) > 1 and places[-1].text in _AREAS:
            places = places[:-1]  # 华北黄淮|产区
        last = places[-1]
        end = core[-1].end if core and _DIRECTION.search(core[-1].text) else last.end
        mention = self.printed(last.start, end)
        chain = before + places
        region, above, province = self._region(chain[:-1], carried, False)
        place = lookup(last)
        own = above if place and above in place.provinces else province_of(last)
        if carried and not chain[:-1] and own and _holds(carried, own, last.text):
            region = province = carried.province_printed
        kind = "nation" if mention in _NATION else "place"
        if not province and own == last.text:
            province = self.printed(last.start, last.end)
        return Subject(kind, mention, region, own, province, is_bare_place=True)

    def _named(
        self, places: Group, core: Group, before: Group, carried: Subject | None
    ) -> Subject | None:
        first, last = core[0], core[-1]
        is_firm = any(t.kind in _CORE for t in core)
        only_ends = all(t.kind is TokenKind.NAME_END for t in core)
        if only_ends and not places:
            return None
        if is_firm and not places and _is_unknown(core):
            return self._weak(first, last, before, carried)
        if last.text in _PORTS:
            mention = self.printed((places[-1:] or core)[0].start, last.end)
            where = self._region(before + places[:-1], carried, False)
            return Subject("place", mention, *where, is_bare_place=True)
        start = self._mention_start(places, core, is_firm and not only_ends)
        mention = self.printed(start, last.end)
        if len(mention) > _MAX_MENTION * (2 if mention.isascii() else 1):
            return None
        chain = before + places
        region, province, province_printed = self._region(chain, carried, True)
        if is_firm and first.kind is TokenKind.BRAND and (prefix := _place_prefix(first.text)):
            own = self.printed(first.start, first.start + len(prefix))
            region = region + own if chain and not region.endswith(own) else own
        elif is_firm and not chain:
            region += _places_inside(core)
        return Subject("firm" if is_firm else "actor", mention, region, province, province_printed)

    def _weak(
        self, first: Token, last: Token, before: Group, carried: Subject | None
    ) -> Subject | None:
        mention = self.printed(first.start, last.end)
        if not 2 <= len(mention) <= 10 and not mention.isascii():
            return None
        return Subject("weak", mention, *self._region(before, carried, True))

    def _mention_start(self, places: Group, core: Group, is_firm: bool) -> int:
        if not places or core[0].start < places[-1].start:  # Luhai Starch in Weifang
            return core[0].start
        last = places[-1]
        if not is_firm:
            return last.start
        place = lookup(last)
        level = place.level if place else None
        length = core[-1].end - core[0].start
        if level == PROVINCE and length <= 2 and core[0].kind is TokenKind.NAME:
            return last.start
        if level == PROVINCE or _place_prefix(core[0].text):
            return core[0].start
        is_dropped = last.text.endswith("市") or core[-1].text.endswith(_FULL_NAME)
        return core[0].start if level == CITY and is_dropped and length > 1 else last.start

    def _region(
        self, chain: Group, carried: Subject | None, is_inherited: bool
    ) -> tuple[str, str, str]:
        """Return the region as printed, its province, and that province as printed.

        With ``is_inherited``, a subject without places inherits the carried region.
        """
        if not chain:
            if carried is None or not is_inherited:
                return "", "", ""
            return _carried_region(carried), carried.province, carried.province_printed
        chain = [t for t in chain if t.text not in _AREAS] or chain
        printed = self.places_as_printed(chain)
        province = next((p for t in chain if (p := province_of(t))), "")
        top = lookup(chain[0])
        if top is None or top.level != PROVINCE:
            if carried and carried.province_printed and top and carried.province in top.provinces:
                return (
                    carried.province_printed + printed,
                    carried.province,
                    carried.province_printed,
                )
            return printed, province, ""
        return printed, province, self.printed(chain[0].start, chain[0].end)


def _holds(carried: Subject, province: str, place: str) -> bool:
    return carried.province == province != place and bool(carried.province_printed)


def _carried_region(carried: Subject) -> str:
    return carried.region if carried.region.endswith(carried.mention) else carried.area


def _is_unknown(core: Group) -> bool:
    """Return whether the core is a name only by its position in the sentence."""
    return (
        all(t.kind in (TokenKind.NAME, TokenKind.MOD) for t in core)
        and core[-1].text not in _MARKETS
    )


def _places_inside(core: Group) -> str:
    """Return the place words within a firm's name: 希杰(聊城)生物, 中储粮黑龙江分公司."""
    return "".join(
        token.text
        for token, following in zip(core, [*core[1:], None], strict=True)
        if (token.kind is TokenKind.BRACKET and token.text in gazetteer())
        or (
            token.kind is TokenKind.PLACE
            and following is not None
            and following.kind is TokenKind.NAME_END
        )
    )


def _place_prefix(text: str) -> str:
    known = gazetteer()
    return next((text[:n] for n in (4, 3, 2) if len(text) > n and text[:n] in known), "")
