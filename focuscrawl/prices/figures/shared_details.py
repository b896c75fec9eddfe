"""Details that several prices share: moisture, grades, goods; and their order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from focuscrawl.prices.figures.moisture_and_condition import Details, conditions_of, is_deduction
from focuscrawl.prices.quote_drafts import Document, Draft, Subject
from focuscrawl.prices.tokens.bulletin_words import Commodity, compact, normalise
from focuscrawl.prices.tokens.line_tokens import MOST_CONDITIONS, Token
from focuscrawl.prices.tokens.price_units import Unit
from focuscrawl.prices.tokens.token_kinds import TokenKind

# Price lists of many goods in one place: the goods, not the place, are what has the price.

_MANY, _SHARE = 5, 0.7


def name_goods(document: Document) -> None:
    """Make goods the subjects where one place or market has the prices of many different goods."""
    lists: dict[Subject, list[Draft]] = {}
    for draft in document.drafts:
        if draft.goods and (
            draft.subject.is_bare_place or draft.subject.kind in ("weak", "nation")
        ):
            lists.setdefault(draft.subject, []).append(draft)
    for subject, found in lists.items():
        goods = {draft.goods for draft in found}
        if len(goods) < max(_MANY, _SHARE * len(found)):
            continue
        for draft in found:
            at = document.plain.rfind(draft.goods, draft.span_start, draft.start)
            mention = document.text[at : at + len(draft.goods)] if at >= 0 else draft.goods
            draft.subject = Subject("goods", mention, subject.area, subject.province)


EARLY = re.compile("早间|早盘|早上|早晨|今早|清晨|凌晨|上午")
LATE = re.compile("午后|午间|中午|下午|傍晚|晚间|晚上|尾盘|盘后")
_MOVED_LATER = re.compile(rf"[,;。](?:{LATE.pattern})[^\d,;。]{{0,4}}[涨跌升降调落]")
_BIDS = ("底价", "起拍价", "拍卖底价")
_EXTREMES = ("最高", "最低", "最差")
_AVERAGE, _TRADE = re.compile("均[价價]|平均"), re.compile("收[购購]|[销銷]售|批[发發]")
_VERSIONS = tuple("新 陈 国产 进口 一级 二级 三级 四级 玉米 大颗 小颗 中颗".split())


class Sharing:
    """Details of the prices of a line other than their amounts.

    ``pending`` are for the next price, ``scope`` precede a colon and apply to the sentence,
    ``carried`` are of an earlier price and may apply to the next.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self.pending = Details()
        self.scope = Details()
        self.carried = Details()
        self._seen: set[tuple[str, str, str]] = set()

    def end_part(self) -> None:
        """Drop details that apply up to a semicolon only."""
        self.pending, self.carried = Details(), Details()

    def details_for(
        self, descriptor: Sequence[Sequence[Token]], subject: Subject, has_goods: bool, owners: str
    ) -> Details:
        """Return moisture and condition of the price after ``descriptor``.

        ``owners`` are the names and regions of all its subjects, ``has_goods`` tells whether the
        descriptor names a commodity.
        """
        name = compact(subject.mention)
        own = [c for c in self._own_conditions(descriptor, normalise(owners)) if c != name]
        is_lot_only = bool(own) and not has_goods and all("吨以" in c for c in own)
        is_converted = any(t.kind is TokenKind.CONVERTED for clause in descriptor for t in clause)
        moisture = self.pending.moisture or self.scope.moisture
        if not is_converted and (is_lot_only or not any(map(_is_variety, own))):
            moisture = moisture or self.carried.moisture
        self.carried.moisture = self.pending.moisture or self.carried.moisture
        return Details(moisture, list(dict.fromkeys((*self.scope.condition, *own))))

    def _own_conditions(self, descriptor: Sequence[Sequence[Token]], owner: str) -> list[str]:
        clauses = (clause for clause in descriptor if not is_deduction(clause))
        own = [c for clause in clauses for c in conditions_of(clause, self._text, owner)]
        return own + self.pending.condition

    def is_primary(
        self, subject: Subject, commodity: Commodity | None, goods: str, conditions: list[str]
    ) -> bool:
        """Return whether a price is the first of its subject for these goods, and not an extreme."""
        if any(c.startswith((*_BIDS, *_EXTREMES)) for c in conditions):
            return False
        name = commodity.name if commodity else ""
        is_version = _is_version(goods, name)
        if subject.kind in ("firm", "actor", "weak", "contract"):
            is_version = is_version or goods[-1:] in name
        key = (subject.mention, subject.region, name if is_version else name + goods)
        is_first = key not in self._seen
        self._seen.add(key)
        return is_first


def add_details(drafts: Sequence[Draft], details: Details) -> None:
    """Add moisture and conditions that the prices lack."""
    for draft in drafts:
        draft.moisture = draft.moisture or details.moisture
        added = [c for c in details.condition if c not in draft.condition]
        draft.condition = (draft.condition + added)[:MOST_CONDITIONS]


def _is_variety(condition: str) -> bool:
    return (
        condition.endswith(("玉米", "粮", "麦", "豆", "稻", "产", "粕", "油"))
        or condition[:4].isdigit()
    )


def _is_version(goods: str, name: str) -> bool:
    """Return whether a word for goods is the commodity itself, or a new, old, local or graded version."""
    if goods.endswith("粮") or goods.startswith(_VERSIONS):
        return True
    return len(goods) < 3 and goods[-1:] in name


def promote_first(drafts: list[Draft]) -> None:
    """Make the first price of each subject without a primary one primary, unless it is an extreme."""
    primary = {(d.subject.mention, d.commodity) for d in drafts if d.is_primary}
    for draft in drafts:
        key = (draft.subject.mention, draft.commodity)
        is_extreme = any(c.startswith(_EXTREMES) for c in draft.condition)
        if key not in primary and not is_extreme:
            draft.is_primary = True
            primary.add(key)


def prefer_latest(drafts: Sequence[Draft], plain: str) -> None:
    """Make the price of the afternoon primary where a subject has one of the morning, too.

    A change that is stated behind the price of the morning is that of the afternoon's.
    """
    morning: dict[tuple[str, Commodity | None, Unit], Draft] = {}
    for draft in drafts:
        key = (draft.subject.mention, draft.commodity, draft.unit)
        before = plain[draft.span_start : draft.start]
        early = morning.get(key)
        if early is not None and (late := LATE.search(plain, early.end, draft.start)):
            is_own = not re.search(r"\d", plain[early.end : late.start()])
            if draft.change is None and is_own:
                draft.change, early.change = early.change, None
            draft.is_primary, early.is_primary = early.is_primary, False
            early.flag = ""
            morning[key] = draft
        elif EARLY.search(before) and not LATE.search(before):
            morning[key] = draft
            if _MOVED_LATER.match(plain, draft.end):
                draft.flag = "当日其后又调价，此价已非最新"


def add_distinctions(drafts: list[Draft]) -> None:
    """Add a condition that distinguishes prices of one subject: 均价 from 最高, 收购 from 出库 and 销售."""
    groups: dict[tuple[str, Commodity | None], list[Draft]] = {}
    for draft in drafts:
        groups.setdefault((draft.subject.mention, draft.commodity), []).append(draft)
    for group in groups.values():
        stated = {condition for draft in group for condition in draft.condition}
        is_ranged = any(d.figure.low != d.figure.high or _is_extreme(d) for d in group)
        trades = {kind for d in group if (kind := _trade(d))} | (stated & {"出库", "零售"})
        for draft in group:
            average = _AVERAGE.search(draft.wording)
            if average and is_ranged and len(group) > 1 and not _is_extreme(draft):
                draft.condition.append(average.group())
            elif len(trades) > 1 and (trade := _trade(draft)) and trade not in draft.condition:
                draft.condition.append(trade)


def _is_extreme(draft: Draft) -> bool:
    return any(c.startswith(("最高", "最低")) for c in draft.condition)


def _trade(draft: Draft) -> str:
    """Return whether a price is for buying or selling, unless its delivery says so."""
    is_delivered = any(c.startswith(("出", "到", "进")) for c in draft.condition)
    found = _TRADE.search(draft.wording)
    return found.group() if found and not is_delivered else ""


def without_doubtful(drafts: list[Draft]) -> list[Draft]:
    """Return the drafts without yesterday's prices of subjects that also have a price of today."""
    sure = {(d.subject.mention, d.commodity) for d in drafts if not d.is_doubtful}
    return [d for d in drafts if not d.is_doubtful or (d.subject.mention, d.commodity) not in sure]
