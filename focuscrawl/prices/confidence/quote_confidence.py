"""Confidence of the drafts of a text: doubtful ones are flagged, impossible ones dropped."""

from __future__ import annotations

from collections.abc import Sequence

from focuscrawl.prices.candidates.detail_options import text_words, with_text_words
from focuscrawl.prices.candidates.quote_candidates import (
    OF_RULE,
    Offer,
    figure_of,
    offers,
)
from focuscrawl.prices.confidence.price_model import PriceModel
from focuscrawl.prices.confidence.reading_models import FigureSigns
from focuscrawl.prices.confidence.reading_signs import BY_COLUMN
from focuscrawl.prices.confidence.text_network import contexts_of
from focuscrawl.prices.quote_checks import check_drafts
from focuscrawl.prices.quote_drafts import Document, Draft
from focuscrawl.prices.tokens.bulletin_words import commodities
from focuscrawl.system.remembered_values import RememberedValues

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
    ("figure bare", "单位未直接写出"),
    ("figure yuan", "单位未直接写出"),
    ("unit guessed", "单位由品种推断"),
    ("several goods", "文中有多个品种"),
    ("in a row", "表格行"),
    ("row ", "表格行"),
    ("no header", "表格没有表头"),
    ("column unknown", "表格列含义不明"),
    ("someone says", "转述他人的话"),
    ("much unknown text", "词表外文字较多"),
    ("no price word", "没有报价用语"),
    ("latin name", "英文名称"),
    ("text around the figure", "前后文字不像报价"),
    ("text around the name", "名称及其前后文字不像主体"),
    ("long name", "名称过长"),
)
_UNKNOWN = 0.5  # of figures that are not offered, such as those of lines with very many
# At most, where the choice did not name the head of the column, which may be no owner.
_OF_HEAD = 0.9
_OTHERWISE = "与标注样本中读错的报价相似"


def judge(document: Document, model: PriceModel, threshold: float | None) -> list[Draft]:
    """Return the drafts with their confidence; those below the threshold have a flag.

    Those that are more likely no quote at all are left out, unless ``threshold`` is lower: with 0 every
    draft of the rules is returned, none with a flag for its confidence.
    """
    least = model.threshold if threshold is None else threshold
    found = confident(document, model)
    kept = [draft for draft in found if (draft.confidence or 0.0) >= min(model.least, least)]
    # Goods and units may be others than those of the rules.
    check_drafts(kept, document.mistyped)
    for draft in kept:
        draft.flag = draft.flag or draft.implausible
        confidence = draft.confidence or 0.0
        if confidence < least and not draft.flag:
            # Rounded up, it might look like the threshold.
            percent = round(confidence * 1000) // 10
            draft.flag = f"可信度{percent}%，低于{least * 100:.4g}%：{_reason(draft, model)}"
    return kept


def confident(document: Document, model: PriceModel) -> list[Draft]:
    """Return the drafts with their confidence, each with the subject and the goods that the model chooses.

    Figures that the rules leave out are among them if the model takes them for quotes.
    """
    drafts = list(document.drafts)
    for draft in drafts:
        draft.confidence = _UNKNOWN
    groups = list(offers(document))
    odds = model.goods_odds(text_words(document.title, document.plain))
    goods = [with_text_words(group[0].goods, odds, group[0].per_ton) for group in groups]
    contexts = contexts_of(model.network, document.plain, [figure_of(group) for group in groups])
    signs = [
        FigureSigns(
            [offer.signs for offer in group],
            context,
            [option.signs for option in kinds],
            [option.signs for option in group[0].units],
        )
        for group, context, kinds in zip(groups, contexts, goods, strict=True)
    ]
    for group, kinds, choice in zip(groups, goods, model.best(signs), strict=True):
        best = _named(group[choice.option], group)
        confidence = choice.confidence
        if best is not group[choice.option] and _is_of_head(best) and best.subject.kind != "place":
            confidence = min(confidence, _OF_HEAD)
        if best.draft is not None or choice.confidence >= model.least:
            draft = best.chosen(
                kinds[choice.goods].commodity,
                best.units[choice.unit].unit,
                tuple(choice.signs),
                round(confidence, 3),
            )
            draft.context = choice.context
            if best.draft is None:
                drafts.append(draft)
    return sorted(drafts, key=lambda draft: draft.start)


def _is_of_head(offer: Offer) -> bool:
    return offer.draft is not None and any(s.endswith(BY_COLUMN) for s in offer.draft.signs)


def _named(best: Offer, group: Sequence[Offer]) -> Offer:
    """Return the offer of the rules where heads tell the owner, or the chosen name is theirs with details.

    On labels, the head of a column is right in 715 of 754 cases (76 authors), an owner behind the price below a
    head such as 市场 or 地区 in 108 of 112 (68 authors); most of the rest name nobody (本集, 低端). Details are the
    region before a name, goods or conditions behind it, to the labels both are right: 潍坊饲料厂 and
    山东潍坊饲料厂玉米, 昌乐盛泰 and 昌乐盛泰大车、小车.
    """
    rule = next((o for o in group if o.is_by_rule and o.subject.mention), None)
    if rule is None:
        return best
    if _is_of_head(rule):
        return rule
    before, found, behind = best.subject.mention.partition(rule.subject.mention)
    for condition in rule.draft.condition if rule.draft else ():
        behind = behind.replace(condition, "")
    behind = behind.strip("、,， ")
    are_goods = not behind or behind in commodities() or behind[1:] in commodities()
    is_theirs = bool(found) and before in rule.subject.region and are_goods
    return rule if is_theirs else best


def _reason(draft: Draft, model: PriceModel) -> str:
    """Return what speaks against a draft: the sign, or the missing one, with the largest effect."""
    against = [(model.effects.get(sign, 0.0), sign) for sign in draft.signs]
    against += [(share, sign) for sign, share in model.reasons_of(draft.context)]
    return next(filter(None, (_meanings[sign] for _, sign in sorted(against))), _OTHERWISE)


def _meaning(sign: str) -> str:
    sign = sign.removeprefix(OF_RULE)
    return next((text for start, text in _MEANINGS if sign.startswith(start)), "")


_meanings = RememberedValues(_meaning, 5_000)
