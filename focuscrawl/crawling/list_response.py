"""List pages as responses: HTML, JSON, a feed or a sitemap, as the profile says."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from scrapy.http import Response, TextResponse
from scrapy.utils.gz import gunzip, gzip_magic_number
from twisted.python.failure import Failure

from focuscrawl.crawling.fetched_page import page_tree
from focuscrawl.crawling.form_pages import FormPages
from focuscrawl.errors import PageLimitError, ProfileError
from focuscrawl.network.failure_names import remedy
from focuscrawl.scheduling.request_errback import (
    is_forbidden,
    is_refused,
    reason_of,
    request_of,
)
from focuscrawl.sites.feed_list import LONG_FEED, FeedPage, feed_kind, read_feed
from focuscrawl.sites.foreign_pages import is_home
from focuscrawl.sites.json_list import looks_like_json, parse_json, read_json_list
from focuscrawl.sites.json_paging import more_entries
from focuscrawl.sites.list_coverage import Coverage
from focuscrawl.sites.list_walk import ListWalk
from focuscrawl.sites.page_forms import counted_number, form_of
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
