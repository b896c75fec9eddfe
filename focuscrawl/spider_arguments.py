"""Spider arguments as pydantic models, validated before the first request."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, Any, Literal, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from focuscrawl.errors import ArgumentError
from focuscrawl.system.durable_files import check_utf8, read_bounded
from focuscrawl.system.machine_faults import plain_reason

_ADDRESS = r"^https?://[^\s/]+"
_URL = {"type": "string", "format": "uri"}

_Arguments = TypeVar("_Arguments", bound=BaseModel)


def parse_arguments(model: type[_Arguments], given: Mapping[str, Any], spider: str) -> _Arguments:
    """Return the validated arguments of a spider.

    Names that begin with an underscore come from schedulers such as scrapyd and are ignored.
    Raises :class:`ArgumentError` with one sentence for an unknown name or a bad value.
    """
    values = {name: value for name, value in given.items() if not name.startswith("_")}
    for name, value in values.items():
        check_utf8(value, f"spider {spider!r}, argument {name}={value!r}")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ArgumentError(_sentence(error, model, spider)) from None


def _sentence(error: ValidationError, model: type[BaseModel], spider: str) -> str:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = ", ".join(model.model_fields)
        return f"spider {spider!r} has no argument {name!r}; choose from {known}"
    if first["type"] == "missing":
        return f"spider {spider!r} needs the argument {name}; give -a {name}=…"
    reason = plain_reason(first)
    if not name:
        return f"spider {spider!r}: {reason}"
    return f"spider {spider!r}, argument {name}={first['input']!r}: {reason}"


def _read_day(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = value.strip()
    if back := re.fullmatch(r"(\d{1,5})d", text):
        return date.today() - timedelta(days=int(back[1]))
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError("write a date as 2017-01-31, or 30d for thirty days ago") from None


def _read_refresh(value: object) -> object:
    if value == "all" or isinstance(value, int):
        return value
    if not re.fullmatch("[0-9]{1,5}", str(value)):
        raise ValueError("write a number of days up to 99999, or all")
    return int(str(value))


def _read_seeds(value: object) -> object:
    return read_urls(value) if isinstance(value, str) else value


def read_urls(value: str, *, is_text: bool = False) -> list[str]:
    """Return comma-separated URLs, or those of a file (or text) with one URL per line.

    Raises ValueError with one sentence.
    """
    is_list = not is_text and "://" in value
    urls = value.split(",") if is_list else value.splitlines() if is_text else _lines(value)
    seeds = [url for line in urls if (url := line.strip()) and not url.startswith("#")]
    for url in seeds:
        if not is_address(url):
            raise ValueError(f"{url!r} is not the URL of a page; write http://host/")
    if not seeds:
        raise ValueError("no URL is given; write http://host/, or name a file with such lines")
    return seeds


def is_address(text: str) -> bool:
    """Return whether a text is an http or https URL."""
    try:
        parts = urlsplit(text)
        is_host = bool(parts.hostname) and not re.search(r"\s", parts.netloc)
        return is_host and parts.port != 0 and bool(re.match(_ADDRESS, text))
    except ValueError:
        return False


def _read_any_seeds(value: object) -> object:
    if value != "-":
        return _read_seeds(value)
    try:
        # sys.stdin is None in a program without standard input.
        text = sys.stdin.read() if sys.stdin else ""
    except UnicodeDecodeError:
        raise ValueError("standard input is not UTF-8; convert it first") from None
    return read_urls(text.removeprefix("\ufeff"), is_text=True)


def _read_words(value: object) -> object:
    if not isinstance(value, str):
        return value
    normal = unicodedata.normalize("NFKC", value).replace("、", ",").replace("|", ",")
    words = [word.strip() for word in normal.split(",") if word.strip()]
    if not words:
        raise ValueError("no word is given; write comma-separated words")
    return words


def _lines(path: str) -> list[str]:
    try:
        return read_bounded(path).splitlines()
    except (OSError, ValueError):
        raise ValueError(
            "write comma-separated URLs, or the path of a UTF-8 file with one URL per line"
        ) from None


def _check_address(value: str) -> str:
    if not is_address(value):
        raise ValueError("not the URL of a page; write http://host/")
    return value


Address = Annotated[str, AfterValidator(_check_address), WithJsonSchema(_URL)]
Day = Annotated[date, BeforeValidator(_read_day)]


class TitleFilter:
    """Filter of titles: all comma-separated groups must match, each by any of its ``|`` parts.

    >>> TitleFilter("山东,玉米|小麦").matches("山东省小麦价格")
    True
    """

    def __init__(self, expression: str) -> None:
        normal = unicodedata.normalize("NFKC", expression).replace("、", ",")
        groups = ([part.strip() for part in group.split("|")] for group in normal.split(","))
        self._groups = [kept for group in groups if (kept := [part for part in group if part])]

    def matches(self, title: str) -> bool:
        """Return whether ``title`` matches; full-width and half-width characters are equal."""
        normal = unicodedata.normalize("NFKC", title)
        return all(any(part in normal for part in group) for group in self._groups)

    def __str__(self) -> str:
        return ",".join("|".join(group) for group in self._groups)


def _check_topic(given: set[str]) -> None:
    needing = sorted(given & {"least_score", "keep"})
    if needing and "topic" not in given:
        raise ValueError(f"{needing[0]} needs a topic; give -a topic=NAME")


# Each command loads all models, and builds at most one.
_CONFIG = ConfigDict(extra="forbid", use_attribute_docstrings=True, defer_build=True)


class ListArguments(BaseModel):
    """Arguments of ``scrapy crawl list``."""

    model_config = _CONFIG

    site: Annotated[str, Field(min_length=1)]
    """Name of a site profile (`yz88`, `feedtrade`, `demo`), or the path of your own YAML file."""
    start_url: Address | None = None
    """First list page, instead of the one in the profile."""
    title: str = ""
    """Title filter: comma-separated groups that must all match; `|` separates alternatives."""
    since: Day | None = None
    """Earliest publication date: `2017-01-31`, or `30d` for thirty days ago."""
    until: Day | None = None
    """Latest publication date, in the same form."""
    max_pages: Annotated[int, Field(ge=1)] | None = None
    """Maximum number of list pages."""
    refresh: Annotated[int | Literal["all"], BeforeValidator(_read_refresh)] = 0
    """Recheck known articles of the last N days, or `all`, with conditional requests."""
    topic: Annotated[str, Field(min_length=1)] | None = None
    """Topic of the crawl: a name, the path of a YAML file, or comma-separated words."""
    least_score: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Probability by its link below which an entry of the list is not requested; needs a `topic`."""
    keep: Literal["relevant", "all"] = "relevant"
    """Articles to store of those that were fetched for the `topic`; `all` are marked by their relevance."""

    @model_validator(mode="after")
    def _since_is_not_after_until(self) -> Self:
        if self.since and self.until and self.since > self.until:
            raise ValueError(f"since={self.since} is after until={self.until}; swap them")
        return self

    @model_validator(mode="after")
    def _has_a_topic_for_its_limits(self) -> Self:
        _check_topic(self.model_fields_set)
        return self


class MaizeArguments(ListArguments):
    """Arguments of ``scrapy crawl maize``."""

    site: Annotated[str, Field(min_length=1)] = "yz88"
    """Name of a site profile (`yz88`, `feedtrade`, `demo`), or the path of your own YAML file."""


class TunnelArguments(BaseModel):
    """Arguments of ``scrapy crawl tunnel``."""

    model_config = _CONFIG

    topic: Annotated[str, Field(min_length=1)]
    """Name of a topic, or the path of its YAML file."""
    seeds: Annotated[list[str], BeforeValidator(_read_seeds)] | None = None
    """Comma-separated URLs, or a file with one URL per line, instead of the topic's seeds."""
    mode: Literal["breadth", "best-first", "tunnel", "sparse-tunnel"] = "sparse-tunnel"
    """Links to follow: all in order of discovery, all by score, those within the tunnel length, or
    those and only a few per site that is not known to be relevant."""
    length: Annotated[int, Field(ge=1, le=30)] = 10
    """Maximum number of consecutive irrelevant pages (K)."""
    entries: Annotated[int, Field(ge=1)] = 15
    """Maximum number of waiting URLs of a site that is not yet known to be relevant (R)."""
    patience: Annotated[int, Field(ge=0)] = 20
    """Number of irrelevant pages after which a site is given up (P)."""
    max_pages: Annotated[int, Field(ge=1)] | None = None
    """Number of pages to judge in this run; of workers that share a frontier: by all of them, since the
    crawl began."""
    learn: bool | None = None
    """Rank links also by what the crawl has found, and keep training the classifier; by default on
    where `order=model`, except for `mode=breadth`."""
    order: Literal["model", "lexicon", "keyword-front", "crawlee", "parent", "random", "oracle"] = (
        "model"
    )
    """Ranking of the links: the link classifier, the lexicon, keywords in the anchor, keywords in the
    anchor or URL, the relevance of the parent page, chance, or the truth file."""
    judge: Literal["model", "rule", "truth"] = "model"
    """Judge of the relevance of a page: the page classifier, the page rule of the topic, or
    the truth file."""
    truth: str | None = None
    """CSV file with the columns `url` and `relevant`, for `order=oracle` and `judge=truth`."""
    keep: Literal["relevant", "all"] = "relevant"
    """Pages to store."""
    text: Literal["main", "plain"] = "main"
    """Text to store: `main` (extracted by trafilatura) or `plain` (all text of the page, which is
    faster)."""

    @model_validator(mode="after")
    def _truth_is_given(self) -> TunnelArguments:
        if self.truth is None and (self.order == "oracle" or self.judge == "truth"):
            raise ValueError("order=oracle and judge=truth need -a truth=pages.csv")
        return self

    @model_validator(mode="after")
    def _what_it_learns_is_used(self) -> TunnelArguments:
        if self.learn and self.order not in ("model", "lexicon"):
            raise ValueError(f"order={self.order} cannot learn; remove learn")
        if self.learn and self.mode == "breadth":
            raise ValueError("mode=breadth does not use what it learns; remove learn")
        return self

    @property
    def learns(self) -> bool:
        """True if links are ranked by online statistics; by default in modes and orders that use them."""
        if self.learn is None:
            return self.order == "model" and self.mode != "breadth"
        return self.learn


class LabelsArguments(BaseModel):
    """Arguments of ``scrapy crawl labels``."""

    model_config = _CONFIG

    topic: Annotated[str, Field(min_length=1)]
    """Name of a topic, or the path of its YAML file."""
    seeds: Annotated[list[str], BeforeValidator(_read_seeds)] | None = None
    """Comma-separated URLs, or a file with one URL per line, instead of the topic's seeds."""
    max_pages: Annotated[int, Field(ge=1)] = 2000
    """Maximum number of pages of all runs together."""
    max_pages_per_site: Annotated[int, Field(ge=1)] = 100
    """Maximum number of these pages on one host."""
    depth: Annotated[int, Field(ge=0)] | None = None
    """Maximum number of links from a seed."""
    labels: Literal["domains", "apprentice"] = "domains"
    """Source of the labels: `domains` (the domain lists of the topic) or `apprentice` (the topic
    judges each fetched page)."""


class ArticleArguments(BaseModel):
    """Arguments of ``scrapy crawl article``; missing ones are taken from the profile."""

    model_config = _CONFIG

    url: str | None = None
    """URL pattern with `{n}`, such as `http://host/article/{n}.htm`; several are comma-separated."""
    profile: Annotated[str, Field(min_length=1)] | None = None
    """Name of a profile (`demo`, `jb51`), or the path of your own YAML file."""
    start: Annotated[int, Field(ge=0)] | None = None
    """First number (default: 1)."""
    stop: Annotated[int, Field(ge=0)] | None = None
    """Last number (default: no end)."""
    step: Annotated[int, Field(ge=1)] | None = None
    """Distance between two numbers (default: 1)."""
    stop_after: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """Consecutive missing numbers after which the end is assumed (default: 100); 0 needs a `stop`."""
    reach: Annotated[int, Field(ge=0, le=10_000_000)] | None = None
    """Distance beyond that end at which more articles are tried: at 1, 2, 4, … numbers (default: 4096)."""
    concurrency: Annotated[int, Field(ge=1, le=256)] | None = None
    """Number of concurrent requests, without delays; for a site of your own."""
    topic: Annotated[str, Field(min_length=1)] | None = None
    """Topic of the crawl: a name, the path of a YAML file, or comma-separated words."""
    keep: Literal["relevant", "all"] = "relevant"
    """Articles to store of those that were fetched for the `topic`; `all` are marked by their relevance."""

    @model_validator(mode="after")
    def _says_where(self) -> ArticleArguments:
        if not self.url and not self.profile:
            raise ValueError("give -a url=http://host/article/{n}.htm, or -a profile=…")
        return self

    @model_validator(mode="after")
    def _has_a_topic_for_its_limits(self) -> Self:
        _check_topic(self.model_fields_set)
        return self

    def settings(self) -> dict[str, Any]:
        """Return the Scrapy settings implied by ``concurrency``."""
        if self.concurrency is None:
            return {}
        return {
            "CONCURRENT_REQUESTS": self.concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": self.concurrency,
            "AUTOTHROTTLE_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
        }


class TemplateArguments(BaseModel):
    """Arguments of ``scrapy crawl template``; missing ones are taken from the template."""

    model_config = _CONFIG

    template: Annotated[str, Field(min_length=1)]
    """Name of a template (`contacts`, `maize-buyers`), or the path of its YAML file."""
    name: Annotated[str, Field(pattern=r"^\w[\w-]{0,63}$")] | None = None
    """Name of the crawl; by default it is derived from template, regions and entities, or the seed
    file."""
    region: Annotated[list[str], BeforeValidator(_read_words)] | None = None
    """Comma-separated regions to search for, instead of the template's."""
    entity: Annotated[list[str], BeforeValidator(_read_words)] | None = None
    """Comma-separated entities to search for, instead of the template's."""
    engine: Annotated[list[str], BeforeValidator(_read_words)] | None = None
    """Comma-separated search engines, tried in turn until one returns all its results."""
    pages: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Number of result pages per query."""
    seeds: Annotated[list[str], BeforeValidator(_read_any_seeds)] | None = None
    """Comma-separated URLs, a file with one URL per line, or `-` for standard input, instead of a
    search."""
    all: bool | None = None
    """Crawl every seed instead of a sample (default: true with `seeds`, else false)."""
    random: int = 1
    """Random seed of the sample; the same value repeats a run."""
    hard_delete: bool = False
    """Delete records that are gone instead of hiding them."""

    @model_validator(mode="after")
    def _is_searched_or_given(self) -> TemplateArguments:
        searched = ("region", "entity", "engine", "pages")
        if self.seeds is not None and (more := [name for name in searched if getattr(self, name)]):
            raise ValueError(f"with seeds, no search engine is used; remove {more[0]}")
        return self

    @property
    def crawls_all(self) -> bool:
        """True if all seeds are crawled; by default seeds of the user are, search results are not."""
        return self.seeds is not None if self.all is None else self.all
