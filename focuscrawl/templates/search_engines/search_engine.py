"""Search engines as data: their URL patterns, encodings and response layouts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from focuscrawl.errors import SearchEngineError
from focuscrawl.system.yaml_files import NamedModel, Shelf
from focuscrawl.templates.search_engines.result_page import (
    HtmlLayout,
    JsonLayout,
    Marks,
    RealUrl,
    ResultPage,
    read_html,
    read_json,
)
from focuscrawl.text.page_depth import parse

DEFAULT_FOLDER = "engines"

# Servers that declare GB2312 accept its superset, which some keywords need.
_CODECS = {"utf-8": "utf-8", "gb2312": "gb18030", "gbk": "gb18030"}
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class PageNumbers(BaseModel):
    """Value of {page} in the URL of the first result page, and its increment per page."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: Annotated[int, Field(ge=0)] = 1
    step: Annotated[int, Field(ge=1)] = 1


class SearchEngine(NamedModel):
    """A search engine, read from a YAML file.

    ``url`` is the pattern of a result page with {keyword} and {page}, and {address} if the engine
    is self-hosted. ``most_pages`` is the maximum number of pages that it serves. Its responses are
    parsed by ``html`` or by ``json``. ``nothing_found`` marks pages that report no results,
    ``captcha`` those with a captcha. ``remedy`` is added to the message about an unreadable page.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    title: str
    url: str
    address: str = ""
    encoding: Literal["utf-8", "gb2312", "gbk"] = "utf-8"
    page: PageNumbers = PageNumbers()
    most_pages: Annotated[int, Field(ge=1, le=1000)]
    html: HtmlLayout | None = None
    json_layout: Annotated[JsonLayout | None, Field(alias="json")] = None
    real_url: RealUrl = RealUrl()
    nothing_found: Marks = Marks()
    captcha: Marks = Marks()
    remedy: str = ""

    @model_validator(mode="after")
    def _has_url_pattern_and_layout(self) -> SearchEngine:
        placeholders = set(_PLACEHOLDER.findall(self.url))
        if not {"keyword", "page"} <= placeholders or placeholders - {"keyword", "page", "address"}:
            raise ValueError(
                "the url needs {keyword} and {page}; besides them it may contain {address} only"
            )
        if (self.html is None) == (self.json_layout is None):
            raise ValueError("give either html or json, the layout of its responses")
        return self

    def pages(self, keyword: str) -> Iterator[str]:
        """Yield the URL of each result page for a keyword, the first one first."""
        words = quote(keyword, safe="", encoding=_CODECS[self.encoding], errors="replace")
        values = {"keyword": words, "address": self.address.rstrip("/")}
        for number in range(self.most_pages):
            values["page"] = str(self.page.first + number * self.page.step)
            yield _PLACEHOLDER.sub(lambda placeholder: values[placeholder[1]], self.url)

    def read(self, body: str, url: str) -> ResultPage:
        """Return the results of the page at ``url`` (after all redirects).

        Raises :class:`~focuscrawl.errors.SearchEngineError` if it has none without a reason, or shows a
        captcha instead.
        """
        if self.json_layout:
            return self._read_json(body, self.json_layout)
        assert self.html
        tree = parse(body)
        page = read_html(tree, url, self.html, self.real_url)
        if page.results:
            return page
        if self.captcha.match(tree, url):
            raise self._error(
                "asks for a captcha; wait a while, crawl slower, or use another engine"
            )
        if self.nothing_found.match(tree, url):
            return page
        raise self._error(
            "returned a page with neither results nor a notice that there are none; its layout has changed: "
            f"write the new one to {DEFAULT_FOLDER}/{self._file}, or use another engine"
        )

    def _read_json(self, body: str, layout: JsonLayout) -> ResultPage:
        try:
            page, is_in_trouble = read_json(body, layout)
        except (ValueError, RecursionError):
            raise self._error("did not return the expected JSON; check its address") from None
        if is_in_trouble and not page.results:
            raise self._error("got no response from the engines behind it; use another engine")
        return page

    @property
    def _file(self) -> str:
        return f"{self.name.partition('@')[0]}.yaml"

    def _error(self, trouble: str) -> SearchEngineError:
        remedy = f" ({self.remedy})" if self.remedy else ""
        return SearchEngineError(f"search engine {self.name} {trouble}{remedy}")


_SHELF = Shelf(
    "search engine", SearchEngine, SearchEngineError, __package__, f"write {DEFAULT_FOLDER}/{{name}}.yaml"
)  # fmt: skip


def engine_names(folder: Path = Path(DEFAULT_FOLDER)) -> list[str]:
    """Return the names of the shipped engines and of those in the user's ``folder``, sorted."""
    return _SHELF.names(folder)


def load_search_engine(
    name: str, folder: Path = Path(DEFAULT_FOLDER), address: str = ""
) -> SearchEngine:
    """Return the engine of that name; one in ``folder`` overrides a shipped one.

    ``address`` is the base URL of a self-hosted engine such as SearXNG; it may also be given in the
    name: ``searxng@http://127.0.0.1:8888``. Raises
    :class:`~focuscrawl.errors.SearchEngineError` with one sentence.
    """
    short, _, in_name = name.partition("@")
    engine = _SHELF.load(short, folder)
    address = in_name or address or engine.address
    if "{address}" in engine.url and not _is_base(address):
        raise SearchEngineError(
            f"search engine {short} is self-hosted and {address!r} is not its URL; "
            f"write it like {short}@http://127.0.0.1:8888"
        )
    return engine.model_copy(update={"name": name, "address": address})


def _is_base(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
