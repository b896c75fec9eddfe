"""Responses of a recorded web by URL: parsed and judged pages, and redirects, all in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from w3lib.encoding import http_content_type_encoding

from focuscrawl.pages.canonical_urls import canonical_or_same
from focuscrawl.pages.link import Link
from focuscrawl.pages.link_contexts import parse_page
from focuscrawl.replay.recorded_pages import Recorded, recorded_pages
from focuscrawl.scoring.model_files.scorer_loading import PageJudge, judge_at
from focuscrawl.text.page_charset import detect


class RecordedResponse(NamedTuple):
    """A page, or a redirect to the canonical URL ``location``; ``is_relevant`` is the crawl's opinion."""

    links: list[Link]
    is_relevant: bool = False
    location: str = ""


def read_responses(
    recording: Path, judge: PageJudge, step: Callable[[], None] = lambda: None
) -> dict[str, RecordedResponse]:
    """Return the HTML pages and redirects of a WARC file by canonical URL; ``step`` follows each."""
    found: dict[str, RecordedResponse] = {}
    for response in recorded_pages(recording):
        url = canonical_or_same(response.url)
        if response.location and 300 <= response.status < 400:
            target = canonical_or_same(urljoin(response.url, response.location))
            found.setdefault(url, RecordedResponse([], location=target))
        elif response.status == 200 and "html" in response.content_type.lower():
            found.setdefault(url, _page(url, response, judge))
        step()
    return found


def _page(url: str, response: Recorded, judge: PageJudge) -> RecordedResponse:
    charset = detect(response.body, http_content_type_encoding(response.content_type) or "")
    parsed = parse_page(response.body.decode(charset, "replace"), response.url, charset=charset)
    (judged,) = judge_at(judge, url).score([(parsed.title, parsed.text)])
    return RecordedResponse(parsed.links, judged.relevant)
