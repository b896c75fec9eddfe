"""Confidence of the drafts of a text: doubtful ones are flagged, impossible ones dropped."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.candidates.quote_candidates import OF_RULE, Offer, offers
from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.quote_drafts import Document, Draft

_SURE = 0.88  # confidence of the rules from which no other subject is tried
_UNSURE = 0.75  # below which any choice counts, and from which one that is surer by the margin
_MARGIN = 0.05
# What a sign means to an analyst, by its beginning.
_MEANINGS = (
    ("name carried on", "名称沿用前一句"),
    ("name carried", "名称沿用前文"),
    ("name unknown", "名称不在词表"),
    ("name goods of the text", "原文未写主体"),
    ("name goods", "以品种为主体"),
    ("name named before", "名称在前面分句"),
    ("goods named", "品种与名称不同句"),
    ("sparse prices", "叙述性文字"),
    ("clause has old", "同句有旧价字样"),
    ("earlier clause has old", "前文有旧价字样"),
    ("clause has recent", "同句有昨日等字样"),
    ("clause has not_price", "同句有费用、价差等字样"),
    ("far from the others", "与文中其他价格相差较大"),
    ("figure", "单位未直接写出"),
    ("several goods", "文中有多个品种"),
    ("in a row", "表格行"),
    ("row ", "表格行"),
    ("no header", "表格没有表头"),
    ("column", "表格列含义不明"),
    ("someone says", "转述他人的话"),
    ("much unknown text", "词表外文字较多"),
    ("no price word", "没有报价用语"),
    ("latin name", "英文名称"),
    ("long name", "名称过长"),
)
_OTHERWISE = "与标注样本中读错的报价相似"


def judge(document: Document, model: PriceModel, threshold: float | None) -> list[Draft]:
    """Return the drafts with their confidence; those below the threshold have a flag.

    Those that are more likely no quote at all are left out, unless ``threshold`` is lower: with 0 every
    draft of the rules is returned, none with a flag for its confidence.
    """
    least = model.threshold if threshold is None else threshold
    kept: list[Draft] = []
    # The rows of a table have the same signs again and again.
    reasons: dict[tuple[str, ...], str] = {}
    for draft in confident(document, model):
        assert draft.confidence is not None
        if draft.confidence < min(model.least, least):
            continue
        if draft.confidence < least and not draft.flag:
            if draft.signs not in reasons:
                reasons[draft.signs] = _reason(draft, model)
            # Rounded up, it might look like the threshold.
            percent = round(draft.confidence * 1000) // 10
            draft.flag = f"可信度{percent}%，低于{least * 100:.4g}%：{reasons[draft.signs]}"
        kept.append(draft)
    return kept


def confident(document: Document, model: PriceModel) -> list[Draft]:
    """Return the drafts with their confidence; the model's choice replaces what is doubtful.

    That is another subject where it is more likely, and figures that the rules leave out.
    """
    found = model.confidences([draft.signs for draft in document.drafts])
    for draft, confidence in zip(document.drafts, found, strict=True):
        draft.confidence = round(confidence, 3)
    if model.choice is None:
        return document.drafts
    drafts = list(document.drafts)
    groups = list(offers(document, _SURE))
    chosen = model.choice.best([[offer.signs for offer in group] for group in groups])
    for group, (number, confidence) in zip(groups, chosen, strict=True):
        best = group[number]
        if best.draft is None and confidence >= model.least:
            drafts.append(best.as_draft(round(confidence, 3)))
        elif best.draft is not None and _is_better(best, confidence, group):
            best.choose(round(confidence, 3))
    return sorted(drafts, key=lambda draft: draft.start)


def _is_better(best: Offer, confidence: float, group: Sequence[Offer]) -> bool:
    """Return whether a choice counts: it is that of the rules, or these are less sure of theirs."""
    assert best.draft is not None
    by_rule = best.draft.confidence or 0.0
    is_surer = by_rule < _UNSURE or confidence >= by_rule + _MARGIN
    # A name of one character has no offer: its draft stays as it is.
    return best.is_by_rule or (is_surer and any(offer.is_by_rule for offer in group))


def _reason(draft: Draft, model: PriceModel) -> str:
    judge = model.choice if draft.is_chosen and model.choice else model
    against = [sign for sign, share in judge.reasons(draft.signs) if share < 0]
    # A sign that is missing weighs, too; then one of those that are there tells more.
    signs = (*against, *draft.signs)
    found = (
        text
        for sign in signs
        for start, text in _MEANINGS
        if sign.removeprefix(OF_RULE).startswith(start)
    )
    return next(found, _OTHERWISE)
