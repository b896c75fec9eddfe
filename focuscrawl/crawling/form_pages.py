"""List pages that a form leads to, as requests."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any
from urllib.parse import urldefrag

from scrapy import Request

from focuscrawl.middlewares.site_session import posted
from focuscrawl.sites.page_forms import FilledForm, filled_again, is_posted, next_form
from focuscrawl.sites.site_profile import FormPager, ListRules, SiteProfile

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
