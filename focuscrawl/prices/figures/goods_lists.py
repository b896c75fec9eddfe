"""Price lists of many goods in one place: the goods, not the place, are what has the price."""

from __future__ import annotations

from focuscrawl.prices.quote_drafts import Document, Draft, Subject

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
        region = subject.region + subject.mention if subject.is_bare_place else subject.region
        for draft in found:
            at = document.plain.rfind(draft.goods, draft.span_start, draft.start)
            mention = document.text[at : at + len(draft.goods)] if at >= 0 else draft.goods
            draft.subject = Subject("goods", mention, region, subject.province)
