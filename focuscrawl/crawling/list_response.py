"""List pages as responses: HTML or JSON, as the profile says."""

from __future__ import annotations

from collections.abc import Container, Iterator
from datetime import date
from typing import Any

from scrapy.http import Response, TextResponse

from focuscrawl.crawling.page_tree import page_tree
from focuscrawl.errors import ProfileError
from focuscrawl.sites.json_list import looks_like_json, parse_json, read_json_list
from focuscrawl.sites.list_walk import Coverage
from focuscrawl.sites.page_reading import ListPage, read_list
from focuscrawl.sites.profile_checks import (
    Problem,
    json_list_problems,
    list_problems,
    missed_next,
    redesign,
)
from focuscrawl.sites.site_profile import JsonListRules, SiteProfile


def list_page(response: Response, profile: SiteProfile, today: date) -> ListPage:
    """Read a list page; raises ProfileError if the profile selects nothing on it."""
    if isinstance(profile.list, JsonListRules):
        data = json_content(response)
        return read_json_list(data, response.url, profile.name, profile.list.rules, today)
    root, encoding = page_tree(response)
    return read_list(root, response.url, profile, today, encoding)


def list_page_problems(response: Response, profile: SiteProfile, today: date) -> Iterator[Problem]:
    """Yield what looks wrong about the rules for a list page that could be read."""
    if isinstance(profile.list, JsonListRules):
        data = json_content(response)
        yield from json_list_problems(data, response.url, profile.list.rules, today)
    else:
        yield from list_problems(page_tree(response)[0], response.url, profile.list, today)


def list_goes_on(response: Response, profile: SiteProfile, visited: Container[str]) -> str:
    """Return the URL of a further list page that a page links to, though its rule leads back."""
    if isinstance(profile.list, JsonListRules):
        return ""
    return missed_next(page_tree(response)[0], response.url, visited)


def redesigned(
    response: Response, profile: SiteProfile, coverage: Coverage | None, selected: int
) -> str:
    """Return a sentence if the page has another list than at the last run, of which ``coverage`` is."""
    is_read = isinstance(profile.list, JsonListRules) or not isinstance(response, TextResponse)
    if is_read or coverage is None:
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
