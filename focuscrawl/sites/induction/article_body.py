"""The body of articles of one template: the subtree whose text differs from page to page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml.etree import _Element

from focuscrawl.sites.induction.link_groups import stable_classes
from focuscrawl.text.cut_titles import completes

# Weights of a character: see ``TextWeights``.
_OWN, _REPEATED, _LABEL, _LINKED, _SITE, _TITLE = 1.0, 0.3, -0.5, -0.5, -1.5, -5.0
# Short texts are labels or meta data even where they differ from page to page.
_SHORT, _SHORT_WEIGHT = 4, 0.0
_LONGEST_TITLE = 100
_SENTENCE = re.compile(r".{60,}|.{5,}[，。；！？、,.;!?].*|.*[。！？]")
_ASIDE = frozenset({"nav", "aside", "footer", "form", "select", "button", "textarea"})


@dataclass(frozen=True, slots=True)
class ArticleExample:
    """The tree of an article page without scripts, its URL, and its title as its list prints it."""

    page: _Element
    url: str
    title: str = ""


class TextWeights:
    """Weights of the texts below each element of some pages of one template.

    A character counts 1 if its text is on this page alone, 0.3 in a sentence of several articles (daily
    bulletins repeat themselves), -0.5 in another text of several articles and inside a link, -1.5 if
    the list page has the text as well, -5 in the title. The body is the subtree with the largest sum
    (maximum subsequence segmentation, Pasternack and Roth 2009, on trees).
    """

    def __init__(
        self, examples: Sequence[ArticleExample], list_page: _Element | None = None
    ) -> None:
        pages_of: Counter[str] = Counter()
        for example in examples:
            pages_of.update({text for _, text, _ in _texts(example.page)})
        self._pages_of = pages_of
        self._listed = (
            {text for _, text, _ in _texts(list_page)} if list_page is not None else set()
        )
        self.sums: list[dict[_Element, float]] = [self._sums(example) for example in examples]

    def _sums(self, example: ArticleExample) -> dict[_Element, float]:
        sums: dict[_Element, float] = defaultdict(float)
        title = without_spaces(example.title)
        for holder, text, is_aside in _texts(example.page):
            sums[holder] += len(text) * self._weight(text, title, is_aside=is_aside)
        # In reverse document order, so that descendants come before their ancestors.
        for element in reversed(list(example.page.iter("*"))):
            parent = element.getparent()
            if parent is not None:
                sums[parent] += sums[element]
        return sums

    def _weight(self, text: str, title: str, *, is_aside: bool) -> float:
        if title and (text == title or (len(text) <= _LONGEST_TITLE and completes(text, title))):
            return _TITLE
        is_shared = self._pages_of[text] > 1
        if is_shared and text in self._listed:
            return _SITE
        if is_aside:
            return _LINKED
        if is_shared:
            return _REPEATED if _SENTENCE.fullmatch(text) else _LABEL
        return _OWN if len(text) >= _SHORT else _SHORT_WEIGHT


def _texts(page: _Element) -> Iterator[tuple[_Element, str, bool]]:
    """Yield the element that a text counts for, the text without spaces, and whether it is linked."""
    aside: set[_Element] = set()
    for element in page.iter("*"):
        parent = element.getparent()
        if element.tag in _ASIDE or (element.tag == "a" and element.get("href")) or parent in aside:
            aside.add(element)
        if element.tag in ("head", "title", "option") or (
            parent is not None and parent.tag == "head"
        ):
            continue
        if text := without_spaces(element.text or ""):
            yield element, text, element in aside
        if parent is not None and (text := without_spaces(element.tail or "")):
            yield parent, text, parent in aside


def body_elements(
    examples: Sequence[ArticleExample], weights: TextWeights
) -> list[_Element] | None:
    """Return the body of each page, at the same path of tags and classes; None if there is none."""
    totals: dict[tuple[object, ...], float] = defaultdict(float)
    places: dict[tuple[object, ...], dict[int, _Element]] = defaultdict(dict)
    for at, (example, sums) in enumerate(zip(examples, weights.sums, strict=True)):
        for element in example.page.iter("*"):
            key = _path(element)
            if at not in places[key]:
                places[key][at] = element
                totals[key] += sums[element]
    common = [key for key, found in places.items() if len(found) == len(examples)]
    # The deepest of equal ones.
    best = max(common, key=lambda key: (totals[key], len(key)), default=None)
    if best is None or totals[best] <= 0:
        return None
    return [places[best][at] for at in range(len(examples))]


def _path(element: _Element) -> tuple[object, ...]:
    nodes = [element, *element.iterancestors()]
    return tuple((node.tag, stable_classes(node), node.get("id")) for node in reversed(nodes))


def without_spaces(text: str) -> str:
    """Return a text as it is compared, without any white space."""
    return "".join(text.split())
