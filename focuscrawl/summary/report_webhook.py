"""Reports to a webhook: the JSON of the summary, posted to a URL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener, getproxies

from focuscrawl.errors import ArgumentError
from focuscrawl.summary.run_report import RunReport, as_json
from focuscrawl.system.local_hosts import is_local

SETTING = "FOCUSCRAWL_WEBHOOK"
TOKEN = "FOCUSCRAWL_WEBHOOK_TOKEN"
_MOST_BYTES = 64 * 1024
_PRINTABLE = re.compile(r"[\x21-\x7e]*")


@dataclass(frozen=True, slots=True)
class WebhookTarget:
    """A URL, which is secret but for its host, and a token, ``""`` for none."""

    url: str
    token: str

    @property
    def label(self) -> str:
        """The webhook, by its host."""
        parts = urlsplit(self.url)
        return f"webhook at {parts.scheme}://{parts.netloc}/***"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The URL, what follows its host, and the token."""
        parts = urlsplit(self.url)
        rest = self.url.partition(parts.netloc)[2]
        return tuple(text for text in (self.url, rest, self.token) if len(text) > 1)

    def send(self, report: RunReport, seconds: float) -> None:
        """Post the report; raises an error of urllib, also for a status other than 2xx."""
        self.post(as_json(report), seconds)

    def post(self, text: str, seconds: float) -> bytes:
        """Post a text of JSON in ASCII, like :meth:`send`, and return the beginning of the answer."""
        headers = {"Content-Type": "application/json", "User-Agent": "focuscrawl"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = Request(self.url, text.encode("ascii"), headers)
        # A proxy on another machine would not find this one.
        proxies = {} if is_local(urlsplit(self.url).hostname or "") else getproxies()
        opener = build_opener(ProxyHandler(proxies), _NoRedirects)
        with opener.open(request, timeout=seconds) as answer:
            found: bytes = answer.read(_MOST_BYTES)
            return found


class _NoRedirects(HTTPRedirectHandler):
    """Treats a redirect as an error: it would carry the token to another host, and lose the body."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def webhook_target(url: str, token: str) -> WebhookTarget:
    """Return the target of a URL of the setting; raises ArgumentError without showing the URL."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or not _PRINTABLE.fullmatch(url):
        raise ArgumentError(
            f"{SETTING} is not a URL that starts with http:// or https:// and is percent-encoded;"
            " correct it"
        )
    if "@" in parts.netloc:
        raise ArgumentError(
            f"{SETTING} has a user name or password before the host; remove it, and set the"
            f" environment variable {TOKEN} if the webhook needs a token"
        )
    if not _PRINTABLE.fullmatch(token):
        raise ArgumentError(f"{TOKEN} has characters that no header can have; correct it")
    return WebhookTarget(url, token)
