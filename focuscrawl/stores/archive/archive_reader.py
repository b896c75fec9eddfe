"""Questions to several stores at once, and one answer out of theirs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import date
from operator import attrgetter, methodcaller
from typing import Any, TypeVar

from focuscrawl.errors import StoreUnavailableError
from focuscrawl.items import Article, MissingNumber, Seed, TemplateRecord
from focuscrawl.stored_records import KnownArticle
from focuscrawl.stores.archive.store_writer import ArchivableStore, SpillingStore, gather_all

_T = TypeVar("_T")
_Key = TypeVar("_Key")


# Articles whose texts are read at a time.
_TEXTS = 200


class ArchiveReader:
    """Reads from several stores; those that are unavailable are left out."""

    def __init__(self, stores: Sequence[SpillingStore]) -> None:
        self._stores = stores

    async def _ask(self, question: Callable[[ArchivableStore], Awaitable[_T]]) -> list[_T]:
        answers = await gather_all([store.ask(question) for store in self._stores])
        return [answer for given in answers for answer in given]

    async def known(self, url_md5s: Sequence[str]) -> dict[str, KnownArticle]:
        """Return the articles that all stores hold with the same content, by MD5.

        Where the stores differ in anything else, the returned values cause another request.
        """
        answers = await self._ask(lambda store: store.known(url_md5s))
        if not answers:
            return {}
        first, *others = answers
        return {
            md5: _common(article, [other[md5] for other in others])
            for md5, article in first.items()
            if all(md5 in o and o[md5].content_md5 == article.content_md5 for o in others)
        }

    async def held(self, url_md5s: Sequence[str]) -> dict[str, bool]:
        """Return those of the given MD5s that any store holds, gone or not, and whether as more than a link."""
        held: dict[str, bool] = {}
        for answer in await self._ask(lambda store: store.known(url_md5s)):
            for md5, one in answer.items():
                held[md5] = held.get(md5, False) or one.is_read
        return held

    async def unfinished(self, site: str) -> list[KnownArticle]:
        """Return the articles of a site that are incomplete, and not gone, in any store."""
        answers = await self._ask(lambda store: store.unfinished(site))
        return list(_merged(answers, attrgetter("url_md5")).values())

    async def listed_since(self, site: str, since: date | None) -> list[KnownArticle]:
        """Return the articles of a site published on or after ``since`` that any store holds."""
        answers = await self._ask(lambda store: store.listed_since(site, since))
        return list(_merged(answers, attrgetter("url_md5")).values())

    async def complete(self, site: str) -> AsyncIterator[Article]:
        """Stream the complete articles of a site that any store holds, with their texts."""
        known = [one.url_md5 for one in await self.listed_since(site, None) if one.is_complete]
        for start in range(0, len(known), _TEXTS):
            md5s = known[start : start + _TEXTS]
            for article in (await self.texts_of(md5s)).values():
                yield article

    async def texts_of(self, url_md5s: Sequence[str]) -> dict[str, Article]:
        """Return those of the given articles that any store holds with their texts, by MD5."""
        answers = await self._ask(methodcaller("articles_of", url_md5s))
        return {md5: one.article for answer in answers for md5, one in answer.items()}

    async def numbers(self, series: str) -> set[int]:
        """Return the numbers of a series whose articles all stores hold.

        Raises StoreUnavailableError if none answers: everything would be requested again.
        """
        answers = await self._ask(lambda store: _gathered(store.numbers(series)))
        self._check_answered(answers, "which numbers are stored")
        return set.intersection(*map(set, answers))

    async def missing(self, series: str) -> dict[int, MissingNumber]:
        """Return the missing numbers of a series that any store holds, by number."""
        answers = await self._ask(lambda store: _gathered(store.missing(series)))
        return _merged(answers, attrgetter("number"))

    async def template_records(self, crawl: str, *, gone: bool = False) -> list[TemplateRecord]:
        """Return the template records of a crawl that any store holds.

        Raises StoreUnavailableError if none answers: no record could be recognised as gone.
        """
        answers = await self._ask(lambda store: _gathered(store.template_records(crawl, gone=gone)))
        self._check_answered(answers, "what the last windows found")
        return list(_merged(answers, attrgetter("key")).values())

    async def seeds(self, crawl: str) -> list[Seed]:
        """Return the seeds of a crawl that any store holds; raises as :meth:`template_records`."""
        answers = await self._ask(lambda store: _gathered(store.seeds(crawl)))
        self._check_answered(answers, "which seeds were postponed")
        return list(_merged(answers, attrgetter("key")).values())

    def _check_answered(self, answers: Sequence[object], what: str) -> None:
        if not answers:
            raise StoreUnavailableError(
                f"{self._stores[0].label} does not answer, and only it knows {what}; "
                "run the crawl again when it does"
            )

    async def get_state(self, key: str) -> dict[str, Any] | None:
        """Return the JSON object under ``key`` if all stores answer and agree, else None."""
        answers = await self._ask(lambda store: store.get_state(key))
        is_agreed = len(answers) == len(self._stores) and all(a == answers[0] for a in answers)
        return answers[0] if is_agreed else None


async def _gathered(stream: AsyncIterator[_T]) -> list[_T]:
    return [entry async for entry in stream]


def _merged(answers: Sequence[Sequence[_T]], key: Callable[[_T], _Key]) -> dict[_Key, _T]:
    """Return the entries of all answers, by key; where keys are equal, that of the first store."""
    return {key(entry): entry for answer in reversed(answers) for entry in answer}


def _common(article: KnownArticle, others: Sequence[KnownArticle]) -> KnownArticle:
    same_stamp = all(other.stamp == article.stamp for other in others)
    same_validators = all(other.validators == article.validators for other in others)
    return replace(
        article,
        is_complete=article.is_complete and all(other.is_complete for other in others),
        is_gone=article.is_gone and all(other.is_gone for other in others),
        has_prices_read=all(other.has_prices_read for other in (article, *others)),
        stamp=article.stamp if same_stamp else "",
        validators=article.validators if same_validators else {},
    )
