"""Restriction of list and article crawls to a topic: scores of links, and a pipeline that judges articles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.settings import BaseSettings

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.items import Article, NumberedArticle, WithdrawnNumber, check_code
from focuscrawl.summary.run_report import NamedCounts

if TYPE_CHECKING:
    from focuscrawl.pages.link import LinkScorer, ScoredLink
    from focuscrawl.scoring.model_files.scorer_loading import PageJudge
    from focuscrawl.sites.page_reading import ListEntry
    from focuscrawl.spider_arguments import ArticleArguments, ListArguments
    from focuscrawl.stored_records import KnownArticle
    from focuscrawl.topics import Topic

OFF_TOPIC, BELOW_LEAST = "off topic", "below least_score"
"""Reasons for which articles and links are dropped."""

_ENOUGH = 10


class TopicFilter:
    """Scores of links and verdicts on articles by the topic of a crawl, as in ``tunnel``.

    ``key`` changes with everything that a verdict depends on, but for trained models. ``off_topic`` are
    the codes of articles that are not to be requested again for this topic.
    """

    def __init__(
        self,
        topic: Topic,
        scorer: LinkScorer,
        judge: PageJudge,
        given: ListArguments | ArticleArguments,
    ) -> None:
        self.topic = topic
        self.scorer = scorer
        self.keeps_all = given.keep == "all"
        # Numbers have no anchor by which they could be left out.
        self.least = getattr(given, "least_score", 0.0)
        self.key = check_code(f"{topic.model_dump_json()} {self.least} {given.keep}")
        self.off_topic: set[str] = set()
        self._codes: dict[str, str] = {}
        self._judge = judge
        self._judged = self._relevant = 0
        self._best = 0.0

    @classmethod
    def of(
        cls, given: ListArguments | ArticleArguments, settings: BaseSettings
    ) -> TopicFilter | None:
        """Return the filter of the arguments, None without a topic.

        Raises :class:`~focuscrawl.errors.TopicError` or :class:`~focuscrawl.errors.ModelError`.
        """
        if given.topic is None:
            return None
        # Imported here: most crawls have no topic.
        from focuscrawl.scoring.model_files.scorer_loading import load_page_judge, load_scorer
        from focuscrawl.topics import DEFAULT_FOLDER
        from focuscrawl.topics.topic_loading import topic_or_words

        # The add-on sets its defaults after the spider is built.
        topics = Path(settings.get("FOCUSCRAWL_TOPICS") or DEFAULT_FOLDER)
        models = Path(settings.get("FOCUSCRAWL_MODELS") or "models")
        topic = topic_or_words(given.topic, topics)
        return cls(topic, load_scorer(topic, models), load_page_judge(topic, models), given)

    def scores(self, entries: Sequence[ListEntry], links: Sequence[ScoredLink]) -> dict[str, float]:
        """Return the best probability of a link to each entry by its ``url_md5``.

        ``links`` are those of the page. An entry without one, as in a JSON list, is scored by its title.
        """
        from focuscrawl.pages.canonical_urls import canonical_or_same
        from focuscrawl.pages.link import Link

        best: dict[str, float] = {}
        for link, _, probability in links:
            best[link.url] = max(probability, best.get(link.url, 0.0))
        urls = {entry.url_md5: canonical_or_same(entry.url) for entry in entries}
        bare = [one for one in entries if urls[one.url_md5] not in best]
        titled = [Link(urls[one.url_md5], anchor=one.title) for one in bare]
        best |= {link.url: probability for link, _, probability in self.scorer.score(titled)}
        found = {code: best[url] for code, url in urls.items()}
        self._best = max([self._best, *found.values()])
        return found

    def refused(self, entries: Sequence[ListEntry], scores: Mapping[str, float]) -> dict[str, str]:
        """Return the reasons why entries are not to be requested, by ``url_md5``."""
        self._codes |= {one.url: code_of(one) for one in entries}
        low = {code: BELOW_LEAST for code, score in scores.items() if score < self.least}
        return low | {one.url_md5: OFF_TOPIC for one in entries if code_of(one) in self.off_topic}

    def leave_out(self, item: Article | NumberedArticle) -> None:
        """Note that an article is off the topic, under the title that the list shows."""
        own = code_of(item) if isinstance(item, Article) else item.url
        self.off_topic.add(self._codes.setdefault(item.url, own))

    def forget(self, url: str) -> None:
        """Forget the verdict of this run on a page that turned out to be no article."""
        self.off_topic.discard(self._codes.get(url, url))

    @property
    def why_nothing(self) -> str:
        """A sentence for a run in which no entry was worth a request."""
        if self._best >= self.least:
            return f"no entry is left that may be on the topic {self.topic.name}"
        return f"no link scores {self.least:g}, the best has {self._best:.2f}; lower least_score"

    @property
    def doubt(self) -> str:
        """A sentence on a topic that fits none of several articles, else an empty text."""
        if self._relevant or self._judged < _ENOUGH:
            return ""
        return f"none of {self._judged} articles is relevant: do they use the words of the topic?"

    def judge(self, url: str, title: str, text: str) -> tuple[float, bool]:
        """Return the probability that an article is relevant, and whether it is; count it."""
        from focuscrawl.scoring.model_files.scorer_loading import judge_at

        (scored,) = judge_at(self._judge, url).score([(title, text)])
        self._judged += 1
        self._relevant += scored.relevant
        return scored.probability, scored.relevant

    def counts(self) -> NamedCounts:
        """Return the line of the summary."""
        numbers = {"articles": self._judged, "relevant": self._relevant}
        return NamedCounts("judged", numbers, f"{self._judged} articles, {self._relevant} relevant")


def code_of(source: ListEntry | KnownArticle | Article) -> str:
    """Return a code of an article that changes with its stamp on the list, or without one with its title."""
    return check_code(f"{source.url} {source.stamp or source.title}")


class TopicPipeline:
    """Sets ``relevance`` of articles with a text, and drops those off the topic unless all are kept.

    Enabled for spiders whose attribute ``topic_filter`` is a :class:`TopicFilter`. What cannot be judged,
    such as a file or an article of which a page is missing, is stored without a mark. An article that is
    stored already is kept up to date whatever it has become.
    """

    def __init__(self, crawler: Crawler, topic: TopicFilter) -> None:
        self.run = RunningCrawl.of(crawler)
        self._topic = topic

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TopicPipeline:
        """Build the pipeline; raises NotConfigured for a crawl without a topic."""
        topic = getattr(crawler.spider, "topic_filter", None)
        if not isinstance(topic, TopicFilter):
            raise NotConfigured
        return cls(crawler, topic)

    async def process_item(self, item: Any) -> Any:
        """Return the item, or raise DropItem."""
        if isinstance(item, WithdrawnNumber):
            self._topic.forget(item.url)
        if not isinstance(item, (Article, NumberedArticle)):
            return item
        text = item.text if isinstance(item, Article) else item.body_text
        if not text.strip() or (isinstance(item, Article) and not item.is_complete):
            return item
        item.relevance, is_relevant = self._topic.judge(item.url, item.title, text)
        if is_relevant or self._topic.keeps_all or await self._is_held(item):
            return item
        self.run.drop(OFF_TOPIC, item.url)
        self._topic.leave_out(item)
        raise DropItem(f"{OFF_TOPIC}: {item.url}", log_level="DEBUG")

    async def _is_held(self, item: Article | NumberedArticle) -> bool:
        if isinstance(item, NumberedArticle):
            # Of these, only what no store holds is requested.
            return False
        return (await self.run.archive.held([item.url_md5])).get(item.url_md5, False)
