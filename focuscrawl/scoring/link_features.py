"""Features of a link: words of its anchor, context and URL, and lexicon hits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

from focuscrawl.pages.link import Link
from focuscrawl.text.tokeniser import make_tokeniser

# Extra words of a text by its number of lexicon terms; no token contains this sign.
MARKS = (
    (),
    ("lexicon≥1",),
    ("lexicon≥1", "lexicon≥2"),
    ("lexicon≥1", "lexicon≥2"),
    ("lexicon≥1", "lexicon≥2", "lexicon≥4"),
)


_ESCAPES = re.compile("(?:%[0-9A-Fa-f]{2})+")


class FeatureGroup(IntEnum):
    """Feature groups, each including the previous one. The first two are those of the paper, table 1."""

    ANCHOR = 1
    CONTEXT = 2
    URL = 3


class LinkFeatures:
    """Extracts features such as ``anchor:学习``, with the names that ``explain`` shows.

    Group 1: words of the anchor. Group 2 adds words of the context, and the numbers of lexicon terms
    in anchor and context. Group 3 adds words and lexicon terms of the URL's path and query, and the
    position on the page. ``lexicon`` are terms typical of the topic.
    """

    def __init__(self, lexicon: Iterable[str], group: FeatureGroup = FeatureGroup.URL) -> None:
        self.tokeniser = make_tokeniser(lexicon)
        self.group = FeatureGroup(group)
        self.lexicon = frozenset(self.tokeniser.words)

    def of(self, links: Sequence[Link]) -> list[list[str]]:
        """Return the distinct features of each link, always in the same order."""
        texts = [list(self.texts(link)) for link in links]
        words = self.words(text for row in texts for _, text in row)
        rows = []
        for link, row in zip(links, texts, strict=True):
            found = dict.fromkeys(f"{space}:{word}" for space, text in row for word in words[text])
            if self.group is FeatureGroup.URL:
                found[f"position:{link.position}"] = None
            rows.append(list(found))
        return rows

    def texts(self, link: Link) -> Iterator[tuple[str, str]]:
        """Yield the texts of a link that have features, each with its namespace."""
        yield "anchor", link.anchor
        if self.group >= FeatureGroup.CONTEXT:
            yield "context", link.before
            yield "context", link.after
        if self.group is FeatureGroup.URL:
            yield "url", url_text(link.url)

    def words(self, texts: Iterable[str]) -> dict[str, list[str]]:
        """Return the distinct words of each text, with the extra words for its lexicon terms."""
        distinct = list(dict.fromkeys(texts))
        tokens = self.tokeniser.tokens_of(distinct)
        return {text: self._marked(some) for text, some in zip(distinct, tokens, strict=True)}

    def _marked(self, tokens: Sequence[str]) -> list[str]:
        words = list(dict.fromkeys(tokens))
        if self.group is not FeatureGroup.ANCHOR:
            hits = len(self.lexicon.intersection(words))
            words += MARKS[min(hits, len(MARKS) - 1)]
        return words


def url_text(url: str) -> str:
    """Return path and query of a canonical URL, decoded.

    >>> url_text("http://a.cn/tags/%E5%AD%A6%E4%B9%A0/?page=2")
    '/tags/学习/?page=2'
    """
    path = url[max(url.find("/", len("http://") + 1), 0) :]
    return _ESCAPES.sub(_decoded, path) if "%" in path else path


def _decoded(escapes: re.Match[str]) -> str:
    return bytes.fromhex(escapes[0].replace("%", "")).decode("utf-8", "replace")
