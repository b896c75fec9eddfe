"""Arguments of crawls that are started from the web, checked as those of ``scrapy crawl`` and more.

They may name the files of a project, which are its site profiles, topics, templates and engines.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args
from urllib.parse import urlsplit
from urllib.request import getproxies

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from focuscrawl.errors import ArgumentError
from focuscrawl.network.address_rules import AddressRules
from focuscrawl.sites.site_profile import profile_names
from focuscrawl.spider_arguments import (
    ArticleArguments,
    LabelsArguments,
    ListArguments,
    MaizeArguments,
    TemplateArguments,
    TunnelArguments,
    is_address,
    parse_arguments,
)
from focuscrawl.templates.search_engines.search_engine import engine_names
from focuscrawl.templates.template_model import template_names
from focuscrawl.topics.topic_loading import topic_names

_SITES = "sites"
"""Folder of the project with the site profiles that `scrapy newsite` writes."""


@dataclass(frozen=True, slots=True)
class CrawlProject:
    """The folder where crawls are started, and those of its topics, templates and search engines.

    ``stores`` are the stores that started crawls write to; if empty, the one that is shown.
    ``addresses`` are the rules for the URLs that operators name.
    """

    folder: Path = field(default_factory=Path.cwd)
    topics: Path = Path("topics")
    templates: Path = Path("templates")
    engines: Path = Path("engines")
    stores: str = ""
    addresses: AddressRules = field(default_factory=AddressRules)

    def names(self, kind: str) -> Mapping[str, str]:
        """Return what a spider is given for each name of a kind of file: ``site``, ``topic``, …

        Operators choose among these names; no path comes from them.
        """
        if kind == "site":
            own = sorted((self.folder / _SITES).glob("*.yaml"))
            return {name: name for name in profile_names()} | {
                path.stem: f"{_SITES}/{path.name}" for path in own
            }
        if kind == "profile":
            return {name: name for name in profile_names("focuscrawl.articles")}
        files = {"topic": topic_names, "template": template_names, "engine": engine_names}
        return {name: name for name in files[kind](self.folder / getattr(self, f"{kind}s"))}


SPIDERS: dict[str, type[BaseModel]] = {
    "maize": MaizeArguments,
    "list": ListArguments,
    "article": ArticleArguments,
    "template": TemplateArguments,
    "tunnel": TunnelArguments,
    "labels": LabelsArguments,
}
"""The spiders that can be started, with the models of their arguments."""
FILES = ("site", "profile", "topic", "template", "engine")
"""Arguments that name files: one of the known names is chosen."""
URLS = ("start_url", "url", "seeds")
"""Arguments with addresses that the crawl will visit."""
_LISTS = ("engine", "region", "entity")
# They read any file, and serve experiments only.
_LEFT_OUT = ("truth",)
_LEFT_OUT_CHOICES = {"order": ("oracle",), "judge": ("truth",)}
_LONGEST = 4000


class Field(NamedTuple):
    """An argument in a form. ``kind`` is text, number, date, lines or choice."""

    name: str
    kind: str
    description: str
    is_required: bool
    choices: tuple[str, ...] = ()
    default: str = ""


def fields_of(spider: str, project: CrawlProject) -> list[Field]:
    """Return the arguments of a spider; raises ArgumentError for an unknown one."""
    model = model_of(spider)
    return [
        _field(name, info, project)
        for name, info in model.model_fields.items()
        if name not in _LEFT_OUT
    ]


def model_of(spider: str) -> type[BaseModel]:
    """Return the model of a spider's arguments; raises ArgumentError for an unknown spider."""
    if spider not in SPIDERS:
        raise ArgumentError(f"there is no spider {spider!r}; choose from {', '.join(SPIDERS)}")
    return SPIDERS[spider]


def _field(name: str, info: FieldInfo, project: CrawlProject) -> Field:
    description = (info.description or "").replace("`", "").replace("\n", " ")
    default = "" if info.is_required() or info.default is None else str(info.default)
    choices = _choices(name, info, project)
    kind = "choice" if choices and name not in _LISTS else _kind(name, info)
    return Field(name, kind, description, info.is_required(), choices, default)


def _choices(name: str, info: FieldInfo, project: CrawlProject) -> tuple[str, ...]:
    if name in FILES:
        return tuple(project.names(name))
    if _has(info, bool):
        return ("True", "False")
    found = [word for part in _parts(info.annotation) for word in _words(part)]
    return tuple(word for word in found if word not in _LEFT_OUT_CHOICES.get(name, ()))


def _words(part: Any) -> Sequence[str]:
    # ``refresh`` takes a number as well.
    return [str(word) for word in get_args(part)] if _is_literal(part) else []


def _is_literal(part: Any) -> bool:
    return getattr(part, "__origin__", None) is Literal and len(get_args(part)) > 1


def _parts(annotation: Any) -> Sequence[Any]:
    if _is_literal(annotation):
        return [annotation]
    return [part for one in get_args(annotation) for part in (one, *_parts(one))]


def _has(info: FieldInfo, kind: type) -> bool:
    return info.annotation is kind or kind in _parts(info.annotation)


def _kind(name: str, info: FieldInfo) -> str:
    if name == "seeds":
        return "lines"
    is_number = _has(info, int) and name != "refresh"
    return "number" if is_number else "text"


def checked_arguments(
    spider: str, given: Mapping[str, str], project: CrawlProject
) -> dict[str, str]:
    """Return the arguments to give to a spider, empty ones left out; raises ArgumentError.

    Unknown names, paths, and URLs of private addresses are refused.
    """
    known = {field.name: field for field in fields_of(spider, project)}
    if unknown := [name for name in given if name not in known]:
        raise ArgumentError(
            f"spider {spider!r} has no argument {unknown[0]!r} that can be set here"
        )
    filled = {name: text.strip() for name, text in given.items() if text.strip()}
    found = {name: _checked(known[name], text, project) for name, text in filled.items()}
    parse_arguments(model_of(spider), found, spider)
    return found


def _checked(field: Field, text: str, project: CrawlProject) -> str:
    if field.name in URLS:
        text = ",".join(_addresses(field.name, text, project.addresses))
    if len(text) > _LONGEST or not text.isprintable():
        raise ArgumentError(f"{field.name} is longer than {_LONGEST} characters, or not printable")
    if field.name in FILES:
        names = project.names(field.name)
        words = text.replace("、", ",").split(",") if field.name in _LISTS else [text]
        return ",".join(_known(field.name, word.strip(), names) for word in words)
    if field.kind == "choice":
        return _known(field.name, text, {word: word for word in field.choices})
    return text


def _known(name: str, text: str, names: Mapping[str, str]) -> str:
    if text not in names:
        raise ArgumentError(f"{name} = {text!r}: choose one of {', '.join(names)}")
    return names[text]


def _addresses(name: str, text: str, rules: AddressRules) -> list[str]:
    urls = [url.strip() for line in text.splitlines() for url in line.split(",") if url.strip()]
    for url in urls:
        _check_address(name, url, rules)
    return urls


def _check_address(name: str, url: str, rules: AddressRules) -> None:
    if not is_address(url):
        raise ArgumentError(f"{name} = {url!r}: not the URL of a page; write http://host/")
    parts = urlsplit(url)
    host = parts.hostname or ""
    # {n} in a host would become any address.
    is_plain = not {"{", "}", "@"} & set(parts.netloc)
    if not is_plain or rules.refusal(url, parts.scheme, host) or not _is_public(parts.scheme, host, rules):  # fmt: skip
        raise ArgumentError(f"{name} = {url!r}: only public hosts can be crawled from here")


def _is_public(scheme: str, host: str, rules: AddressRules) -> bool:
    """Return whether a name has no private address; where a proxy resolves names, nobody can know."""
    if scheme in getproxies():
        return True
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return True
    return all(rules.allows_connection(host, str(entry[4][0])) for entry in found)
