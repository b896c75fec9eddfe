"""Search engines as data: how they are asked, and how their answers are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from focuscrawl.errors import EngineError
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

# Servers that say GB2312 understand its superset, and the keyword may need it.
_CODECS = {"utf-8": "utf-8", "gb2312": "gb18030", "gbk": "gb18030"}
_BLANK = re.compile(r"\{(\w+)\}")


class PageNumbers(BaseModel):
    """What stands for the first result page, and by how much it grows from page to page."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: Annotated[int, Field(ge=0)] = 1
    step: Annotated[int, Field(ge=1)] = 1


class Engine(NamedModel):
    """A search engine, as a YAML file says.

    ``url`` is the pattern of a result page with {keyword} and {page}, and {address} where the
    engine has no host of its own. ``most_pages`` is how many pages it hands out at most. Its
    answers are read by ``html`` or by ``json``. ``nothing_found`` marks a page that says so,
    ``wall`` one that asks who is there. ``remedy`` is what else to say when it cannot be read.
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
    wall: Marks = Marks()
    remedy: str = ""

    @model_validator(mode="after")
    def _can_be_asked_and_read(self) -> Engine:
        blanks = set(_BLANK.findall(self.url))
        if not {"keyword", "page"} <= blanks or blanks - {"keyword", "page", "address"}:
            raise ValueError("the url needs {keyword} and {page}, and knows {address} besides")
        if (self.html is None) == (self.json_layout is None):
            raise ValueError("give html or json: how its answers are read")
        return self

    def pages(self, keyword: str) -> Iterator[str]:
        """Yield the URL of each result page for a keyword, the first one first."""
        words = quote(keyword, safe="", encoding=_CODECS[self.encoding], errors="replace")
        values = {"keyword": words, "address": self.address.rstrip("/")}
        for number in range(self.most_pages):
            values["page"] = str(self.page.first + number * self.page.step)
            yield _BLANK.sub(lambda blank: values[blank[1]], self.url)

    def read(self, body: str, url: str) -> ResultPage:
        """Return the results of the page at ``url`` (after all redirects).

        Raises :class:`~focuscrawl.errors.EngineError` where it has none and does not say why, and
        where it asks for a captcha instead.
        """
        if self.json_layout:
            return self._read_json(body, self.json_layout)
        assert self.html
        tree = parse(body)
        page = read_html(tree, url, self.html, self.real_url)
        if page.results:
            return page
        if self.wall.stand_in(tree, url):
            raise self._error(
                "asks for a captcha; let it rest, crawl slower, or use another engine"
            )
        if self.nothing_found.stand_in(tree, url):
            return page
        raise self._error(
            "answers without a result, and does not say that there is none; its layout has changed: "
            f"write the new one to {DEFAULT_FOLDER}/{self._file}, or use another engine"
        )

    def _read_json(self, body: str, layout: JsonLayout) -> ResultPage:
        try:
            page, is_in_trouble = read_json(body, layout)
        except (ValueError, RecursionError):
            raise self._error("does not answer in its JSON; check its address") from None
        if is_in_trouble and not page.results:
            raise self._error("got no answer from the engines behind it; use another engine")
        return page

    @property
    def _file(self) -> str:
        return f"{self.name.partition('@')[0]}.yaml"

    def _error(self, trouble: str) -> EngineError:
        remedy = f" ({self.remedy})" if self.remedy else ""
        return EngineError(f"search engine {self.name} {trouble}{remedy}")


_SHELF = Shelf(
    "search engine", Engine, EngineError, __package__, f"write {DEFAULT_FOLDER}/{{name}}.yaml"
)  # fmt: skip


def engine_names(folder: Path = Path(DEFAULT_FOLDER)) -> list[str]:
    """Return the names of the shipped engines and of those in the user's ``folder``, sorted."""
    return _SHELF.names(folder)


def load_engine(name: str, folder: Path = Path(DEFAULT_FOLDER), address: str = "") -> Engine:
    """Return the engine of that name; one in ``folder`` comes before a shipped one.

    ``address`` is its base URL where it has no host of its own, such as one's own SearXNG; it may
    also be given in the name: ``searxng@http://127.0.0.1:8888``. Raises
    :class:`~focuscrawl.errors.EngineError` with one sentence.
    """
    short, _, in_name = name.partition("@")
    engine = _SHELF.load(short, folder)
    address = in_name or address or engine.address
    if "{address}" in engine.url and not _is_base(address):
        raise EngineError(
            f"search engine {short} is where you run it, not at {address!r}: "
            f"write {short}@http://127.0.0.1:8888 or the like"
        )
    return engine.model_copy(update={"name": name, "address": address})


def _is_base(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
