"""A Scrapyd that runs crawls instead of this machine, by its HTTP API."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from focuscrawl.errors import ArgumentError, StoreError

SETTING = "FOCUSCRAWL_WEB_SCRAPYD"
# Environment variables that Scrapyd itself reads, too.
USER, PASSWORD = "SCRAPYD_USERNAME", "SCRAPYD_PASSWORD"
_SECONDS = 10.0
_MOST_BYTES = 4 << 20
_JOB = re.compile(r"[\w.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Scrapyd:
    """The Scrapyd at a URL, the name of the project that was deployed there, and user and password.

    Methods block, and raise StoreError if it does not answer or refuses.
    """

    url: str
    project: str
    login: tuple[str, str] = field(default=("", ""), repr=False)

    def schedule(
        self, spider: str, arguments: Mapping[str, str], settings: Mapping[str, str]
    ) -> str:
        """Start a crawl with settings, and return its job."""
        if clash := {"project", "spider", "setting", "jobid", "priority", "_version"} & set(
            arguments
        ):
            raise ArgumentError(
                f"Scrapyd uses {min(clash)!r} itself; no argument can have this name"
            )
        form = [("project", self.project), ("spider", spider), *arguments.items()]
        form += [("setting", f"{name}={text}") for name, text in settings.items()]
        job = self._ask("schedule.json", form).get("jobid")
        if not isinstance(job, str) or not _JOB.fullmatch(job):
            raise StoreError(f"Scrapyd at {self.label} returned no job; check its log")
        return job

    def cancel(self, job: str) -> None:
        """Ask a job to end; a second time ends it at once."""
        self._ask("cancel.json", [("project", self.project), ("job", job)])

    def has_ended(self, job: str) -> bool:
        """Return whether a job neither waits nor runs."""
        found = self._ask(f"listjobs.json?{urlencode({'project': self.project})}")
        lists = [found.get(state) for state in ("pending", "running")]
        jobs = [one for entries in lists if isinstance(entries, list) for one in entries]
        return not any(isinstance(one, dict) and one.get("id") == job for one in jobs)

    @property
    def label(self) -> str:
        """The URL, for messages."""
        return urlsplit(self.url).netloc

    def _ask(self, path: str, form: Sequence[tuple[str, str]] | None = None) -> dict[str, Any]:
        data = None if form is None else urlencode(form).encode()
        # No proxy and no redirect: only this server is asked.
        opener = build_opener(ProxyHandler({}), _NoRedirects)
        try:
            request = Request(f"{self.url}/{path}", data, self._headers)
            with opener.open(request, timeout=_SECONDS) as answer:
                found = json.loads(answer.read(_MOST_BYTES))
        except (OSError, HTTPException, ValueError) as error:
            if isinstance(error, HTTPError) and error.code == HTTPStatus.UNAUTHORIZED:
                raise StoreError(
                    f"Scrapyd at {self.label} refuses the password; set {USER} and {PASSWORD} "
                    "in the environment"
                ) from None
            raise StoreError(f"Scrapyd at {self.label} does not answer: {error}") from error
        if not isinstance(found, dict) or found.get("status") != "ok":
            reason = found.get("message") if isinstance(found, dict) else found
            raise StoreError(f"Scrapyd at {self.label} refuses: {str(reason)[:500]}")
        return found

    @property
    def _headers(self) -> dict[str, str]:
        if not all(self.login):
            return {}
        return {"Authorization": "Basic " + b64encode(":".join(self.login).encode()).decode()}


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Treat a redirect as an error."""


def scrapyd_at(url: str, project: str, login: tuple[str, str] = ("", "")) -> Scrapyd | None:
    """Return the Scrapyd of the settings, None if the URL is empty; raises ArgumentError."""
    if not url:
        return None
    try:
        parts = urlsplit(url.strip())
        is_valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or parts.query or parts.fragment or "@" in parts.netloc:
        raise ArgumentError(
            f"{SETTING} is no URL of a Scrapyd; write one such as http://127.0.0.1:6800"
        )
    return Scrapyd(url.strip().rstrip("/"), project, login)
