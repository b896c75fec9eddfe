"""Articles as pages show them: with corrections and counts, and the words of a query marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from focuscrawl.search.search_query import Query
from focuscrawl.search.search_results import (
    FoundText,
    ListedArticle,
    Passage,
    Place,
    Related,
    on_one_line,
)
from focuscrawl.text.character_folding import normal_characters
from focuscrawl.web.articles.article_edits import NONE, Correction
from focuscrawl.web.articles.reader_marks import ArticleCounts

LONGEST_LINE, LONGEST_TITLE, LONGEST_SUMMARY, LONGEST_TEXT = 160, 600, 2000, 300_000
"""Maximum numbers of characters of a title in a list; of title, summary and text on a page."""


LONGEST_TAG, _TAGS = 200, 12
_PAGES_OF = {"page": "/pages", "record": "/records", "item": None}


class Part(NamedTuple):
    """A part of a text, and whether it is a word of the query."""

    text: str
    is_marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownArticle:
    """An article in a list of a page."""

    url_md5: str
    url: str
    site: str
    title: tuple[Part, ...]
    summary: tuple[Part, ...]
    author: str = ""
    tags: tuple[str, ...] = ()
    published: date | None
    kind: str = "article"
    shared_tags: tuple[str, ...] = ()
    shared_words: tuple[str, ...] = ()
    alike_readers: int = 0
    reads: int = 0
    likes: int = 0
    is_hidden: bool = False

    @property
    def place(self) -> Place:
        """The place in a list."""
        return self.published, self.url_md5

    @property
    def tag_links(self) -> list[tuple[str, str]]:
        """The first tags, each as it is searched for and as it is shown; overlong ones are left out."""
        usable = [tag for tag in self.tags if tag.strip() and len(tag) <= LONGEST_TAG]
        return [(tag, line(tag, LONGEST_LINE)) for tag in usable[:_TAGS]]

    @property
    def address(self) -> str | None:
        """The page of the portal that shows it; own items have none."""
        folder = _PAGES_OF.get(self.kind, "/articles")
        return folder and f"{folder}/{self.url_md5}"

    @property
    def plain_title(self) -> str:
        """The title without marks."""
        return "".join(part.text for part in self.title)

    @property
    def plain_summary(self) -> str:
        """The summary without marks."""
        return "".join(part.text for part in self.summary)


def from_listed(article: ListedArticle) -> ShownArticle:
    """Return an article of a list."""
    return ShownArticle(
        url_md5=article.url_md5,
        url=article.url,
        site=article.site,
        title=(Part(line(article.title)),),
        summary=(Part(line(article.summary)),),
        author=line(article.author),
        tags=article.tags,
        published=article.published,
    )


def from_found(found: FoundText) -> ShownArticle:
    """Return an article that a search found, with its passages."""
    return ShownArticle(
        url_md5=found.key,
        kind=found.kind,
        url=found.url,
        site=found.site,
        title=parts_of(found.title, LONGEST_LINE),
        summary=parts_of(found.snippet),
        published=found.published,
        shared_tags=tuple(map(line, found.shared_tags)) if isinstance(found, Related) else (),
        shared_words=found.shared_words if isinstance(found, Related) else (),
    )


def corrected(
    article: ShownArticle, correction: Correction, counts: ArticleCounts, query: Query | None = None
) -> ShownArticle:
    """Return an article with its counts and what editors say of it."""
    if (correction, counts) == (NONE, ArticleCounts()):
        return article
    title, summary, tags = correction.title, correction.summary, correction.tags
    return replace(
        article,
        reads=counts.reads,
        likes=counts.likes,
        is_hidden=correction.is_hidden,
        title=parts_of(marked(title, query), LONGEST_LINE) if title else article.title,
        summary=parts_of(marked(summary, query)) if summary else article.summary,
        tags=article.tags if tags is None else tags,
    )


def marked(text: str, query: Query | None) -> Passage:
    """Return a text with the words of a query as spans."""
    if query is None:
        return Passage(text)
    found = query.pattern.finditer(normal_characters(text))
    return Passage(text, tuple(match.span() for match in found))


def parts_of(passage: Passage, longest: int | None = None) -> tuple[Part, ...]:
    """Return the parts of a passage, cut after ``longest`` characters, on one line."""
    is_cut = longest is not None and len(passage.text) > longest
    end = longest if is_cut and longest else len(passage.text)
    parts = tuple(_parts(on_one_line(passage.text[:end]), passage.spans))
    return (*parts, Part("…")) if is_cut else parts


def _parts(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Part]:
    at = 0
    for start, end in spans:
        if end <= len(text):
            if at < start:
                yield Part(text[at:start])
            yield Part(text[start:end], is_marked=True)
            at = end
    if at < len(text):
        yield Part(text[at:])


def line(text: str, longest: int = LONGEST_LINE) -> str:
    """Return a text of a site on one line, cut, without characters that change the direction."""
    return on_one_line(text if len(text) <= longest else f"{text[:longest]}…")


def paragraphs(text: str) -> list[str]:
    """Return the lines of a text that are not blank, of a very long text the first ones."""
    return [line for line in text[:LONGEST_TEXT].splitlines() if line.strip()]
