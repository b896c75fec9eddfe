"""Conversion of drafts to quotes: canonical names, decimals without trailing zeros, plausibility flags."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import date
from decimal import Decimal
from statistics import median

from focuscrawl.items import Quote
from focuscrawl.prices.names.entity_types import entity_type_of, location_of
from focuscrawl.prices.names.firm_aliases import AliasTable
from focuscrawl.prices.quote_drafts import Document, Draft, prices_by_goods
from focuscrawl.prices.tokens.bulletin_words import compact, spelled
from focuscrawl.prices.tokens.implied_unit import fits
from focuscrawl.prices.tokens.price_units import TON
from focuscrawl.text.places.gazetteer import gazetteer

_MANY = 5
_FAR_ABOVE, _FAR_BELOW = Decimal("1.5"), Decimal("0.62")
_WIDEST = Decimal("1.6")


def check_drafts(drafts: Sequence[Draft], mistyped: Container[int]) -> None:
    """Note why prices are implausible, in Chinese like the workbook; nothing is dropped.

    ``mistyped`` are offsets of figures whose decimal mark may be mistyped.
    """
    prices = prices_by_goods(drafts)
    middles = {goods: median(found) for goods, found in prices.items() if len(found) >= _MANY}
    for draft in drafts:
        draft.implausible = _reason(draft, middles.get(draft.commodity))
        if draft.start in mistyped:
            draft.implausible = draft.implausible or "小数点可能有误"


def _reason(draft: Draft, middle: Decimal | None) -> str:
    low, high = draft.per_ton
    if high > low * _WIDEST:
        return "区间过宽，不像同一报价"
    goods = draft.commodity
    if not fits(low, goods) or not fits(high, goods):
        if goods is None:
            return "价格超出合理范围"
        return f"超出{goods.name}合理价格（{goods.low:f}-{goods.high:f} 元/吨）"
    if middle and not middle * _FAR_BELOW <= low <= middle * _FAR_ABOVE:
        return f"与文中其他价格相差过大（中位数 {plain(middle):f} 元/吨）"
    return ""


def plain(amount: Decimal) -> Decimal:
    """Return the same amount without trailing zeros and without an exponent."""
    if amount == amount.to_integral_value():
        return amount.quantize(Decimal(1)) if abs(amount) < Decimal(10) ** 20 else amount
    return amount.normalize()


def quote_of(draft: Draft, document: Document, day: date | None, aliases: AliasTable) -> Quote:
    """Return the finished quote."""
    low, high = draft.per_ton
    subject = draft.subject
    entity, is_firm = aliases.entity(subject.mention)
    is_known = is_firm
    if not is_known:
        region = spelled(subject.region)
        if subject.kind == "actor" and not entity.startswith(region[-2:] or "?"):
            has_place = any(entity[:n] in gazetteer() for n in (4, 3, 2))
            entity = entity if has_place else region + entity
        is_known = subject.is_bare_place and entity in gazetteer()
    # A move as large as the price is another price: 2240元/吨，又涨2250元/吨.
    change = (
        draft.change if draft.change and max(map(abs, draft.change)) < draft.figure.high else None
    )
    times = draft.unit.yuan_per_ton if draft.unit.name == TON.name else Decimal(1)
    place = location_of(
        subject.region, subject.province, entity, is_place=is_firm or subject.is_bare_place
    )
    return Quote(
        date=draft.day or day,
        commodity=draft.commodity.name if draft.commodity else "",
        mention=subject.mention,
        entity=entity,
        entity_is_known=is_known,
        region=compact(subject.region),
        price_low=plain(draft.figure.low * times),
        price_high=plain(draft.figure.high * times),
        unit=draft.unit.name,
        price_yuan_per_ton_low=plain(low),
        price_yuan_per_ton_high=plain(high),
        moisture=draft.moisture,
        goods_condition="，".join(filter(None, draft.condition)),
        price_change=plain(change[0] * times) if change else None,
        price_change_high=plain(change[1] * times) if change and change[0] != change[1] else None,
        is_primary=draft.is_primary,
        span=" ".join(document.text[draft.span_start : draft.end].split()),
        text_start=draft.start,
        text_end=draft.end,
        flag=draft.flag,
        confidence=None if draft.confidence is None else Decimal(str(draft.confidence)),
        province=place.province,
        city=place.city,
        county=place.county,
        entity_type=entity_type_of(draft, document.words, is_firm=is_firm),
    )
