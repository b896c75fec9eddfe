"""List pages as responses: HTML, JSON, a feed or a sitemap, as the profile says."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from typing import Any
from urllib.parse import urldefrag

from scrapy import Request
from scrapy.http import Response, TextResponse
from scrapy.utils.gz import gunzip, gzip_magic_number
from twisted.python.failure import Failure

from focuscrawl.crawling.fetched_page import conditions, page_tree, validators_of
from focuscrawl.errors import PageLimitError, ProfileError
from focuscrawl.middlewares.site_session import posted
from focuscrawl.network.failure_names import remedy
from focuscrawl.scheduling.request_errback import is_forbidden, is_refused, reason_of, request_of
from focuscrawl.sites.feed_list import LONG_FEED, FeedPage, Sitemap, feed_kind, read_feed
from focuscrawl.sites.foreign_pages import is_home
from focuscrawl.sites.json_list import looks_like_json, more_entries, parse_json, read_json_list
from focuscrawl.sites.list_coverage import Coverage
from focuscrawl.sites.list_walk import ListWalk
from focuscrawl.sites.page_forms import (
    FilledForm,
    counted_number,
    filled_again,
    form_of,
    is_posted,
    next_form,
)
from focuscrawl.sites.page_reading import ListPage, absolute_url, base_url, next_url, read_list
from focuscrawl.sites.profile_checks import (
    Problem,
    json_list_problems,
    list_problems,
    missed_next,
    redesign,
)
from focuscrawl.sites.site_profile import (
    FeedListRules,
    FormPager,
    JsonListRules,
    ListRules,
    SiteProfile,
)
from focuscrawl.system.worker_pool import read_in_worker
from focuscrawl.text.file_kinds import kind_of_file
from focuscrawl.text.page_charset import detect

# A list with as many entries on its first page probably has a second one.
_FULL = 10
# As much as Scrapy unpacks by default: more than a whole sitemap may have by its protocol, 50 MB.
_MOST_UNPACKED = 64 << 20


# A form may have a state of 100 KB.
_REMEMBERED = 100


class FormPages:
    """The list pages of a crawl by their addresses, which a walk takes for URLs.

    The request for a page has the whole form, with the state of the page before. An address of an
    earlier run is requested by the form of the first page of its list.
    """

    def __init__(self, profile: SiteProfile) -> None:
        following = profile.list.next if isinstance(profile.list, ListRules) else None
        self._pager = following if isinstance(following, FormPager) else None
        self._forms: OrderedDict[str, FilledForm] = OrderedDict()
        self._first: dict[str, tuple[Any, str, str]] = {}
        self._by_get: set[str] = set()

    def next_address(self, root: Any, url: str, encoding: str, address: str = "") -> str:
        """Return the address of the page behind that of ``url``, ``""`` if its form leads nowhere."""
        if self._pager is None:
            return ""
        form = next_form(self._pager, root, url, encoding, address or url)
        if form is None:
            return ""
        if form.method == "POST":
            self._forms[form.address] = form
            if len(self._forms) > _REMEMBERED:
                self._forms.popitem(last=False)
            if not is_posted(address):
                self._first[form.url] = root, url, encoding
        else:
            self._by_get.add(form.address)
        return form.address

    def has(self, address: str) -> bool:
        """Return whether an address is that of a page that the form leads to."""
        return is_posted(address) or address in self._by_get

    def request(self, address: str) -> Request:
        """Return the request for the page at an address."""
        if not is_posted(address):
            return Request(address)
        url = urldefrag(address).url
        form = self._forms.get(address)
        if form is None and self._pager and url in self._first:
            form = filled_again(self._pager, *self._first[url], address)
        return posted(form) if form else Request(url)


def list_page(
    response: Response,
    profile: SiteProfile,
    today: date,
    forms: FormPages | None = None,
    address: str = "",
    *,
    is_part: bool = False,
) -> ListPage:
    """Read a list page; raises ProfileError if the profile selects nothing on it, or it is the home page.

    ``address`` is that of a page that a form has led to. A sitemap that ``is_part`` of an index may have
    other links only.
    """
    if asked := sent_home_from(response):
        raise ProfileError(
            f"the list page {asked} redirects to the home page {response.url}; if the list is there now,"
            " give that URL"
        )
    rules, ignored = profile.list, profile.ignore_parameters
    if isinstance(rules, FeedListRules):
        feed = read_feed(feed_text(response), response.url, rules, today, ignored)
        if feed.other and not feed.entries and not is_part:
            raise ProfileError(
                f"site profile {profile.name}: list.feed ({rules.feed}) selects none of the {feed.other} "
                f"links of {response.url}; correct the profile, or give another URL"
            )
        return feed
    if isinstance(rules, JsonListRules):
        data = json_content(response)
        return read_json_list(data, response.url, profile.name, rules.rules, today, ignored)
    root, encoding = page_tree(response)
    pager = rules.next
    if not (forms and isinstance(pager, FormPager)):
        return read_list(root, response.url, profile, today, encoding)
    try:
        page = read_list(root, response.url, profile, today, encoding)
    except ProfileError:
        # Behind the last page, one is counted to that has the form, but no entry.
        if (
            counted_number(pager, address or response.url) > 1
            and form_of(pager.form, root) is not None
        ):
            return ListPage([], "", is_counted=True)
        raise
    following = forms.next_address(root, response.url, encoding, address)
    return replace(page, next_url=following, is_counted=pager.counts_pages)


async def read_list_page(
    response: Response,
    profile: SiteProfile,
    today: date,
    forms: FormPages,
    address: str,
    *,
    is_part: bool,
) -> ListPage:
    """Read a list page like :func:`list_page`, a long feed in a worker process."""
    is_long = len(response.body) > LONG_FEED // (10 if gzip_magic_number(response) else 1)
    if not (isinstance(profile.list, FeedListRules) and is_long):
        return list_page(response, profile, today, forms, address, is_part=is_part)
    # Without what cannot be sent to another process: the request, and what middlewares have found.
    bare = response.replace(request=None)
    try:
        return await read_in_worker(partial(list_page, is_part=is_part), bare, profile, today)
    except PageLimitError as error:
        raise ProfileError(f"{response.url} is a feed too long to read: {error}") from None


def feed_text(response: Response) -> str:
    """Return the text of a feed or sitemap, which may be a file compressed by gzip.

    Raises ProfileError for another file, and for one that is damaged or unpacks to more than 64 MB.
    """
    if isinstance(response, TextResponse) and not gzip_magic_number(response):
        return response.text
    body = response.body
    if gzip_magic_number(response):
        try:
            body = gunzip(body, max_size=_MOST_UNPACKED)
        except (OSError, EOFError, ValueError):
            raise ProfileError(
                f"{response.url} is a damaged gzip file, or unpacks to more than "
                f"{_MOST_UNPACKED >> 20} MB; give the URL of another sitemap"
            ) from None
    if kind := kind_of_file(body):
        raise ProfileError(f"{response.url} is a file ({kind}), not a feed; correct the address")
    return body.decode(detect(body, ""), "replace")


def is_feed(response: Response) -> bool:
    """Return whether a response is a feed or a sitemap, whatever its headers say."""
    try:
        return bool(feed_kind(feed_text(response)))
    except ProfileError:
        return False


def feed_problems(page: FeedPage, url: str) -> Iterator[Problem]:
    """Yield what looks wrong about a feed or sitemap that could be read."""
    if page.cut:
        yield Problem(f"{url} is {page.cut}", loses_articles=True)
    if page.note:
        yield Problem(f"{url} is {page.note}; read as far as it goes", may_be_right=True)
    if not (page.entries or page.sitemaps or page.other):
        yield Problem(f"the list is empty on {url}", may_be_right=True)


def sent_home_from(response: Response) -> str:
    """Return the URL from which a request was redirected to the home page of a site; else ``""``.

    The list may be on the home page itself.
    """
    asked = response.meta.get("redirect_urls", [""])[0] if response.request else ""
    start_url = response.request.cb_kwargs.get("start_url") if response.request else None
    is_list = is_home(asked) or (start_url is not None and is_home(start_url))
    return asked if is_home(response.url) and not is_list else ""


def list_behind(
    response: Response, profile: SiteProfile, forms: FormPages, address: str = ""
) -> str:
    """Return the address of the list page that one without entries leads to; else ``""``."""
    if not isinstance(profile.list, ListRules) or not isinstance(response, TextResponse):
        return ""
    root, encoding = page_tree(response)
    if isinstance(profile.list.next, FormPager):
        return forms.next_address(root, response.url, encoding, address)
    return next_url(profile.list.next, root, response.url, encoding)


def list_page_problems(
    response: Response,
    profile: SiteProfile,
    today: date,
    starts: Iterable[str],
    max_pages: int | None = None,
) -> Iterator[Problem]:
    """Yield what looks wrong about the rules for a list page that could be read.

    ``starts`` are the URLs where the crawl begins, and ``max_pages`` the pages that it reads at most.
    """
    if isinstance(profile.list, FeedListRules):
        page = list_page(response, profile, today)
        yield from feed_problems(page, response.url) if isinstance(page, FeedPage) else ()
    elif isinstance(profile.list, JsonListRules):
        data = json_content(response)
        yield from json_list_problems(data, response.url, profile.list.rules, today)
    else:
        root = page_tree(response)[0]
        yield from list_problems(root, response.url, profile.list, today, starts, max_pages)


def end_problems(response: Response, profile: SiteProfile, walk: ListWalk) -> Iterator[Problem]:
    """Yield a problem if the page where a walk has ended is not the last of the list."""
    is_json_list = isinstance(profile.list, JsonListRules)
    if (
        isinstance(profile.list, ListRules)
        and isinstance(profile.list.next, FormPager)
        and walk.repeats_first
        and walk.first_entries >= _FULL
    ):
        yield Problem(
            "the form of list.next gives the first page again; correct its button or fields", True
        )
    elif is_json_list and walk.repeats_first:
        if more := more_entries(json_content(response), walk.first_entries):
            yield Problem(f"the second page of the list is the first again, but {more}", True)
    elif walk.loops or walk.leads_nowhere:
        if further := further_page(response, profile, walk.visited):
            sentence = f"list.next leads back on {response.url}, but the page links to {further}"
            yield Problem(sentence, True)
        elif walk.loops:
            yield Problem(
                f"the list ends in a loop: {response.url} links to a list page seen before"
            )


def further_page(response: Response, profile: SiteProfile, visited: Container[str]) -> str:
    """Return the URL of a list page that an HTML page links to and that is not ``visited``; else ``""``."""
    if not isinstance(profile.list, ListRules):
        return ""
    root, encoding = page_tree(response)
    return missed_next(root, response.url, visited, encoding)


def has_next_rule(profile: SiteProfile) -> bool:
    """Return whether a profile says where the next list page is."""
    rules = profile.list.rules if isinstance(profile.list, JsonListRules) else profile.list
    return not isinstance(rules, FeedListRules) and bool(rules.next)


def links_to(response: Response, visited: Container[str]) -> bool:
    """Return whether a page without entries is one of the list: it links to a list page that was visited."""
    if not isinstance(response, TextResponse):
        return False
    root, encoding = page_tree(response)
    base = base_url(root, response.url)
    links = (absolute_url(base, href, encoding) for href in root.xpath("//a/@href"))
    return any(link in visited and link != response.url for link in links)


def list_failure(failure: Failure) -> str:
    """Return a sentence about a list page that could not be fetched."""
    url, reason = request_of(failure).url, reason_of(failure)
    if is_forbidden(failure):
        return f"robots.txt forbids the list page {url}; on your own site: -s ROBOTSTXT_OBEY=False"
    if is_refused(failure):
        return (
            f"the list leads to {url} ({reason}); if that host is yours, name it in "
            "FOCUSCRAWL_ALLOW_PRIVATE"
        )
    return f"list page failed ({reason}): {url}; {remedy(reason)}"


def redesigned(
    response: Response, profile: SiteProfile, coverage: Coverage | None, selected: int
) -> str:
    """Return a sentence if the page has another list than at the last run, of which ``coverage`` is."""
    is_read = isinstance(profile.list, ListRules) and isinstance(response, TextResponse)
    if not is_read or coverage is None:
        return ""
    return redesign(page_tree(response)[0], profile, response.url, coverage, selected)


def is_json(response: Response) -> bool:
    """Return whether a response has JSON, whatever its headers say."""
    return isinstance(response, TextResponse) and looks_like_json(response.text)


def json_content(response: Response) -> Any:
    """Return the value of a response; raises ProfileError if it is not JSON."""
    if not isinstance(response, TextResponse):
        raise ProfileError(f"{response.url} is a file, not JSON; correct the URL")
    return parse_json(response.text, response.url)


MOST_SITEMAPS = 500
"""Sitemaps of indexes that a run requests."""
# A day may be one of another time zone.
_MARGIN = timedelta(days=1)


@dataclass(slots=True)
class FeedVisits:
    """What the last run has stored of the feeds and sitemaps of a crawl, by URL, and what this one stores.

    A feed that has not changed has nothing new only if the last run wanted no less than this one, which
    wants what was published from ``since`` on; with ``until``, a run proves nothing. ``sitemaps`` are
    those that this run has from an index.
    """

    since: date | None
    until: date | None
    sitemaps: set[str] = field(default_factory=set)
    _kept: dict[str, dict[str, Any]] = field(default_factory=dict)

    def remember(self, url: str, state: Mapping[str, Any] | None, walk: ListWalk) -> None:
        """Take what the last run has stored; ``walk`` is that of this run."""
        kept = (state or {}).get("feed")
        if not kept or walk.coverage is None or walk.believed or walk.is_whole_due:
            return
        since = date.fromisoformat(kept["since"]) if kept["since"] else None
        if since is None or (self.since and since <= self.since):
            self._kept[url] = kept

    def headers(self, url: str) -> dict[str, str]:
        """Return the headers by which a server answers 304 if the feed has not changed."""
        return conditions(*self._kept[url]["validators"]) if url in self._kept else {}

    def unchanged(self, url: str) -> int:
        """Return how many wanted entries a feed has that has not changed."""
        return int(self._kept.get(url, {}).get("entries", 0))

    def has_nothing(self, sitemap: Sitemap, walk: ListWalk) -> bool:
        """Return whether a sitemap has nothing for this run by the day of its last change in the index."""
        if sitemap.changed is None:
            return False
        last = sitemap.changed + _MARGIN
        is_read = bool(sitemap.url in self._kept and walk.coverage and last < walk.coverage.day)
        return is_read or bool(self.since and last < self.since)

    def note(self, url: str, response: Response, page: FeedPage) -> None:
        """Take the validators of a feed that was read; one that is cut off is to be read again."""
        self._kept.pop(url, None)
        if not page.cut:
            self._kept[url] = {"validators": validators_of(response)}

    def state(self, url: str, walk: ListWalk) -> dict[str, Any]:
        """Return what to store for the next run, beside the state of a walk that has ended."""
        if self.until or walk.trouble or walk.doubts or url not in self._kept:
            return {}
        since = self.since.isoformat() if self.since else ""
        return {"feed": {"entries": walk.wanted} | self._kept[url] | {"since": since}}
