"""Project whose crawls are started from the web: its folder, its named files, and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from focuscrawl.network.address_rules import AddressRules
from focuscrawl.sites.site_profile import profile_names
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
            return _themselves(profile_names()) | {
                path.stem: f"{_SITES}/{path.name}" for path in own
            }
        if kind == "profile":
            return _themselves(profile_names("focuscrawl.articles"))
        if kind == "topic":
            return _themselves(topic_names(self.folder / self.topics))
        if kind == "template":
            return _themselves(template_names(self.folder / self.templates))
        return _themselves(engine_names(self.folder / self.engines))


def _themselves(names: list[str]) -> dict[str, str]:
    return {name: name for name in names}
