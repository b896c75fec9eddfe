"""Scrapy add-on with all components: ``ADDONS = {"focuscrawl.addon.FocuscrawlAddon": 500}``."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings, Settings
from scrapy.utils.log import get_scrapy_root_handler
from scrapy.utils.misc import load_object

from focuscrawl import known_settings
from focuscrawl.known_settings import FRONTIER, LINKS, MANNERS, PREFIX, STORES, SUMMARY
from focuscrawl.log_formatting import make_logs_plain

_WAIT, _DELAY = "FOCUSCRAWL_RETRY_AFTER_MAX", "FOCUSCRAWL_CRAWL_DELAY_MAX"
# By setting and path: the order, and the settings with which the component is added for a spider that
# is not ours, see switched_on(). Without one, it is a manner of our spiders.
_COMPONENTS: dict[str, dict[str, tuple[Any, ...]]] = {
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": (None,),
        "focuscrawl.middlewares.body_decoding.BodyDecoding": (590,),
        # After decompression, before the first reader of the text (MetaRefreshMiddleware, 580),
        # so that a page is decoded once.
        "focuscrawl.middlewares.body_decoding.CharsetMiddleware": (585, LINKS),
        # After decoding, before anything parses the page.
        "focuscrawl.middlewares.page_structure.PageStructure": (583, LINKS),
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": (None, FRONTIER),
        "focuscrawl.middlewares.redirect.Redirect": (600, FRONTIER),
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": (None, FRONTIER),
        "focuscrawl.middlewares.redirect.MetaRefresh": (580, FRONTIER),
        # Before retries (550), so that they wait as well.
        "focuscrawl.middlewares.retry_after.RetryAfterMiddleware": (560, _WAIT, FRONTIER),
        # Before retries, since the machine would be in the same state.
        "focuscrawl.middlewares.failures.MachineFaults": (555, FRONTIER),
        # Between them and RetryMiddleware (550), which would try each URL of a host again.
        "focuscrawl.middlewares.silent_hosts.SilentHosts": (552, FRONTIER),
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": (None, _DELAY, FRONTIER),
        "focuscrawl.middlewares.robots.RobotsMiddleware": (100, _DELAY, FRONTIER),
        # After the proxy is known (750), before requests are counted (850).
        "focuscrawl.middlewares.address_guard.AddressGuard": (840, "FOCUSCRAWL_ALLOW_PRIVATE"),
        # Before anything reads a response, which may kill the crawler.
        "focuscrawl.middlewares.frontier_pages.SuspectResponses": (990, FRONTIER),
        # Nearest the network: every response passes once, as it was sent.
        "focuscrawl.middlewares.response_recorder.WarcRecorder": (1000, "FOCUSCRAWL_WARC"),
        # Nearest the engine: responses that are retried or redirected are not parsed.
        "focuscrawl.middlewares.link_scoring.LinkScoringMiddleware": (110, LINKS),
    },
    "SPIDER_MIDDLEWARES": {
        "focuscrawl.middlewares.failures.MachineFaults": (5, FRONTIER),
        # Nearest the engine: the final output of every page passes here.
        "focuscrawl.middlewares.frontier_pages.FrontierPages": (10, FRONTIER),
        "focuscrawl.middlewares.start_hosts.StartHosts": (15, "FOCUSCRAWL_ALLOW_PRIVATE"),
        # Nearest the spider: no other middleware sees the callback errors that it handles.
        "focuscrawl.middlewares.failures.PageFailures": (950, FRONTIER),
    },
    "ITEM_PIPELINES": {
        # Before the others: what is off the topic needs no reading.
        "focuscrawl.pipelines.topic.TopicPipeline": (200, STORES),
        "focuscrawl.pipelines.dedup.DedupPipeline": (300, STORES),
        "focuscrawl.pipelines.prices.PricesPipeline": (400, STORES),
        "focuscrawl.pipelines.store.StorePipeline": (900, STORES),
    },
    "EXTENSIONS": {
        "focuscrawl.extensions.single_run.SingleRun": (0, STORES),
        "focuscrawl.middlewares.failures.MachineErrors": (4, STORES),
        "focuscrawl.extensions.web_replay.Replay": (5, "FOCUSCRAWL_REPLAY"),
        "focuscrawl.extensions.garbage_collection_interval.RareCollections": (6,),
        "focuscrawl.extensions.page_limits.PageLimits": (7, STORES, LINKS),
        "scrapy.extensions.memusage.MemoryUsage": (None,),
        "focuscrawl.extensions.page_limits.OwnMemoryUsage": (9,),
        "focuscrawl.extensions.text_responses_only.TextOnly": (8,),
        "focuscrawl.extensions.progress_display.ProgressLine": (10, SUMMARY),
        "focuscrawl.extensions.progress_display.ProgressFile": (11, "FOCUSCRAWL_PROGRESS_FILE"),
        "focuscrawl.extensions.run_summary.RunSummary": (20, SUMMARY),
        "focuscrawl.extensions.run_recorder.RunRecorder": (21, STORES),
    },
}

# All settings whose names begin with FOCUSCRAWL_; others are rejected.
DEFAULTS: dict[str, Any] = {
    "FOCUSCRAWL_MANNERS": False,
    "FOCUSCRAWL_DATA": "data",
    "FOCUSCRAWL_STORES": "",
    "FOCUSCRAWL_BATCH_SIZE": 100,
    "FOCUSCRAWL_BATCH_AGE": 0.05,
    "FOCUSCRAWL_STORE_RETRY": 60.0,
    "FOCUSCRAWL_RETRY_AFTER_MAX": 600.0,
    "FOCUSCRAWL_CRAWL_DELAY_MAX": 60.0,
    "FOCUSCRAWL_WHOLE_LIST_DAYS": 30,
    "FOCUSCRAWL_RETRY_PAUSE": 5.0,
    "FOCUSCRAWL_RETRY_PAUSE_MAX": 600.0,
    "FOCUSCRAWL_FRONTIER": None,
    "FOCUSCRAWL_FRONTIER_RULE": "max",
    "FOCUSCRAWL_FRONTIER_RETRY": 300.0,
    "FOCUSCRAWL_EAGERNESS": None,
    "FOCUSCRAWL_WORKERS": 1,
    "FOCUSCRAWL_PROGRESS_FILE": None,
    "FOCUSCRAWL_READER": "rules",
    "FOCUSCRAWL_ALIASES": None,
    "FOCUSCRAWL_PRICE_MODEL": None,
    "FOCUSCRAWL_PRICE_CONFIDENCE": None,
    "FOCUSCRAWL_TOPICS": "topics",
    "FOCUSCRAWL_TEMPLATES": "templates",
    "FOCUSCRAWL_ENGINES": "engines",
    "FOCUSCRAWL_MODELS": "models",
    "FOCUSCRAWL_LINK_TOPIC": None,
    "FOCUSCRAWL_FILES": None,
    "FOCUSCRAWL_PAGE_SECONDS": 20.0,
    "FOCUSCRAWL_PAGE_MEMORY_MB": 2048,
    "FOCUSCRAWL_URL_TRACE": None,
    "FOCUSCRAWL_CHROMIUM": None,
    "FOCUSCRAWL_WARC": None,
    "FOCUSCRAWL_REPLAY": None,
    "FOCUSCRAWL_REPLAY_LATENCY": 0.0,
    "FOCUSCRAWL_REPLAY_DEAD": 0.0,
    "FOCUSCRAWL_REPLAY_OFF_TOPIC": 0.0,
    # True, or hosts and networks.
    "FOCUSCRAWL_ALLOW_PRIVATE": "",
    "FOCUSCRAWL_TRUST_URLS": True,
    "FOCUSCRAWL_SUMMARY": True,
    "FOCUSCRAWL_MAIL": None,
    "FOCUSCRAWL_WEBHOOK": None,
    "FOCUSCRAWL_WEB_SECTIONS": "",
    "FOCUSCRAWL_WEB_SIGN_UP": False,
    "FOCUSCRAWL_WEB_DATABASE": "",
    "FOCUSCRAWL_WEB_METRICS": False,
    # From here on Scrapy's own settings: the manners of our spiders.
    # Scrapy starts this many tasks for every response, even one with a single item.
    "CONCURRENT_ITEMS": 10,
    # In the order of the list, newest first, so that an interrupted run has the newest.
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    # Progress line and summary are enough for most users; -L INFO shows the log.
    "LOG_LEVEL": "WARNING",
    # The summary lists the failures.
    "RETRY_GIVE_UP_LOG_LEVEL": "INFO",
    # Polite unless the user, who may own the site, says otherwise.
    "ROBOTSTXT_OBEY": True,
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 1.0,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 2.0,
    "DOWNLOAD_DELAY": 0.5,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
    "DOWNLOAD_TIMEOUT": 60,
    "DOWNLOAD_MAXSIZE": 8 * 1024 * 1024,
    "DOWNLOAD_WARNSIZE": 0,
    # Of the crawler's own process: a memory leak closes the run gracefully.
    "MEMUSAGE_LIMIT_MB": 2048,
    "MEMUSAGE_WARNING_MB": 1536,
    "MEMUSAGE_CHECK_INTERVAL_SECONDS": 10.0,
    "COOKIES_ENABLED": False,
    # Either executes any Python code that it receives.
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "USER_AGENT": "focuscrawl (focused crawler for Chinese-language sites)",
}

# Scrapy imports these components even if they are disabled, which takes a quarter of a second per start.
_SWITCHED: dict[str, tuple[str, str]] = {
    "TELNETCONSOLE_ENABLED": ("EXTENSIONS_BASE", "scrapy.extensions.telnet.TelnetConsole"),
    "REMOTE_CONTROL_ENABLED": ("EXTENSIONS_BASE", "scrapy.extensions.remote_control.RemoteControl"),
    "COOKIES_ENABLED": (
        "DOWNLOADER_MIDDLEWARES_BASE",
        "scrapy.downloadermiddlewares.cookies.CookiesMiddleware",
    ),
}

_FEED_EXPORTERS = {
    name: f"focuscrawl.extensions.feeds.{kind}"
    for name, kind in {
        **{"csv": "FlatCsv", "json": "FlatJson", "xml": "FlatXml"},
        **dict.fromkeys(("jl", "jsonl", "jsonlines"), "FlatJsonLines"),
    }.items()
}

_FEED_STORAGES = dict.fromkeys(("", "file"), "focuscrawl.extensions.feeds.FeedFile")

# No server receives requests, so none has to be spared.
_REPLAY_DEFAULTS = {
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "FOCUSCRAWL_RETRY_AFTER_MAX": 0.0,
    "FOCUSCRAWL_RETRY_PAUSE": 0.0,
    # Searches the environment for every request, which takes a tenth of the time of a replay.
    "HTTPPROXY_ENABLED": False,
}
_REPLAY_HANDLER = "focuscrawl.extensions.replay_handler.ReplayHandler"
_RENDERING_HANDLER = "focuscrawl.crawling.rendering_handler.RenderingHandler"
_SCHEMES_WITHOUT_NETWORK = {"data", "file"}


class FocuscrawlAddon:
    """Add-on: adds components and defaults; settings of the project take precedence.

    A spider that is not ours gets those parts only that are :func:`~focuscrawl.known_settings.switched_on`.
    """

    def __init__(self, crawler: Crawler | None = None) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the add-on of a crawler; without one, the settings are those of our spiders."""
        return cls(crawler)

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Register the spiders with Scrapy; read the environment.

        Raises ArgumentError for a setting that is unknown or contradicts the add-on.
        """
        known_settings.read_environment(settings, DEFAULTS)
        # Of two spiders with the same name Scrapy takes the later one, that of the project.
        modules = dict.fromkeys(["focuscrawl.spiders", *settings.getlist("SPIDER_MODULES")])
        settings.set("SPIDER_MODULES", list(modules), settings.getpriority("SPIDER_MODULES") or 0)
        if settings.getbool(MANNERS):
            make_logs_plain()
            known_settings.check_settings(settings)
            # Scrapy configures logging before it calls update_settings.
            settings.set("LOG_LEVEL", DEFAULTS["LOG_LEVEL"], priority="addon")

    def update_settings(self, settings: Settings) -> None:
        """Add defaults and components that are not set; raises ArgumentError for an unknown setting."""
        known_settings.read_environment(settings, DEFAULTS)
        crawler = self._crawler
        on = {MANNERS}
        if crawler:
            on = known_settings.switched_on(crawler.spider or crawler.spidercls, settings)
        for name, components in _COMPONENTS.items():
            for path, (order, *switches) in components.items():
                if not on.isdisjoint((MANNERS, *switches)):
                    settings.setdefault_in_component_priority_dict(name, load_object(path), order)
        is_replay = bool(settings.get("FOCUSCRAWL_REPLAY"))
        defaults = {n: DEFAULTS[n] for n in DEFAULTS if MANNERS in on or n.startswith(PREFIX)}
        replay = dict(_REPLAY_DEFAULTS) if is_replay else {}
        if is_replay and known_settings.is_given(settings, "FOCUSCRAWL_REPLAY_DEAD"):
            # The time that dead hosts cost is wanted.
            del replay["FOCUSCRAWL_RETRY_PAUSE"]
        for name, value in (defaults | replay).items():
            settings.set(name, value, priority="addon")
        if not on.isdisjoint((MANNERS, STORES)):
            if crawler:
                make_logs_plain()
                known_settings.check_settings(settings)
            feeds = {"FEED_EXPORTERS": _FEED_EXPORTERS, "FEED_STORAGES": _FEED_STORAGES}
            for name, ours in feeds.items():
                own = settings.getdict(name)
                settings.set(name, ours | own, settings.getpriority(name) or 0)
        if MANNERS in on:
            _take_manners(settings)
        if is_replay:
            _replace_network(settings)
        elif crawler and getattr(crawler.spider, "renders", False):
            _add_browser(settings)


def _take_manners(settings: Settings) -> None:
    for switch, (kind, path) in _SWITCHED.items():
        if not settings.getbool(switch):
            components = settings.getdict(kind)
            components.pop(path, None)
            settings.set(kind, components, priority="addon")
    if settings.getbool("COOKIES_ENABLED"):
        from scrapy.downloadermiddlewares import cookies

        from focuscrawl.pages.registered_domains import suffix_list

        # Scrapy would download one.
        cookies._split_domain = suffix_list()
    if handler := get_scrapy_root_handler():
        # That of a program, or of a project whose other spiders log as Scrapy does.
        handler.setLevel(settings["LOG_LEVEL"])


def _replace_network(settings: Settings) -> None:
    """Serve all downloads but file: URLs from the recording, whatever handlers the project sets."""
    known = set(settings.getwithbase("DOWNLOAD_HANDLERS")) - _SCHEMES_WITHOUT_NETWORK
    handlers = dict.fromkeys(known) | dict.fromkeys(("http", "https"), _REPLAY_HANDLER)
    own = settings.getdict("DOWNLOAD_HANDLERS")
    settings.set("DOWNLOAD_HANDLERS", own | handlers, priority="cmdline")


def _add_browser(settings: Settings) -> None:
    handlers = dict.fromkeys(("http", "https"), _RENDERING_HANDLER)
    own = settings.getdict("DOWNLOAD_HANDLERS")
    settings.set("DOWNLOAD_HANDLERS", own | handlers, priority="cmdline")
