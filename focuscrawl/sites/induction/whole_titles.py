"""Rule for the attribute ``title`` of entries whose visible titles are cut off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from lxml.etree import _Element

from focuscrawl.sites.induction.selector_search import Example, find_rule
from focuscrawl.sites.site_profile import Rule
from focuscrawl.text.chinese_dates import find_full_date
from focuscrawl.text.cut_titles import completes

_OWN = Rule(xpath="./@title")
_SEPARATORS = ("-", "|", "_", "—", "–", "·")


def whole_title_rule(shown: Mapping[_Element, tuple[str, _Element]]) -> Rule | None:
    """Return a rule for the attribute; None if no title is cut, or an entry lacks the attribute.

    ``shown`` has the visible title and the link of each entry.
    """
    found = {entry: _holder(entry, *title) for entry, title in shown.items()}
    holders = {entry: holder for entry, holder in found.items() if holder is not None}
    if len(holders) < len(shown) or not _is_cut(shown, holders):
        return None
    if all(holder is entry for entry, holder in holders.items()):
        return _OWN
    return find_rule(
        [Example(entry, [holder]) for entry, holder in holders.items()],
        lambda rule, entry: rule.first(entry) == _title(holders[entry]),
        "::attr(title)",
    )


def _holder(entry: _Element, title: str, link: _Element) -> _Element | None:
    """Return the element with the title in its attribute, as it is shown or longer."""
    for node in _near(entry, link):
        whole = _title(node)
        if whole and (whole.startswith(title) or completes(whole, title)):
            return node
    return None


def _near(entry: _Element, link: _Element) -> Iterator[_Element]:
    yield from link.iter("*")
    for node in () if link is entry else link.iterancestors():
        yield node
        if node is entry:
            break


def _is_cut(
    shown: Mapping[_Element, tuple[str, _Element]], holders: Mapping[_Element, _Element]
) -> bool:
    """Return whether the attributes have more of the titles, not just something else behind them."""
    pairs = [(shown[entry][0], _title(holder)) for entry, holder in holders.items()]
    if any(completes(whole, title) and whole != title for title, whole in pairs):
        return True
    rests = {whole[len(title) :].strip() for title, whole in pairs} - {""}
    is_more = any(rest.startswith(_SEPARATORS) or find_full_date(rest, date.max) for rest in rests)
    return len(rests) > 1 and not is_more


def _title(element: _Element) -> str:
    return " ".join((element.get("title") or "").split())
