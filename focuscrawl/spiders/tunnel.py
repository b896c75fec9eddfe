"""Crawl for the pages of a topic on unlisted sites, through irrelevant pages (tunneling)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from focuscrawl.crawl_run import RunningCrawl, has_workers
from focuscrawl.extensions.run_summary import ResultLines, stored_results
from focuscrawl.frontier.frontier_entries import Ended, Waiting
from focuscrawl.items import Page
from focuscrawl.policy.calendars import dated_pattern
from focuscrawl.policy.crawler_traps import CALENDAR
from focuscrawl.policy.page_budget import Budget, LocalBudget, budget_of
from focuscrawl.policy.sparse_tunnel import IRRELEVANT_SITE, Mode, Tunnel, TunnelRules, steps_of
from focuscrawl.policy.topical_crawl import (
    BLACKLIST,
    IRRELEVANT,
    RELEVANT,
    JudgedPage,
    TopicalCrawl,
)
from focuscrawl.scheduling.request_errback import is_ignored, is_refused, reason_of, request_of
from focuscrawl.spider_arguments import TunnelArguments, parse_arguments
from focuscrawl.summary.harvest_report import HarvestReport
from focuscrawl.summary.run_report import NamedCounts
from focuscrawl.summary.run_series import JUDGED_STAT, PROMISED_STAT
from focuscrawl.system.worker_pool import read_in_worker, use_all_cores

if TYPE_CHECKING:
    from focuscrawl.crawling.run_harvest import RunHarvest
    from focuscrawl.pages.link import Link, LinkScorer, ParsedPage
    from focuscrawl.policy.online_statistics import Trail
    from focuscrawl.policy.shared_learning import Changed
    from focuscrawl.scheduling.crawl_services import CrawlLearning
    from focuscrawl.scheduling.frontier_scheduler import FrontierScheduler
    from focuscrawl.scoring.model_files.scorer_loading import PageJudge
    from focuscrawl.topics import Topic

# Of fewer pages, and of shares between these, nothing is said: crawls on the topic reach .98.
_ENOUGH = 50
_TOO_BAD = 0.01
_TOO_GOOD = 0.99


class TunnelSpider(Spider):
    """Crawls the best links first, and through irrelevant pages as far as the tunnel goes.

    Arguments: see :class:`~focuscrawl.spider_arguments.TunnelArguments`.
    """

    name = "tunnel"
    run: RunningCrawl
    argument_model = TunnelArguments
    item_class = Page
    text_only = True
    # Chosen on recorded blogs: the harvest is nearly that of one request at a time.
    eagerness = 0.75
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "SCHEDULER": "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler",
        # A page yields one item at most.
        "CONCURRENT_ITEMS": 1,
        # The trap rules limit URLs already, and every request would pass through that middleware.
        "URLLENGTH_LIMIT": 0,
        # Sites need not know the page of a link, and it would be stored with every waiting URL.
        "REFERER_ENABLED": False,
        "DEFAULT_REQUEST_HEADERS": {
            "Accept": "text/html,application/xhtml+xml;q=0.9",
            "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5",
        },
    }

    def __init__(
        self,
        arguments: TunnelArguments,
        topic: Topic,
        judge: PageJudge | Mapping[str, bool],
        truth: Mapping[str, bool],
        scorer: LinkScorer | None,
        harvest: RunHarvest,
    ) -> None:
        from focuscrawl.topics.topic_loading import seeds_of

        super().__init__()
        self.arguments = arguments
        self.topic = topic
        self.crawl_name = f"{self.name}-{topic.name}"
        self.link_topic = arguments.topic
        self.link_scorer = scorer
        self._judge = judge
        self._harvest = harvest
        self._truth = truth
        self.named_urls = seeds_of(topic, arguments.seeds)
        self._judged = 0
        self._relevant = 0
        self._sharing: CrawlLearning | None = None
        self._budget: Budget = LocalBudget(arguments.max_pages)
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> TunnelSpider:
        """Build the spider; raises a FocuscrawlError before any request."""
        # Imported here: every crawl loads the modules of all spiders.
        from focuscrawl.crawling.run_harvest import RunHarvest
        from focuscrawl.scoring.lexicon_scorer import LexiconScorer
        from focuscrawl.scoring.model_files.scorer_loading import PageRuleJudge, load_page_judge
        from focuscrawl.topics import DEFAULT_FOLDER, load_topic

        given = parse_arguments(cls.argument_model, kwargs, cls.name)
        # The add-on sets its defaults after the spider is built.
        topics = Path(crawler.settings.get("FOCUSCRAWL_TOPICS") or DEFAULT_FOLDER)
        models = Path(crawler.settings.get("FOCUSCRAWL_MODELS") or "models")
        topic = load_topic(given.topic, topics)
        truth = {}
        if given.truth:
            from focuscrawl.evaluation.datasets.recorded_web_labels import read_truth

            truth = read_truth(given.truth)
        judge: PageJudge | Mapping[str, bool] = truth
        if given.judge == "rule":
            judge = PageRuleJudge(topic)
        elif given.judge == "model":
            judge = load_page_judge(topic, models)
        scorer = LexiconScorer(topic) if given.order == "lexicon" else None
        own = None if isinstance(judge, Mapping) else judge
        harvest = RunHarvest.of(own, topic, models, truth)
        spider = cls(given, topic, judge, truth, scorer, harvest)
        spider._set_crawler(crawler)
        spider.run = RunningCrawl.of(crawler)
        crawler.signals.connect(spider._check_target, signals.request_scheduled)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Load the statistics of earlier runs, then request the seeds."""
        from focuscrawl.pages.link import Link
        from focuscrawl.policy.online_statistics import Trail

        await self._begin()
        links = self._scorer.score([Link(url) for url in self.named_urls])
        scores = self._order.scores("", True, links)
        for (link, _, _), score in zip(links, scores, strict=True):
            trail = Trail(link, "").words()
            meta = {"score": score, "steps": 0, "trail": trail}
            yield Request(link.url, self.parse, errback=self.failed, meta=meta)

    async def parse(self, response: Response) -> AsyncIterator[Request | Page]:
        """Classify a page, follow its links, and yield it if it is to be stored."""
        from focuscrawl.pages.canonical_urls import canonical_or_same

        assert response.request is not None
        parsed: ParsedPage | None = response.meta["page"]
        if await self._has_ended() or not (parsed is None or await self._budget.spend()):
            # It was in flight when the last page was judged.
            self._scheduler.give_back(response.request)
            return
        if parsed is None:
            self.run.drop("no HTML", response.url)
            self._scheduler.judge(response.request, "no HTML")
            return
        url = canonical_or_same(response.url)
        relevance, is_relevant = self._relevance(url, parsed)
        page = JudgedPage(
            url,
            _trail(url, response.meta),
            response.meta["steps"],
            response.meta.get("depth", 0),
            is_relevant,
            response.meta["links"],
            parsed.text,
        )
        self._scheduler.judge(response.request, RELEVANT if is_relevant else IRRELEVANT)
        # Before the page is learnt from, as it was when the link was followed.
        self._count_promise(page.trail.link)
        self._count(is_relevant)
        self._harvest.add(url, page.trail.link, relevance, is_relevant=is_relevant)
        for request in await self._follow(response.request, page):
            yield request
        # Before the text, which takes long to extract.
        self._scheduler.push_links(response.request, are_all=True)
        await self._has_ended()
        if is_relevant or self.arguments.keep == "all":
            yield Page(
                url=url,
                site=url.split("/")[2],
                topic=self.topic.name,
                title=parsed.title,
                text=await self._text(response, parsed),
                score=response.meta["score"],
                relevance=relevance,
                is_relevant=is_relevant,
                steps=steps_of(page.steps, is_relevant),
                via=page.trail.via,
                fetched_at=datetime.now(UTC),
            )

    def failed(self, failure: Failure) -> None:
        """Learn that the target of a link has no page."""
        from focuscrawl.policy.online_statistics import site_of

        request, reason = request_of(failure), reason_of(failure)
        if not request.meta["trail"][0]:
            self.run.seed_failed(request.meta.get("redirect_urls", [request.url])[0], reason)
        if isinstance(failure.value, HttpError) or not isinstance(failure.value, IgnoreRequest):
            trail = _trail(request.url, request.meta)
            self._crawl.failed(request.url, trail)
            self._rescore_domains_of({site_of(request.url), site_of(trail.link.url)})
        if not is_ignored(failure):
            self.run.page_failed(reason, request.url)
        elif not is_refused(failure):
            self.run.drop(reason, request.url)

    async def closed(self, reason: str) -> None:
        """Return what is left of the budget; mark a run without any judged page as incomplete."""
        await self._budget.close()
        if (
            reason == "finished"
            and self.run.check_seeds(len(set(self.named_urls)))
            and not (self._judged or has_workers(self.settings))
        ):
            self.run.mark_incomplete("no page was judged; check the seeds and the network")
        if doubt := _doubt(self._judged, self._relevant, self.topic):
            self.run.note(doubt)

    async def results(self) -> ResultLines:
        """Return the counts of pages and sites."""
        stored = stored_results(self.crawler)
        judged = {"pages": self._judged, "relevant": self._relevant}
        lines = [NamedCounts("judged", judged)]
        if self._judged:
            sites = self._crawl.tunnel.sites()
            lines.append(
                NamedCounts("sites", {str(state): count for state, count in sites.items()})
            )
        return stored._replace(counts=[*lines, *stored.counts], harvest=self.harvest_report())

    def harvest_report(self) -> HarvestReport | None:
        """Return the harvest rate so far, None before the first page."""
        return self._harvest.report()

    def _check_target(self, request: Request) -> None:
        """Reject seeds on the blacklist, and redirects to it or to sites given up.

        Links were checked when they were found.
        """
        is_redirect = "redirect_urls" in request.meta
        if request.meta["trail"][0] and not is_redirect:
            return
        reason = BLACKLIST if self.topic.is_blacklisted(request.url) else ""
        if is_redirect:
            reason = reason or self._crawl.refusal_of_redirect(request.url)
        if reason:
            self.run.drop(reason, request.url)
            raise IgnoreRequest(reason)

    async def _begin(self) -> None:
        from focuscrawl.middlewares.link_scoring import scorer_of
        from focuscrawl.policy.link_orders import order_of
        from focuscrawl.policy.online_learner import OnlineLearner
        from focuscrawl.policy.online_statistics import OnlineStatistics
        from focuscrawl.policy.shared_learner import SharedLearner

        given = self.arguments
        if given.text == "main":
            use_all_cores()
        self._scorer = scorer_of(self.crawler, given.topic)
        frontier = self._scheduler.frontier
        services = self._scheduler.services
        shared = services.pages if services else None
        self._learner = (SharedLearner if shared else OnlineLearner)(self._scorer)
        self._statistics = OnlineStatistics() if given.learns else None
        self._order = order_of(given, self._statistics, self._truth, self.topic)
        rules = TunnelRules(Mode(given.mode), given.length, given.entries, given.patience)
        self._crawl = TopicalCrawl(
            Tunnel(rules), self._order, self._statistics, self.topic.is_blacklisted
        )
        self._budget = budget_of(shared, given.max_pages)
        if shared and isinstance(self._learner, SharedLearner):
            learned = self._learned_elsewhere
            self._sharing = shared.learning(self._crawl.state, self._learner, learned)
            self.crawler.signals.connect(self._sharing.close, signals.spider_closed)
            await self._sharing.begin()
        else:
            async for ended in frontier.each_ended():
                self._crawl.remember(ended, self._remembered)
        # Behind the learning: waiting pages of an earlier run arrive while the stores are asked.
        if self.run.has_archive:
            self._harvest.verdicts = await self.run.archive.page_verdicts(self.topic.name)
        # The blacklist may have grown since they were found.
        listed = self.topic.is_blacklisted
        if self.topic.blacklist and (
            count := await frontier.drop_where(lambda waiting: listed(waiting.url), BLACKLIST)
        ):
            self.run.drop(BLACKLIST, "waiting URLs", count)

    def _learned_elsewhere(self, changed: Changed) -> None:
        if self._statistics and changed.is_trained:
            self._scheduler.frontier.rescore(self._scores)
        else:
            self._rescore_domains(changed.domains)

    def _remembered(self, ended: Ended) -> Trail:
        trail = _trail(ended.url, ended.payload["meta"])
        if self._statistics and ended.outcome.reason in (RELEVANT, IRRELEVANT):
            self._learner.add(trail.link, ended.outcome.reason == RELEVANT)
        return trail

    def _relevance(self, url: str, page: ParsedPage) -> tuple[float, bool]:
        from focuscrawl.scoring.model_files.scorer_loading import judge_at

        if isinstance(self._judge, Mapping):
            known = self._judge.get(url, False)
            return float(known), known
        (scored,) = judge_at(self._judge, url).score([(page.title, page.text)])
        return scored.probability, scored.relevant

    async def _follow(self, source: Request, page: JudgedPage) -> list[Request]:
        from focuscrawl.policy.online_statistics import Trail, site_of

        scheduler = self._scheduler
        urls = [scored.link.url for scored in page.links]
        is_rationed = self._crawl.tunnel.is_rationed
        known = await scheduler.look_up(urls, filter(is_rationed, map(site_of, urls)))
        choices = self._crawl.choose_links(page, known.states, known.waiting_at)
        self.run.drop_links(choices.refused)
        site = site_of(page.url)
        if choices.is_site_given_up:
            scheduler.drop_host(site, IRRELEVANT_SITE)
        if choices.calendar:
            count = await scheduler.frontier.drop_where(
                lambda waiting: dated_pattern(waiting.url) == choices.calendar, CALENDAR
            )
            self.run.drop(CALENDAR, "waiting URLs", count)
        if self._statistics:
            sites = dict.fromkeys([site, site_of(page.trail.link.url)])
            if self._learner.add(page.trail.link, page.is_relevant):
                scheduler.frontier.rescore(self._scores)
            else:
                for due in filter(self._statistics.is_due, sites):
                    scheduler.frontier.rescore(self._scores, host=due)
                if self._statistics.has_more_sites():
                    is_unknown = self._statistics.is_unknown
                    scheduler.frontier.rescore(
                        self._scores, wanted=lambda entry: is_unknown(site_of(entry.url))
                    )
            self._rescore_domains_of(sites)
        if self._sharing:
            self._sharing.page_judged()
        return [
            Request(
                link.url,
                self.parse,
                errback=self.failed,
                meta={"score": score, "steps": steps, "trail": Trail(link, page.url).words()},
            )
            for link, score, steps in choices.followed
            if not scheduler.is_useless(source, link.url, score)
        ]

    def _rescore_domains_of(self, sites: Iterable[str]) -> None:
        """Score the waiting sites of domains again that have become barren, or are no longer barren."""
        if self._statistics:
            self._rescore_domains({*filter(None, map(self._statistics.changed_domain, sites))})

    def _rescore_domains(self, domains: set[str]) -> None:
        from focuscrawl.pages.registered_domains import is_below
        from focuscrawl.policy.online_statistics import site_of

        if domains:
            self._scheduler.frontier.rescore(
                self._scores,
                wanted=lambda entry: any(is_below(site_of(entry.url), name) for name in domains),
            )

    def _scores(self, waiting: Sequence[Waiting]) -> list[float]:
        assert self._statistics
        trails = [_trail(entry.url, entry.payload["meta"]) for entry in waiting]
        scored = self._scorer.score([trail.link for trail in trails])
        pairs = zip(trails, scored, strict=True)
        return [self._statistics.score(trail, link.probability) for trail, link in pairs]

    def _count(self, is_relevant: bool) -> None:
        self._judged += 1
        self._relevant += is_relevant
        self.crawler.stats.inc_value("focuscrawl/pages/relevant", int(is_relevant))

    async def _has_ended(self) -> bool:
        """Return whether the budget is used up, and close the crawl then."""
        if await self._budget.is_used_up() and self._closing is None:
            closing = self.crawler.engine.close_spider_async(reason="max_pages")
            self._closing = asyncio.ensure_future(closing)
        return self._closing is not None

    def _count_promise(self, link: Link) -> None:
        ((_, _, probability),) = self._scorer.score([link])
        self.crawler.stats.inc_value(JUDGED_STAT)
        # Scrapy adds up numbers of any kind.
        self.crawler.stats.inc_value(PROMISED_STAT, probability)  # type: ignore[arg-type]

    async def _text(self, response: Response, page: ParsedPage) -> str:
        if self.arguments.text == "plain":
            return page.text
        from focuscrawl.text.main_text import main_text

        return await read_in_worker(main_text, response.text, response.url) or page.text

    @property
    def _scheduler(self) -> FrontierScheduler:
        return cast("FrontierScheduler", self.crawler.engine.scheduler)


def _doubt(judged: int, relevant: int, topic: Topic) -> str:
    """Return what is suspicious about a share of relevant pages, an empty text if nothing is."""
    if judged < _ENOUGH:
        return ""
    if relevant < _TOO_BAD * judged:
        return (
            f"{relevant} of {judged} pages relevant: do these sites use the words of the topic? "
            f"A page needs {topic.fewest_terms} of its {len(topic.terms)} (page_rule.min_terms)"
        )
    if relevant > _TOO_GOOD * judged:
        return (
            f"{relevant} of {judged} pages relevant: if its words are on every page, "
            "raise page_rule.threshold or min_terms in the topic, or weigh them less"
        )
    return ""


def _trail(url: str, meta: Mapping[str, Any]) -> Trail:
    """Return the trail to the page at ``url``; its link has the URL before redirects."""
    from focuscrawl.policy.online_statistics import Trail

    return Trail.read(meta.get("redirect_urls", [url])[0], meta["trail"])
