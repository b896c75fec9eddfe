"""List → detail crawl of articles (Li Qiaoyu et al. 2018)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar, Self

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from focuscrawl.crawl_run import RunningCrawl
from focuscrawl.crawling.fetched_page import (
    conditions,
    file_kind,
    page_tree,
    shown_file,
    validators_of,
)
from focuscrawl.crawling.linked_files import NOT_INSTALLED, LinkedFiles, kinds_to_read
from focuscrawl.crawling.list_response import (
    MOST_SITEMAPS,
    FeedVisits,
    FormPages,
    end_problems,
    feed_problems,
    has_next_rule,
    links_to,
    list_behind,
    list_failure,
    list_page_problems,
    read_list_page,
    redesigned,
    sent_home_from,
)
from focuscrawl.errors import ArgumentError, FocuscrawlError, ProfileError
from focuscrawl.items import FILE, TRIED, Article, GoneArticle, check_code, content_md5
from focuscrawl.middlewares.site_session import use_session
from focuscrawl.pipelines.topic import TopicFilter, code_of
from focuscrawl.scheduling.request_errback import (
    is_forbidden,
    is_refused,
    reason_of,
    request_of,
    status_of,
)
from focuscrawl.sites.article_draft import ArticleDraft, lacks_files, pages_with_validators
from focuscrawl.sites.feed_list import FeedPage, feed_article
from focuscrawl.sites.foreign_pages import (
    ForeignPages,
    Outcome,
    PageAnswer,
    page_title,
    shows_title,
)
from focuscrawl.sites.induction.continuation import continues, further_page
from focuscrawl.sites.list_coverage import Coverage
from focuscrawl.sites.list_walk import ListStep, ListWalk
from focuscrawl.sites.page_reading import (
    ArticlePage,
    ListEntry,
    ListPage,
    next_url,
    read_article_page,
)
from focuscrawl.sites.profile_checks import ArticleChecks, Problem, changed_addresses
from focuscrawl.sites.site_profile import SiteProfile, load_profile, profile_names
from focuscrawl.spider_arguments import ListArguments, TitleFilter, parse_arguments
from focuscrawl.stored_records import KnownArticle
from focuscrawl.system.package_extras import require_browser
from focuscrawl.text.visible_lines import lacks_text

_NOT_FOUND = (404, 410)
_CONFIDENCE = "FOCUSCRAWL_PRICE_CONFIDENCE"
_WHOLE_DAYS = "FOCUSCRAWL_WHOLE_LIST_DAYS"
# Each list page is known only from the one before, so list pages are the longest chain of requests.
_LIST_PRIORITY, _CONTINUATION_PRIORITY = 20, 10
# Below both, with the topic's best entries first.
_BEST = 9
# With a list that is not sorted by date, every run would request everything again.
_MOST_VANISHED = 20
# Bytes in which most pages end.
_TAIL = 4096
# More articles that answer 404 at the same time tell that something is wrong with the site.
_MOST_LOST = 5
_MOST_ATTACHMENTS = 20
# Articles without a date that are no chance.
_FEWEST_DATED = 3
# What proves something must not come from a cache on the way.
_NO_CACHE = {"Cache-Control": "no-cache", "Pragma": "no-cache"}


class ListSpider(Spider):
    """Walks the list pages of a site from the newest entry and joins each article's pages.

    Prices are read if the site profile says ``reader: prices``. Arguments: see
    :class:`~focuscrawl.spider_arguments.ListArguments`.
    """

    name = "list"
    run: RunningCrawl
    files: LinkedFiles
    argument_model: ClassVar[type[ListArguments]] = ListArguments
    always_reads_prices = False
    # The stores know which entries are settled.
    discards_frontier = True
    keeps_files = True
    custom_settings: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "SCHEDULER": "focuscrawl.scheduling.frontier_scheduler.FrontierScheduler",
        # Some sites keep a session in their URLs; servers do not read longer ones.
        "URLLENGTH_LIMIT": 16_384,
    }

    def __init__(
        self, arguments: ListArguments, profile: SiteProfile, topic: TopicFilter | None = None
    ) -> None:
        super().__init__()
        self.arguments = arguments
        self.topic_filter = topic
        # Scores the links of all pages: see LinkScoringMiddleware.
        self.link_scorer = topic.scorer if topic else None
        self.profile = profile
        self.renders = bool(profile.render)
        self.read_kinds = kinds_to_read(profile.article.attachments)
        self.reads_prices = self.always_reads_prices or profile.reader == "prices"
        self.crawl_name = f"{self.name}-{profile.name}"
        self._topic_key = f"off topic {self.crawl_name} {topic.key if topic else ''}"
        self._foreign_key = f"foreign pages {profile.name}"
        self._unlisted_key = f"unlisted {self.crawl_name}"
        self.named_urls = [arguments.start_url] if arguments.start_url else profile.start_urls
        self.title = TitleFilter(arguments.title)
        self.walks: dict[str, ListWalk] = {}
        self._visits = FeedVisits(arguments.since, arguments.until)
        self._forms = FormPages(profile)
        self._requested: set[str] = set()
        self._unlisted: set[str] = set()
        self._unstored: set[str] = set()
        self._checked: set[str] = set()
        self._reported: set[str] = set()
        self._lost: list[ArticleDraft] = []
        self._outstanding = self._bodies = self._unread = self._failed = 0
        self._bodiless = self._new = self._textless = self._undated = 0
        self._no_body: ProfileError | None = None
        self._checks = ArticleChecks(profile.article)
        self._foreign = ForeignPages(None, date.today())

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider; raises ArgumentError or ProfileError before any request."""
        if "site" not in kwargs and cls.argument_model.model_fields["site"].is_required():
            raise ArgumentError(
                f"spider {cls.name!r} needs -a site=PROFILE: {', '.join(profile_names())}, or the path of "
                "your own, which `scrapy newsite URL` writes"
            )
        arguments = parse_arguments(cls.argument_model, kwargs, cls.name)
        profile = load_profile(arguments.site)
        if crawler.settings.get(_CONFIDENCE) in (None, "") and profile.price_confidence is not None:
            crawler.settings.set(_CONFIDENCE, profile.price_confidence, priority="spider")
        use_session(crawler, profile)
        if profile.render and not crawler.settings["FOCUSCRAWL_REPLAY"]:
            require_browser(crawler.settings["FOCUSCRAWL_CHROMIUM"])
        spider = cls(arguments, profile, TopicFilter.of(arguments, crawler.settings))
        spider._set_crawler(crawler)
        spider.run = RunningCrawl.of(crawler)
        spider.files = LinkedFiles(crawler, profile.article.attachments)
        return spider

    async def start(self) -> AsyncIterator[Request | Article]:
        """Request first what earlier runs left incomplete, then the newest list page."""
        archive = self.run.archive
        await self._audit()
        if self.topic_filter:
            state = await archive.get_state(self._topic_key)
            self.topic_filter.off_topic.update(state["articles"] if state else ())
        for known in await archive.unfinished(self.profile.name):
            is_off = self.topic_filter and code_of(known) in self.topic_filter.off_topic
            if self.title.matches(known.title) and not (known.is_complete or is_off):
                yield self._first_page(known)
        alive = await archive.get_state(self._unlisted_key)
        self._unlisted = set(alive["alive"]) if alive else set()
        for url in self.named_urls:
            self.walks[url] = await self._new_walk(url)
        # After all walks are known, since the end of one list depends on whether all have ended.
        for url, walk in self.walks.items():
            yield self._list_page(walk.start(url), url)

    async def _new_walk(self, url: str) -> ListWalk:
        # Not in from_crawler: the add-on with the default is loaded after that.
        whole_days = self.run.number(_WHOLE_DAYS, least=0)
        state = await self.run.archive.get_state(self._coverage_key(url))
        arguments, coverage = self.arguments, Coverage.from_json(state)
        whole = coverage.whole if coverage else None
        # In both directions, since a clock may have been ahead.
        is_due = bool(whole and 0 < whole_days <= abs((date.today() - whole).days))
        walk = ListWalk(
            self.title,
            arguments.since,
            arguments.until,
            arguments.max_pages,
            coverage,
            self.reads_prices,
            frozenset(state.get("doubts", ()) if state else ()),
            is_due or arguments.refresh == "all",
            has_next_rule(self.profile),
            state.get("shown", {}) if state else {},
            self.walks,
        )
        if not arguments.refresh:
            self._visits.remember(url, state, walk)
        return walk

    async def parse_list(
        self, response: Response, start_url: str, address: str = ""
    ) -> AsyncIterator[Request | Article]:
        """Request the entries that are not settled, and the next list page.

        ``address`` is that of a page that a form has led to.
        """
        async for result in self._on_list(response, start_url, address):
            yield result
        async for result in self._after_list():
            yield result

    async def _on_list(
        self, response: Response, start_url: str, address: str
    ) -> AsyncIterator[Request | Article]:
        walk = self.walks[start_url]
        if response.status == 304:
            self._count_unread(start_url)
            walk.end_unread()
            return
        try:
            page = await read_list_page(
                response,
                self.profile,
                date.today(),
                self._forms,
                address,
                is_part=start_url in self._visits.sitemaps,
            )
        except ProfileError as error:
            if step := self._unread_list(response, start_url, address, error):
                yield self._list_page(step, start_url)
            return
        is_first = not walk.pages
        if isinstance(page, FeedPage):
            self._report(feed_problems(page, response.url))
            if page.sitemaps:
                for request in await self._open_sitemaps(page, start_url):
                    yield request
                return
            self._visits.note(start_url, response, page)
            if page.other:
                self.run.drop("list.feed", f"{page.other} links of {response.url}", page.other)
        elif is_first:
            if few := redesigned(response, self.profile, walk.coverage, len(page.entries)):
                self.run.mark_incomplete(few)
            starts, most = self.named_urls, self.arguments.max_pages
            problems = list_page_problems(response, self.profile, date.today(), starts, most)
            self._report(problems)
        archive = self.run.archive
        known = await archive.known(page.url_md5s)
        page = page.as_stored(known)
        if page.unlinked and walk.kind == "page":
            self._count_unlinked(page, response.url)
        walk.visited.update(response.meta.get("redirect_urls", ()))
        scores = self._scores(page, response, walk)
        choice = walk.read(page, address or response.url, known)
        new = [entry for entry in choice.fetch if entry.url_md5 not in known]
        self._new += len(new)
        if is_first and walk.coverage and len(new) > choice.unchanged:
            since = min((one.published for one in new if one.published), default=None)
            stored = await archive.listed_since(self.profile.name, since)
            changed = list(changed_addresses(new, stored))
            walk.has_other_addresses |= bool(changed)
            self._report(changed)
        for reason, count in choice.dropped.items():
            self.run.drop(reason, f"{count} entries of {response.url}", count)
        self.crawler.stats.inc_value("focuscrawl/articles/unchanged", choice.unchanged)
        self._report(end_problems(response, self.profile, walk))
        if choice.next:
            yield self._list_page(choice.next, start_url)
        for entry in choice.fetch:
            held = known.get(entry.url_md5)
            # What earlier runs left incomplete was requested with its title of that time.
            if entry.url_md5 not in self._requested or (held and entry.is_stored_otherwise(held)):
                yield self._first_page(entry, round(scores.get(entry.url_md5, 0.0) * _BEST))

    async def _open_sitemaps(self, page: FeedPage, start_url: str) -> list[Request]:
        """Request the sitemaps of an index that may have something new, the newest first."""
        self.walks[start_url].end_unread()
        most = self.arguments.max_pages or MOST_SITEMAPS
        found = [one for one in dict.fromkeys(page.sitemaps) if one.url not in self.walks]
        found.sort(key=lambda one: one.changed or date.min, reverse=True)
        opened, steps = self._visits.sitemaps, []
        for number, sitemap in enumerate(found):
            if len(opened) >= most:
                if self.arguments.max_pages is None:
                    sentence = (
                        f"{start_url} lists {len(found) - number} sitemaps more than the {most}"
                    )
                    self.run.mark_incomplete(f"{sentence} that a run requests; give their URLs")
                break
            walk = await self._new_walk(sitemap.url)
            if self._visits.has_nothing(sitemap, walk):
                self._count_unread(sitemap.url)
                continue
            opened.add(sitemap.url)
            self.walks[sitemap.url] = walk
            steps.append((walk.start(sitemap.url), sitemap.url))
        # After all walks are known, as at the start.
        return [self._list_page(*step) for step in steps]

    def _count_unread(self, url: str) -> None:
        unchanged = self._visits.unchanged(url)
        self.crawler.stats.inc_value("focuscrawl/articles/unchanged", unchanged)
        self.logger.info("%s has not changed", url)

    def _scores(self, page: ListPage, response: Response, walk: ListWalk) -> dict[str, float]:
        """Return the scores of the entries for the topic; note those that are not worth a request."""
        if self.topic_filter is None:
            return {}
        scores = self.topic_filter.scores(page.entries, response.meta.get("links", ()))
        walk.refused |= self.topic_filter.refused(page.entries, scores)
        return scores

    def _unread_list(
        self, response: Response, start_url: str, address: str, error: ProfileError
    ) -> ListStep | None:
        """Return the step behind a page on which the profile selects no entry, None without one."""
        walk = self.walks[start_url]
        is_sent_home = bool(sent_home_from(response))
        behind = "" if is_sent_home else list_behind(response, self.profile, self._forms, address)
        if start_url in self._visits.sitemaps:
            self.run.mark_incomplete(str(error))
            return None
        if not (walk.pages or behind or is_sent_home):
            missing = redesigned(response, self.profile, walk.coverage, 0)
            error = ProfileError(missing) if missing else error
            if len(self.walks) == 1:
                self.run.fail(error)
            elif not self.run.remember(error):
                # The other lists may still have articles.
                self.run.note(str(error))
            return None
        is_own = links_to(response, walk.visited)
        url, said = address or response.url, str(error)
        return walk.fail("no entries" if is_own or behind else "foreign", url, said, behind)

    async def parse_article(
        self, response: Response, begun: dict[str, Any]
    ) -> AsyncIterator[Request | Article | GoneArticle]:
        """Append the page to its article, and yield the article when it is complete."""
        draft = ArticleDraft.from_json(begun)
        if (kind := file_kind(response)) and not draft.page_urls:
            if article := await self._of_file(response, draft, kind):
                yield article
            return
        if draft.page_urls and await self._is_another(response.url, draft):
            self._checks.failed["next"] += 1
            yield self._finished(draft)
            return
        root, page, answer = None, None, self._answer(response, draft, "")
        attached: list[list[str]] = []
        try:
            root, encoding = page_tree(response)
            is_titled = shows_title(root, response.url, draft.title)
            shown = "" if draft.title else page_title(root)
            # Before elements are removed, which may include the links.
            further = self._further_page(root, response, draft)
            if self.profile.article.attachments != "ignore":
                # Imported here: few profiles need it.
                from focuscrawl.articles.article_page import attached_files

                attached = attached_files(root, response.url, self.profile, encoding)
            page = read_article_page(root, response.url, self.profile, date.today(), encoding)
            page = replace(page, title=page.title or shown)
            answer = self._answer(response, draft, page.text, is_titled=is_titled)
            # What stood in the files is no loss of the page.
            if not attached:
                await self._compare(response, answer, page.text)
        except ProfileError as error:
            self._no_body = error
            self.logger.info("%s", error)
        may_show = root is not None and not draft.page_urls and not answer.sent
        shows_only = may_show and not attached and lacks_text(page.text if page else "")
        if shows_only and (kind := shown_file(root)):
            self.crawler.stats.inc_value(f"focuscrawl/files/{kind}")
            yield self._finished(draft, response.url, [kind, "", TRIED])
            return
        if (page or answer.sent) and self._foreign.add(answer):
            verdict = await self._verdict(answer, page)
            if page is None or verdict != "believed":
                yield self._given_up(response, draft, answer, verdict)
                return
        is_away = page is not None and _is_away(page, root, draft, answer, response.url)
        self._checks.failed["next"] += is_away
        if page is None or is_away or (draft.whole_url and not answer.is_titled):
            self._failed += bool(draft.page_urls)
            self._bodiless += not draft.page_urls
            yield self._finished(draft, missing=draft.whole_url or response.url)
            return
        self._bodies += 1
        self.crawler.stats.inc_value("focuscrawl/pages/relevant")
        leads_away = await self._is_another(page.next_url, draft)
        is_first = not draft.page_urls
        if not answer.reason:
            self._checks.add(draft.title, page, leads_away=leads_away, is_first=is_first)
        draft.asked_urls += response.meta.get("redirect_urls", ())
        mode = self.profile.article.attachments
        validators = validators_of(response)
        marked = [*validators, mode] if any(validators) and mode != "ignore" else validators
        is_more = draft.add(page, response.url, marked)
        draft.is_titled |= is_first and bool(answer.is_titled)
        draft.attachments += [one for one in attached if one not in draft.attachments]
        next_url = "" if leads_away else draft.goes_on_at(page)
        next_url = next_url or (further[0] if is_more else "")
        draft.whole_url = next_url if further == (next_url, True) else ""
        yield self._going_on(draft, next_url)

    def _going_on(self, draft: ArticleDraft, next_url: str) -> Request | Article:
        if not next_url and draft.attachments:
            return self._attachment(draft)
        if not next_url:
            return self._finished(draft)
        if len(draft.page_urls) < self.profile.article.max_pages:
            return self._article_page(next_url, draft)
        sentence = f"{draft.url} has more pages than article.max_pages of the profile"
        self.run.mark_incomplete(sentence)
        return self._finished(draft, missing=next_url)

    async def _of_file(self, response: Response, draft: ArticleDraft, kind: str) -> Article | None:
        """Return an article that is a file: with its text, or as a link if it has none."""
        if (read := await self.files.read(response)) is None:
            return None
        found, digest = read
        if found.text:
            # What was read in part is to be read again, whatever the server says.
            validators = ["", ""] if found.is_cut else validators_of(response)
            draft.add(ArticlePage("", found.text, None, ""), response.url, validators)
        is_tried = found.lacks != [NOT_INSTALLED]
        file = [kind, digest, *([TRIED] if is_tried else [])]
        return self._finished(draft, "" if found.text else response.url, file)

    def _attachment(self, draft: ArticleDraft) -> Request:
        if len(draft.attachments) > _MOST_ATTACHMENTS:
            sentence = f"{draft.url} has over {_MOST_ATTACHMENTS} attachments; the first are read"
            self.run.mark_incomplete(sentence)
            draft.attachments = draft.attachments[:_MOST_ATTACHMENTS]
        url, name = draft.attachments.pop(0)
        return Request(
            url,
            self.parse_attachment,
            errback=self.failed_attachment,
            cb_kwargs={"begun": draft.to_json(), "name": name},
            priority=_CONTINUATION_PRIORITY,
            dont_filter=True,
        )

    async def parse_attachment(
        self, response: Response, begun: dict[str, Any], name: str
    ) -> AsyncIterator[Request | Article]:
        """Append the text of a file to its article, below a line with its name."""
        draft = ArticleDraft.from_json(begun)
        if not file_kind(response):
            self.run.page_failed("attachment is no file", response.url)
        elif (read := await self.files.read(response)) is None:
            return
        else:
            found, digest = read
            if found.lacks == [NOT_INSTALLED]:
                yield self._finished(draft, missing=response.url)
                return
            validators = ["", ""] if found.is_cut else validators_of(response)
            text = f"附件：{name}\n{found.text}" if found.text else ""
            draft.attach(text, response.url, [*validators, *([digest] if digest else [])])
        yield self._going_on(draft, "")

    async def failed_attachment(self, failure: Failure) -> AsyncIterator[Request | Article]:
        """Leave out a file that does not exist or must not be fetched; otherwise the article is incomplete."""
        request = request_of(failure)
        draft = ArticleDraft.from_json(request.cb_kwargs["begun"])
        self.run.page_failed(reason_of(failure), request.url)
        is_lost = status_of(failure) in _NOT_FOUND or is_forbidden(failure) or is_refused(failure)
        if is_lost:
            yield self._going_on(draft, "")
        else:
            self._failed += 1
            yield self._finished(draft, missing=request.url)

    def _further_page(self, root: Any, response: Response, draft: ArticleDraft) -> tuple[str, bool]:
        by_rule = next_url(self.profile.article.next, root, response.url)
        if by_rule and by_rule not in draft.seen():
            return "", False
        first = draft.page_urls[0] if draft.page_urls else response.url
        further = further_page(root, response.url, first, draft.seen())
        is_another = draft.whole_url or check_code(further[0]) in self._requested
        return ("", False) if is_another else further

    async def _is_another(self, url: str, draft: ArticleDraft) -> bool:
        """Return whether a page is another article, that is one of a list or of the stores."""
        code = check_code(url)
        if not url or url in draft.seen():
            return False
        return self._is_listed(code) or code in await self.run.archive.held([code])

    def _is_listed(self, code: str) -> bool:
        listed = any(code in walk.listed for walk in self.walks.values())
        return listed or code in self._requested

    async def _compare(self, response: Response, answer: PageAnswer, text: str) -> None:
        """Compare a text in which something may be missing with the one that is stored."""
        body = response.body
        is_closed = b"</html" in body[-_TAIL:].lower() or b"</html" in body.lower()
        if answer.is_first and not (text and answer.is_titled and is_closed and not answer.said):
            code = check_code(answer.url)
            kept = (await self.run.archive.texts_of([code])).get(code)
            # The first of several pages has only a part of the text.
            if kept and (len(kept.page_urls) == 1 or not text):
                answer.replaces(kept.text, text, is_closed=is_closed)

    def _answer(
        self, response: Response, draft: ArticleDraft, text: str, *, is_titled: bool = False
    ) -> PageAnswer:
        answer = PageAnswer.of(draft.url, draft.title, draft.published, text, is_titled=is_titled)
        answer.is_first = not draft.page_urls
        if "redirect_urls" in response.meta and response.url not in draft.page_urls:
            url = response.url
            is_list = url in self.walks or any(url in one.visited for one in self.walks.values())
            is_other = self._is_listed(check_code(url))
            asked = response.meta["redirect_urls"][0]
            answer.redirected(asked, url, is_list=is_list, is_other=is_other)
        return answer

    async def _verdict(self, answer: PageAnswer, page: ArticlePage | None) -> Outcome:
        known = await self._known(check_code(answer.url))
        holds_other = known is not None and bool(known.page_urls)
        if known and page:
            holds_other &= known.content_md5 != content_md5(known.title, page.text)
        return self._foreign.outcome(answer, holds_other=holds_other)

    def _given_up(
        self, response: Response, draft: ArticleDraft, answer: PageAnswer, verdict: Outcome
    ) -> Article | GoneArticle:
        """Return an article whose page is none: incomplete, without the text of that page."""
        self.run.page_failed(answer.reason, response.url)
        if verdict == "gone":
            self._outstanding -= 1
            return _gone(draft)
        # Counted by its reason instead.
        self._unread -= not draft.page_urls
        asked = response.meta.get("redirect_urls") or [response.url]
        return self._finished(draft, missing=asked[0])

    async def failed_article(
        self, failure: Failure
    ) -> AsyncIterator[Request | Article | GoneArticle]:
        """Yield an article of which a page failed; the next run completes it."""
        request = request_of(failure)
        draft = ArticleDraft.from_json(request.cb_kwargs["begun"])
        url, status = request.url, status_of(failure)
        is_first_page = not draft.page_urls and not request.cb_kwargs.get("index")
        if is_first_page and (is_forbidden(failure) or is_refused(failure)):
            self._outstanding -= 1
            self._unstored.add(check_code(draft.url))
            if is_forbidden(failure):
                self._unread += 1
                self.run.drop("robots.txt", url)
        elif is_first_page and status in _NOT_FOUND:
            self._outstanding -= 1
            code, gone = check_code(draft.url), _gone(draft)
            held, known = await self.run.archive.held([code]), await self._known(code)
            if not held.get(code):
                self.run.page_failed(reason_of(failure), url)
                # Not again each day: some lists never lose their dead links.
                self._unread += code not in held
                gone = replace(gone, title=draft.title, published=draft.published)
            elif known and known.is_complete and not known.is_gone and code not in self._checked:
                # It depends on the others, unless the run before had to leave that open.
                self._lost.append(draft)
                return
            yield gone
        elif request.cb_kwargs.get("index"):
            # Only a continuation page is missing: the article has changed, but still exists.
            yield self._article_page(draft.url, draft)
        else:
            self.run.page_failed(reason_of(failure), url)
            # The next run would get the same response.
            self._failed += status not in _NOT_FOUND and not is_refused(failure)
            yield self._finished(draft, missing=url)

    async def parse_refresh(
        self, response: Response, begun: dict[str, Any], pages: list[list[str]], index: int
    ) -> AsyncIterator[Request | Article | GoneArticle]:
        """Request the pages of a known article as long as the response is 304 Not Modified."""
        draft = ArticleDraft.from_json(begun)
        if response.status == 304:
            if index + 1 < len(pages):
                yield self._refresh(draft, pages, index + 1)
                return
            self._outstanding -= 1
            code = check_code(draft.url)
            if self.topic_filter and (kept := await self.run.archive.texts_of([code])):
                # Judged by the text that is stored.
                yield kept[code]
            else:
                self.crawler.stats.inc_value("focuscrawl/articles/unchanged")
            return
        if index == 0:
            async for result in self.parse_article(response, begun):
                yield result
        else:
            yield self._article_page(draft.url, draft)

    async def failed_list(self, failure: Failure) -> AsyncIterator[Request | Article]:
        """Go on behind a page that does not exist; without any other page the run is incomplete."""
        asked = request_of(failure).cb_kwargs
        start_url = asked["start_url"]
        walk, url = self.walks[start_url], asked.get("address") or request_of(failure).url
        is_missing = status_of(failure) in _NOT_FOUND
        if walk.kind in ("probe", "look") or (is_missing and walk.pages):
            sentence = f"list page {url} does not exist ({reason_of(failure)})"
            if step := walk.fail("missing" if is_missing else "failed", url, sentence):
                yield self._list_page(step, start_url)
            async for result in self._after_list():
                yield result
            return
        self.run.page_failed(reason_of(failure), url)
        sentence = list_failure(failure)
        is_final = is_forbidden(failure) or is_refused(failure)
        if start_url in self._visits.sitemaps:
            self.run.mark_incomplete(sentence)
        elif is_final or not any(walk.pages for walk in self.walks.values()):
            self.run.remember(FocuscrawlError(sentence))
        else:
            self.run.mark_incomplete(sentence)

    def final_states(self) -> dict[str, dict[str, Any]]:
        """Return the coverage of each list that was walked completely, once every article is finished."""
        if not self.walks:
            # Ended before its start: the states of earlier runs were not read.
            return {}
        judged = {}
        if topic := self.topic_filter:
            for url in self._foreign.found:
                topic.forget(url)
            judged = {self._topic_key: {"articles": sorted(topic.off_topic)}}
        if self._outstanding:
            return judged
        found = {url: walk.state(date.today(), self._unstored) for url, walk in self.walks.items()}
        states = {
            self._coverage_key(url): state | self._visits.state(url, self.walks[url])
            for url, state in found.items()
            if state
        }
        states |= judged | {self._foreign_key: self._foreign.to_json()}
        if self._checked:
            states[self._unlisted_key] = {"alive": sorted(self._unlisted | self._checked)}
        return states

    def final_records(self) -> list[Article | GoneArticle]:
        """Return the articles of which only the whole run tells that they are incomplete or gone."""
        late = map(self._incomplete, self._foreign.late.values())
        if not self._has_lost_most:
            return [*map(_gone, self._lost), *late]
        return [*(one.finish(datetime.now(UTC), one.url) for one in self._lost), *late]

    @property
    def _has_lost_most(self) -> bool:
        asked_again = len(self._requested - self._checked) - self._new
        return len(self._lost) > max(_MOST_LOST, asked_again / 2)

    def closed(self, reason: str) -> None:
        """Report incomplete articles, and as an error a profile that never found a body."""
        count = len(self._requested)
        if self._failed:
            sentence = (
                f"{self._failed} of {count} articles are incomplete; run again to complete them"
            )
            self.run.mark_incomplete(sentence)
        elif self._bodiless or 2 * self._unread > count:
            self.run.mark_incomplete(f"{self._unread} of {count} entries gave no article")
        if sentence := self._foreign.sentence(count):
            self.run.mark_incomplete(sentence)
        if self._has_lost_most:
            sentence = f"{len(self._lost)} stored articles answer 404, most of those requested"
            self.run.mark_incomplete(f"{sentence}; the next run believes it")
        if self._textless:
            what = "articles have no text: pictures, a viewer or a script"
            self.run.note(f"{self._textless} {what}")
        if self._undated == count >= _FEWEST_DATED:
            self.run.note("no article has a date; give list.date or article.date in the profile")
        self.files.report()
        if said := self._foreign.note():
            self.run.note(said)
        if self.topic_filter and (doubt := self.topic_filter.doubt):
            self.run.note(doubt)
        self._report(self._checks.problems())
        # Not before all lists are read: one may have what another has lost.
        for walk in self.walks.values():
            if walk.has_ended:
                self._explain_end(walk)
        has_worked_before = any(walk.coverage for walk in self.walks.values())
        if self._no_body and not self._bodies and not has_worked_before:
            self.run.remember(self._no_body)

    async def _audit(self) -> None:
        """Mark those of the stored articles incomplete whose texts are no articles."""
        archive = self.run.archive
        self._foreign = ForeignPages(await archive.get_state(self._foreign_key), date.today())
        if not self._foreign.needs_audit:
            return
        stored = [
            PageAnswer.of(one.url, one.title, one.published, one.text)
            async for one in archive.complete(self.profile.name)
        ]
        if found := self._foreign.audit(stored):
            for answer in found:
                await archive.write(self._incomplete(answer), is_last=answer is found[-1])
            sentence = f"{len(found)} stored articles look like none; they are requested again"
            self.run.note(sentence)

    def _incomplete(self, answer: PageAnswer) -> Article:
        draft = ArticleDraft(answer.url, self.profile.name, answer.title, "", answer.published)
        return draft.finish(datetime.now(UTC), answer.url)

    async def _after_list(self) -> AsyncIterator[Request | Article]:
        """Request known articles again, in the refresh window or no longer listed, once all lists have ended."""
        walks = self.walks.values()
        if not all(one.has_ended for one in walks):
            return
        refresh, refresh_since = self.arguments.refresh, date.max
        if refresh:
            refresh_since = date.min if refresh == "all" else date.today() - timedelta(days=refresh)
        since = min([refresh_since, *(one.oldest for one in walks if one.oldest)])
        archive = self.run.archive
        for known in await archive.listed_since(
            self.profile.name, None if since == date.min else since
        ):
            if known.url_md5 in self._requested or not self.title.matches(known.title):
                continue
            if any(known.url_md5 in one.refused for one in walks):
                continue
            if (known.published or date.min) < refresh_since:
                if len(self._checked) == _MOST_VANISHED or not self._is_dropped(known):
                    continue
                self._checked.add(known.url_md5)
            listed = [one.listed[known.url_md5] for one in walks if known.url_md5 in one.listed]
            # Counted by its answer instead.
            self.crawler.stats.inc_value("focuscrawl/articles/unchanged", -len(listed))
            is_in_feed = bool(listed) and self._whole(listed[0]) is not None
            if is_in_feed or (listed and all(one.is_stored_otherwise(known) for one in listed)):
                yield self._first_page(listed[0])
                continue
            self._begin(known.url)
            draft = ArticleDraft.of(known, self.profile.name)
            is_lacking = lacks_files(known, self.profile.article.attachments)
            yield self._refresh(draft, pages_with_validators(known, is_whole=is_lacking), 0)

    def _is_dropped(self, known: KnownArticle) -> bool:
        # Requested only once, since it may still exist. Other lists of the site may not have it at all.
        is_own_list = self.arguments.start_url is None and known.url_md5 not in self._unlisted
        return is_own_list and all(walk.misses(known) for walk in self.walks.values())

    async def _known(self, code: str) -> KnownArticle | None:
        return (await self.run.archive.known([code])).get(code)

    def _coverage_key(self, url: str) -> str:
        # Includes the rules: after a correction of the profile, the whole list is walked again.
        what = f"{url} {self.title} {self.profile.list.model_dump_json()}"
        # Once prices are to be read, the whole list is walked again for the articles without.
        what += "" if self.reads_prices else " without prices"
        what += f" {self.topic_filter.key}" if self.topic_filter else ""
        return f"coverage {self.crawl_name} {check_code(what)}"

    def _begin(self, url: str) -> None:
        self._requested.add(check_code(url))
        self._outstanding += 1

    def _first_page(self, source: ListEntry | KnownArticle, priority: int = 0) -> Request | Article:
        """Return the request for the first page of an article, or the article that a feed has whole."""
        self._begin(source.url)
        draft = ArticleDraft.of(source, self.profile.name)
        if not (page := self._whole(source)):
            return self._article_page(source.url, draft, priority)
        self._bodies += 1
        self.crawler.stats.inc_value("focuscrawl/pages/relevant")
        self._checks.add(draft.title, page, leads_away=False)
        draft.add(page, source.url, ["", ""])
        return self._finished(draft)

    def _whole(self, source: ListEntry | KnownArticle) -> ArticlePage | None:
        if self.profile.article.feed and isinstance(source, ListEntry):
            return feed_article(source)
        return None

    def _drawn(self, part: str) -> dict[str, Any]:
        """Return the meta data of a request, by which a browser draws the page if the profile says so."""
        return {"render": part} if self.profile.renders(part) else {}

    def _list_page(self, step: ListStep, start_url: str) -> Request:
        is_first = step == (start_url, "page")
        headers = self._visits.headers(start_url) if is_first else {}
        request = self._forms.request(step.url)
        address = {"address": step.url} if self._forms.has(step.url) else {}
        request.headers.update(headers or (_NO_CACHE if step.kind != "page" else {}))
        return request.replace(
            callback=self.parse_list,
            errback=self.failed_list,
            cb_kwargs={"start_url": start_url, **address},
            meta={
                **request.meta,
                **self._drawn("list"),
                **({"handle_httpstatus_list": [304]} if headers else {}),
            },
            priority=_LIST_PRIORITY,
            dont_filter=True,
        )

    def _article_page(
        self, url: str, draft: ArticleDraft, priority: int = _CONTINUATION_PRIORITY
    ) -> Request:
        return Request(
            url,
            self.parse_article,
            errback=self.failed_article,
            cb_kwargs={"begun": draft.to_json()},
            meta=self._drawn("article"),
            priority=priority,
            dont_filter=True,
        )

    def _refresh(self, draft: ArticleDraft, pages: list[list[str]], index: int) -> Request:
        url, etag, modified = pages[index]
        request = self._article_page(url, draft, 0)
        request.headers.update(conditions(etag, modified))
        request.meta["handle_httpstatus_list"] = [304]
        given = {**request.cb_kwargs, "pages": pages, "index": index}
        return request.replace(callback=self.parse_refresh, cb_kwargs=given)

    def _finished(
        self, draft: ArticleDraft, missing: str = "", file: Sequence[str] = ()
    ) -> Article:
        self._outstanding -= 1
        self._unread += not draft.page_urls and not file
        article = draft.finish(datetime.now(UTC), missing)
        self._textless += not missing and lacks_text(article.text)
        self._undated += article.published is None and not lacks_text(article.text)
        if file:
            article.validators[FILE] = [*file]
        if not self.reads_prices:
            article.quotes = None
        return article

    def _report(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            if problem.sentence not in self._reported:
                self._reported.add(problem.sentence)
                report = self.run.mark_incomplete if problem.loses_articles else self.run.note
                advice = f"see `scrapy trysite {self.arguments.site}`"
                report(f"{problem.sentence}; {advice}")

    def _count_unlinked(self, page: ListPage, url: str) -> None:
        count = len(page.entries) + page.unlinked
        self.run.drop("no link", f"{page.unlinked} entries of {url}", page.unlinked)
        sentence = f"{page.unlinked} of {count} entries on {url} have no link that can be followed"
        remedy = "" if isinstance(page, FeedPage) else "; correct list.link"
        self._report([Problem(f"{sentence}{remedy}", loses_articles=True)])

    def _explain_end(self, walk: ListWalk) -> None:
        if walk.trouble:
            self.run.mark_incomplete(f"{walk.trouble}; later list pages are not known")
        for doubt in walk.doubts:
            self.run.mark_incomplete(doubt)
        for doubt in walk.believed_doubts:
            self.run.note(f"{doubt}, as in the run before; taken as it is")
        if walk.late:
            self.crawler.stats.inc_value("focuscrawl/articles/found_late", walk.late)
            self.run.note(f"{walk.late} articles found late: earlier runs have missed them")
        if walk.oldest_first:
            self.run.note(
                f"the list has its oldest entry first, so each run reads all of its {walk.pages} pages; "
                "give the URL of a list with the newest first, if the site has one",
            )
        if walk.pages and not walk.wanted and str(self.title):
            self.run.note(f"no title on {walk.pages} list page(s) matched title={self.title}")
        elif not walk.wanted and walk.refused and self.topic_filter:
            self.run.note(self.topic_filter.why_nothing)


def _gone(draft: ArticleDraft) -> GoneArticle:
    return GoneArticle(url=draft.url, site=draft.site, gone_at=datetime.now(UTC))


def _is_away(
    page: ArticlePage, root: Any, draft: ArticleDraft, answer: PageAnswer, url: str
) -> bool:
    """Return whether a further page, at no address of one, has a heading but not the title of the first."""
    if answer.is_titled or draft.whole_url or not draft.is_titled:
        return False
    is_further = any(continues(one, url) for one in draft.seen())
    return not is_further and bool(page.title or root.xpath("string(//h1)").strip())
