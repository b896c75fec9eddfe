"""Draft of an article while its continuation pages are fetched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from typing import Any

from focuscrawl.items import FILE, Article
from focuscrawl.sites.page_reading import ArticlePage, ListEntry
from focuscrawl.stored_records import KnownArticle
from focuscrawl.text.cut_titles import completes, whole_title

# 点击查看余下全文 at the end of a part.
_LONGEST_HINT = 20


@dataclass(slots=True)
class ArticleDraft:
    """Joins the pages of one article in the order in which they link to each other."""

    url: str
    site: str
    title: str
    stamp: str
    published: date | None
    texts: list[str] = field(default_factory=list)
    page_urls: list[str] = field(default_factory=list)
    validators: dict[str, list[str]] = field(default_factory=dict)
    asked_urls: list[str] = field(default_factory=list)
    whole_url: str = ""
    is_titled: bool = False
    attachments: list[list[str]] = field(default_factory=list)

    @classmethod
    def of(cls, source: ListEntry | KnownArticle, site: str) -> ArticleDraft:
        """Return an empty draft of an article in a list or in the stores."""
        return cls(source.url, site, source.title, source.stamp, source.published)

    def to_json(self) -> dict[str, Any]:
        """Return the draft as a JSON object."""
        return asdict(self) | {"published": self.published.isoformat() if self.published else None}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ArticleDraft:
        """Return the draft of a JSON object."""
        day = value["published"]
        return cls(**{**value, "published": date.fromisoformat(day) if day else None})

    def add(self, page: ArticlePage, url: str, validators: list[str]) -> bool:
        """Append a page. Title and date of the list take precedence, unless the list cuts the title off.

        A page with the whole text replaces the parts. Returns whether the page adds anything: one that
        repeats an earlier page is left out.
        """
        if any(_covers(text, page.text) for text in self.texts):
            return False
        if not self.title or completes(page.title, self.title):
            self.title = page.title
        self.title = whole_title(page.window, self.title) or self.title
        self.published = self.published or page.published
        self.texts = ["" if _covers(page.text, text) else text for text in self.texts]
        self.texts.append(page.text)
        self.page_urls.append(url)
        if any(validators):
            self.validators[url] = validators
        return True

    def attach(self, text: str, url: str, validators: list[str]) -> None:
        """Append the text of a file behind all pages; it is read again with them."""
        self.texts.append(text)
        self.page_urls.append(url)
        if any(validators):
            self.validators[url] = validators

    def seen(self) -> tuple[str, ...]:
        """Return the URLs of the pages that were requested."""
        return (self.url, *self.page_urls, *self.asked_urls)

    def goes_on_at(self, page: ArticlePage) -> str:
        """Return the URL of the next page to request, ``""`` if the article is complete.

        A link back to a page that was requested already ends the article.
        """
        return "" if page.next_url in self.seen() else page.next_url

    def finish(self, fetched_at: datetime, missing: str = "") -> Article:
        """Return the article; ``missing`` is the URL of the page that failed."""
        return Article(
            url=self.url,
            site=self.site,
            title=self.title,
            text="\n".join(text for text in self.texts if text),
            published=self.published,
            stamp=self.stamp,
            page_urls=self.page_urls,
            missing_urls=[missing] if missing else [],
            validators=self.validators,
            fetched_at=fetched_at,
        )


def _covers(whole: str, part: str) -> bool:
    """Return whether a text has all of another, but for the words at the end that lead to the whole."""
    whole, part = "".join(whole.split()), "".join(part.split())
    if len(part) >= _LONGEST_HINT and part in whole:
        return True
    return len(part) >= 2 * _LONGEST_HINT and part[:-_LONGEST_HINT] in whole


def pages_with_validators(known: KnownArticle, *, is_whole: bool = False) -> list[list[str]]:
    """Return URL, ETag and Last-Modified of each page of an article, without those if ``is_whole`` is due."""
    kept = {} if is_whole else known.validators
    return [[url, *(kept.get(url) or ["", ""])[:2]] for url in known.page_urls or [known.url]]


def lacks_files(known: KnownArticle, attachments: str) -> bool:
    """Return whether an article was stored with less of its files than ``attachments`` of a profile asks for."""
    first = known.validators.get(next(iter(known.page_urls), known.url))
    if attachments == "ignore" or first is None:
        return False
    if FILE in known.validators:
        return attachments == "keep" and not known.validators[FILE][1]
    return first[2:] not in ([attachments], ["keep"])
